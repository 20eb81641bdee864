"""Work on many files by several processes, here or on other machines, which goes on where it was stopped."""
