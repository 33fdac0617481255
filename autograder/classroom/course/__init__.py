"""An nbgrader course: its folder, its gradebook, what was handed in, and what is saved of it."""
