"""The proof as terms: read, compared, and checked by Lean's own kernel in processes of its own."""
