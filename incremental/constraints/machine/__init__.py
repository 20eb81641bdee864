"""The machine that judges analyses by constraints: programs, what they ask of a prefix, compiled loops."""
