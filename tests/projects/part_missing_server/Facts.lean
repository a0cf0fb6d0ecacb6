-- Of a compiled module the server part is gone.
module
prelude
public import Logic

theorem secret : True := True.intro
public theorem fact : True := secret
