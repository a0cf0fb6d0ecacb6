-- Compiling it makes a folder: an initializer runs when a file imports it.
prelude
import Act

theorem goal : True := True.intro
