"""What Lean's own tools say: elan, Lake, the audit, `#print axioms`."""
