-- A proof that is none.
prelude
import Logic

theorem goal (h : True) : False := h
