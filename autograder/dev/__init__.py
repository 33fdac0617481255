"""What an author of the course runs: tries the checks, stores answers anew, lays out what is to be written."""
