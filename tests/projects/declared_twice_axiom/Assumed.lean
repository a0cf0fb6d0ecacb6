-- An axiom in one module is a theorem, proved, in another one.
prelude
import Logic

axiom fact : True
