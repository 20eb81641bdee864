"""Sessions: documents, sentences, jobs, messages, next steps."""
