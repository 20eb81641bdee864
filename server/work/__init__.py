"""Who computes what, and when: engines, the schedule, threads."""
