"""The class report: one page and a table, of what a class got right, wrong and stuck on."""
