-- A private theorem of a module, behind a public one, rests on sorryAx.
module
prelude
public import Logic
import Facts

public theorem goal : False := fact
