-- The private part of a compiled module is of another build.
module
prelude
public import Logic
import Facts

public theorem goal : True := fact
