-- Names with primes, Unicode, guillemets and the word sorry in them.
prelude
import Logic
import Été.Œuvre₁

theorem plain : True := True.intro
theorem plain' : True := plain
theorem plain'' : And True True := And.intro plain plain'
theorem «two words» : True := h₂é
theorem «a.b» : True := «two words»
theorem a.b : True := True.intro
theorem Outer.«in ner».x' : True := «a.b»
theorem «sorry» : True := Outer.«in ner».x'
theorem «line
break» : True := «sorry»
theorem «,] '» : True := «line
break»
theorem ℵ₀.«⟨⟩» : True := «,] '»
theorem sorryFree : True := ℵ₀.«⟨⟩»
