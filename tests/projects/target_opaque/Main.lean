-- The target is an opaque constant.
prelude
import Logic

opaque goal : True := True.intro
