-- The private part of a compiled module is of another build.
module
prelude
public import Logic

theorem secret : True := True.intro
public theorem fact : True := secret
