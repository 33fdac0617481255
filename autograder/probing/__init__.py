"""What a check is made of: exercises and their probes, draws, outcomes, and how a probe is run and watched."""
