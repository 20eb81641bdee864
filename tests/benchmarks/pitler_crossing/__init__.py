"""Table 2 of Pitler, Kannan & Marcus 2012."""
