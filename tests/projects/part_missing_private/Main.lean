-- Of a compiled module the private part is gone.
module
prelude
public import Logic
import Facts

public theorem goal : True := fact
