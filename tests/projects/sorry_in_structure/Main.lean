-- The type of a field of a structure in the statement holds sorryAx.
prelude
import Definitions

theorem goal (s : Setting) : True := s.also
