-- Two modules import each other.
prelude
import Main

theorem left (p : Prop) (h : p) : p := h
