"""Computation of a server: engines, the schedule of jobs, threads and processes."""
