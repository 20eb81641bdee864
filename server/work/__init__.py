"""Computation of a server: engines, the schedule of jobs, and threads."""
