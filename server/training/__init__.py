"""Work of the commands that train: a module for each part of a model, and the display of progress."""
