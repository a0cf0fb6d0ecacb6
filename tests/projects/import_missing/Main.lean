-- A module imports one that is not there.
prelude
import Logic
import Nowhere

theorem goal : True := True.intro
