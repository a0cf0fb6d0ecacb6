-- The source of the target changed after compiling.
prelude
import Definitions

theorem goal : Claim := True.intro
