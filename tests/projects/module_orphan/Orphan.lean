-- A module that nothing imports.
prelude
import Logic

theorem unseen : True := True.intro
