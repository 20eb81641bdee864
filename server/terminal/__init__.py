"""What people see in a terminal: trees, tables, pictures, progress, and a line that is typed."""
