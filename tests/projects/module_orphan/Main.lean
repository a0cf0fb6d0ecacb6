-- A module that nothing imports.
prelude
import Logic

theorem goal : True := True.intro
