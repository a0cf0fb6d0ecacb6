-- Two modules each assume as an axiom what the other proves from its own.
prelude
import Left
import Right

theorem goal : False := left
