-- An axiom in one module is a theorem, proved, in another one.
prelude
import Assumed
import Proved

theorem goal : True := fact
