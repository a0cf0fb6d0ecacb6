/-
Copyright (c) 2026 The DinhSharpness authors. All rights reserved.
Released under Apache 2.0 license as described in the file LICENSE.
Authors: The DinhSharpness authors
-/
import Lake

/-!
# The build of the project

Four Lean libraries and one program.

* `Definitions` and `DinhSharpness`, the meaning of the words and the proof, are what `lake build`
  builds.
* `Challenge`, the statement without a proof, stands apart: its `sorry` is meant, and nothing that
  is built by default depends on it.
* `LeanTests` is built by `lake test`.
* `audit` is run by the project's gate.

Mathlib is pinned by commit, here and in `lake-manifest.json`, and Lean in `lean-toolchain`.
-/

open Lake DSL

/-- Options of every Lean library here: names have to be declared before they are used, Mathlib's
linters are on, and one option is about unification. -/
abbrev libraryOptions : Array LeanOption := #[
  ⟨`pp.unicode.fun, true⟩,
  ⟨`autoImplicit, false⟩,
  ⟨`relaxedAutoImplicit, false⟩,
  ⟨`maxSynthPendingDepth, .ofNat 3⟩,
  ⟨`weak.linter.mathlibStandardSet, true⟩,
  -- The proofs were compiled with the unification of Lean 4.28 and earlier, which this keeps.
  ⟨`weak.backward.isDefEq.respectTransparency, false⟩]

package DinhSharpness where
  leanOptions := libraryOptions
  testDriver := "LeanTests"
  lintDriver := "batteries/runLinter"
  lintDriverArgs := #["DinhSharpness"]

require mathlib from git
  "https://github.com/leanprover-community/mathlib4" @ "c5ea00351c28e24afc9f0f84379aa41082b1188f"

/-- What the words of the statement mean. -/
@[default_target]
lean_lib Definitions where
  globs := #[`Definitions.+]

/-- The proof. -/
@[default_target]
lean_lib DinhSharpness

/-- The statement as agreed, its proof left out on purpose. -/
lean_lib Challenge

/-- What the definitions say, equation by equation; built by `lake test`. -/
lean_lib LeanTests where
  srcDir := "tests/lean"
  globs := #[`LeanTests.+]

/-- Reads compiled modules as data; see `scripts/lean/Audit.lean`. -/
lean_exe audit where
  srcDir := "scripts/lean"
  root := `Audit
  supportInterpreter := true
