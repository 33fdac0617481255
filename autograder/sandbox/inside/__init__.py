"""What runs within the walls. It knows nothing of what is outside, and what it is given may be read by student code."""
