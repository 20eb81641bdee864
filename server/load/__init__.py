"""Typists by the thousand, for measuring: what they type and when, servers of one's own, figures."""
