-- A flipped bit in what the target does not use: the terms are right all the same.
prelude
import Logic

theorem aside_a : True := True.intro
theorem goal : And True True := And.intro True.intro True.intro
