"""What a learner has to show, and comes back to: a certificate, the library as a package of its own, a review."""
