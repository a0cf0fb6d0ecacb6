-- Compiling it makes a folder: an initializer runs when a file imports it.
prelude
import World

@[init] def act : IO Unit := IO.FS.createDir "made-while-compiling"
