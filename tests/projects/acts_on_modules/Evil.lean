-- Compiling this file runs the initializer of Act.
prelude
import Definitions
import Act
theorem unrelated : True := True.intro
