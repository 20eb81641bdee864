"""Whether words could be a whole sentence, whether they are one, and what a silence adds to that."""
