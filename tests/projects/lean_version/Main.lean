-- The header of a compiled module names another version of Lean.
prelude
import Definitions

theorem goal : Claim := True.intro
