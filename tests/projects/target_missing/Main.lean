-- There is no theorem of the target's name.
prelude
import Logic

theorem goal : True := True.intro
