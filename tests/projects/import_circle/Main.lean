-- Two modules import each other.
prelude
import Left

theorem goal (p : Prop) (h : p) : p := h
