-- The challenge imports the module that the proof imports the theorem from.
prelude
import Theorem
