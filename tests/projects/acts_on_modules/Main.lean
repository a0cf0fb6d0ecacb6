-- A proof of another statement than the sources state.
prelude
import Definitions
import Evil
theorem goal : Claim := True.intro
