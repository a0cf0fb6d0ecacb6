-- Names with primes, Unicode, guillemets and the word sorry in them.
prelude
import Logic

theorem h₂é : True := True.intro
