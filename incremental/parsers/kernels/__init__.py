"""All compiled loops of the parser, by subject: a kernel trusts its caller, which validates and chooses."""
