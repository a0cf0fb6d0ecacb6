-- Compiling it removes a source: an initializer runs when a file imports it.
prelude
import Act

theorem goal : True := True.intro
