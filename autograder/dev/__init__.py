"""What an author of the course runs: tries the checks, stores answers anew."""
