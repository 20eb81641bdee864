"""Where sessions wait for their clients: in memory, or in files that outlive the process."""
