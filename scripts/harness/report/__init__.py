"""A verification as people and programs read it."""
