"""What a session is made of: documents, sentences, jobs, messages, next steps."""
