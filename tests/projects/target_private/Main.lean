-- The theorem of that name is private.
prelude
import Logic

private theorem goal : True := True.intro
