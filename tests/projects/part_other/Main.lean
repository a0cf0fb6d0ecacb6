-- A good project: what others' parts of modules are mixed with.
module
prelude
public import Logic
import Facts

public theorem goal : True := fact
