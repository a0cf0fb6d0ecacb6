-- An axiom hides in a definition that reduction makes disappear.
prelude
import Definitions

theorem goal : First True Bad := True.intro
