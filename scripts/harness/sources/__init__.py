"""What the text of the repository says: tokens, imports, holes, pins."""
