-- Compiling it makes a folder whose name stands in a file of the home.
prelude
import Act

theorem goal : True := True.intro
