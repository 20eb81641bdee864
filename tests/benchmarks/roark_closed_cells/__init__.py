"""Table 4 of Roark, Hollingshead & Bodenstab 2012."""
