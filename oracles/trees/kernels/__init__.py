"""The compiled loops of tree classes and decoders."""
