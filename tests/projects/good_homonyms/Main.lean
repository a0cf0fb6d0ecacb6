-- Theorems of the same last name in two namespaces, each the one asked for.
prelude
import Left

namespace Right
theorem goal : And True True := And.intro Left.goal Left.goal
end Right
theorem goal (p : Prop) (h : p) : p := h
