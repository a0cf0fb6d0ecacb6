-- A good project: what others' parts of modules are mixed with.
module
prelude
public import Logic

theorem hidden {p : Prop} (h : p) : p := h
public theorem fact : True := hidden True.intro
