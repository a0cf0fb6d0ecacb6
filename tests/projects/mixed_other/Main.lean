-- A good project: what others' compiled modules are mixed with.
prelude
import Definitions

theorem goal (h : Claim) : False := h
