-- Two compiled modules are of another project: consistent, and not of these sources.
prelude
import Definitions

theorem goal : Claim := True.intro
