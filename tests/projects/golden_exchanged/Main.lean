-- Compiling it puts another golden file in the place of the agreed one.
prelude
import Act
theorem goal : Other := True.intro
