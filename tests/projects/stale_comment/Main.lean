-- Only a comment changed after compiling: not what was compiled, all the same.
prelude
import Definitions

theorem goal : Claim := True.intro
