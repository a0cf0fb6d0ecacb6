/-
Copyright (c) 2026 The DinhSharpness authors. All rights reserved.
Released under Apache 2.0 license as described in the file LICENSE.
Authors: The DinhSharpness authors
-/
import Lean

/-!
# Environment audit

Reads compiled modules as data and prints what they contain about the requested theorems: one line
of JSON, facts only. Every verdict is left to the caller.

`lake exe audit REQUEST.json`, where `REQUEST.json` is
`{"modules": [..], "targets": [..], "projectRoots": [..], "challenge": [..]}`.

The answer has, for each target, its type, how many constants were followed (`closure`), those that
are mentioned and do not exist (`missing`), every axiom reached with its type (`axioms`), the
definitions of the project that the statement needs (`definitions`), the leading binders of the
proof (`hypotheses`) and the constants of the project that the proof uses (`graph`). Under
`challenge` it has statement and definitions once more as the challenge modules see them, and under
`modules` a census of every module of the project.

## Implementation notes

Modules are imported and nothing else: no code, macro or initializer of theirs is run.

Axioms are found by following every constant from the target on, through types, bodies, constructors
and recursors. Lean's own collector, which is behind `#print axioms`, is not used, so that the two
are independent answers to the same question.

The audit believes that what a module contains was accepted by the kernel when it was compiled. A
declaration that was added without the kernel looks here like any other; only checking the proof
once more would show it.

Expressions are written by `render`, without notation and without names of bound variables. Names
that imitate this way of writing apart, which the caller refuses, equal text means equal terms. The
readable form beside it is for people.
-/

open Lean

namespace Audit

/-! ### Requests and constants -/

/-- What the caller asks for. -/
structure Request where
  /-- Modules to import before looking the targets up. -/
  modules : Array Name
  /-- Fully qualified theorem names. -/
  targets : Array Name
  /-- Root names of the modules that belong to the project. -/
  projectRoots : Array Name
  /-- Modules holding the agreed statements, imported in an environment of their own. -/
  challenge : Array Name := #[]
  deriving FromJson

/-- A name as its printed form, with `«»` where a component needs it. -/
def nameJson (n : Name) : Json := toString n

/-- The kind of a constant, in the words of the Lean reference. -/
def kindOf : ConstantInfo → String
  | .axiomInfo _ => "axiom"
  | .defnInfo v =>
    if v.safety == .safe then "def"
    else if v.safety == .unsafe then "unsafe def"
    else "partial def"
  | .thmInfo _ => "theorem"
  | .opaqueInfo _ => "opaque"
  | .quotInfo _ => "quot"
  | .inductInfo _ => "inductive"
  | .ctorInfo _ => "constructor"
  | .recInfo _ => "recursor"

/-- Whether a constant is a theorem, whose body is a proof that no statement depends on. -/
def isTheorem : ConstantInfo → Bool
  | .thmInfo _ => true
  | _ => false

/-- The constants that expressions mention, each once, in the order in which they are met. -/
def mentioned (roots : List Expr) : Array Name := Id.run do
  let mut seen : Std.HashSet Expr := {}
  let mut names : Std.HashSet Name := {}
  let mut found : Array Name := #[]
  let mut stack := roots
  repeat
    let e :: rest := stack | break
    stack := rest
    let mut name := Name.anonymous
    let mut parts : List Expr := []
    match e with
    | .const n _ => name := n
    | .app f x => parts := [f, x]
    | .lam _ t b _ | .forallE _ t b _ => parts := [t, b]
    | .letE _ t v b _ => parts := [t, v, b]
    | .proj n _ b => name := n; parts := [b]
    | .mdata _ b => parts := [b]
    | .bvar _ | .fvar _ | .mvar _ | .sort _ | .lit _ => pure ()
    unless name.isAnonymous || names.contains name do
      names := names.insert name
      found := found.push name
    unless parts.isEmpty || seen.contains e do
      seen := seen.insert e
      stack := parts ++ stack
  return found

/-- The constants that a constant mentions, each list in the order in which they are met. -/
structure Refs where
  /-- In its type. -/
  type : Array Name
  /-- In its body, or brought along with it. -/
  body : Array Name

/-- Type and body together. -/
def Refs.all (r : Refs) : Array Name := r.type ++ r.body

/-- What the body of a constant mentions. For an inductive type, a constructor or a recursor, which
have no body: what comes into being together with it. -/
def bodyRefs : ConstantInfo → Array Name
  | .defnInfo v => mentioned [v.value]
  | .thmInfo v => mentioned [v.value]
  | .opaqueInfo v => mentioned [v.value]
  | .inductInfo v => v.ctors.toArray ++ v.all.toArray
  | .ctorInfo v => #[v.induct]
  | .recInfo v => v.all.toArray ++ (v.rules.map (·.ctor)).toArray ++ mentioned (v.rules.map (·.rhs))
  | .axiomInfo _ | .quotInfo _ => #[]

/-- Everything that a constant mentions. -/
def refs (ci : ConstantInfo) : Refs := { type := mentioned [ci.type], body := bodyRefs ci }

/-- A computation that remembers what constants mention: targets share most of what they rest on. -/
abbrev Collect := StateM (Std.HashMap Name Refs)

/-- What a constant mentions, looked up or found out. -/
def collect (ci : ConstantInfo) : Collect Refs := do
  if let some known := (← get)[ci.name]? then return known
  let r := refs ci
  modify (·.insert ci.name r)
  return r

/-! ### Following constants -/

/-- What a walk over constants has met. -/
structure Walk where
  /-- Each constant after those it needs. -/
  order : Array Name := #[]
  /-- Constants that are mentioned and do not exist. -/
  missing : Array Name := #[]
  /-- All names that were met. -/
  seen : Std.HashSet Name := {}

/-- Depth-first walk from `roots` over everything that `next` says a constant needs. An inductive
type comes after what its constructors mention and before the constructors themselves. -/
def walk (env : Environment) (next : ConstantInfo → Refs → Array Name) (roots : Array Name) :
    Collect Walk := do
  let mut order : Array Name := #[]
  let mut missing : Array Name := #[]
  let mut seen : Std.HashSet Name := {}
  let mut stack : List (Name × Bool) := roots.toList.map (·, false)
  repeat
    let (n, finished) :: rest := stack | break
    stack := rest
    if finished then
      order := order.push n
      continue
    if seen.contains n then continue
    seen := seen.insert n
    let some ci := env.find? n
      | missing := missing.push n
        continue
    let r ← collect ci
    let after := (next ci r).toList.map (·, false)
    match ci with
    | .inductInfo v =>
      let mut types := r.type
      for c in v.ctors do
        if let some ctor := env.find? c then
          types := types ++ (← collect ctor).type
      let before := types.toList.filter fun m => !v.all.contains m
      stack := before.map (·, false) ++ (n, true) :: after ++ stack
    | _ =>
      stack := after ++ (n, true) :: stack
  return { order, missing, seen }

/-- Everything the kernel had to accept for `n`. -/
def proofClosure (env : Environment) (n : Name) : Collect Walk := walk env (fun _ r => r.all) #[n]

/-- Everything a reader of the statement of `n` has to accept: proofs are left out. -/
def statementClosure (env : Environment) (n : Name) : Collect Walk := do
  let some ci := env.find? n | return {}
  walk env (fun ci r => if isTheorem ci then r.type else r.all) (← collect ci).type

/-! ### Writing down what was found -/

/-- Imported modules, and which of them belong to the project. -/
structure Loaded where
  /-- What the modules contain. -/
  env : Environment
  /-- Root names of the project's modules. -/
  roots : Array Name
  /-- The modules by index; `header.moduleNames` builds this array anew at each call. -/
  moduleNames : Array Name := env.header.moduleNames

/-- The module a constant was declared in. -/
def Loaded.moduleOf (l : Loaded) (n : Name) : Name :=
  match l.env.getModuleIdxFor? n with
  | some i => l.moduleNames[i.toNat]!
  | none => .anonymous

/-- Whether a module belongs to the project. -/
def Loaded.isProjectModule (l : Loaded) (module : Name) : Bool :=
  l.roots.any fun r => r.isPrefixOf module

/-- Whether a constant was declared in a module of the project. -/
def Loaded.inProject (l : Loaded) (n : Name) : Bool := l.isProjectModule (l.moduleOf n)

/-- An expression in a form that does not depend on notation, unexpanders or binder names. -/
partial def render : Expr → String
  | .bvar i => s!"#{i}"
  | .fvar f => s!"(fvar {f.name})"
  | .mvar m => s!"(mvar {m.name})"
  | .sort l => s!"Sort {l}"
  | .const n [] => toString n
  | .const n ls => s!"{n}.\{{", ".intercalate (ls.map toString)}}"
  | e@(.app ..) => s!"({render e.getAppFn} {" ".intercalate (e.getAppArgs.toList.map render)})"
  | .lam _ t b bi => s!"(λ{binder bi t} {render b})"
  | .forallE _ t b bi => s!"(Π{binder bi t} {render b})"
  | .letE _ t v b _ => s!"(let : {render t} := {render v}; {render b})"
  | .lit (.natVal k) => s!"{k}"
  | .lit (.strVal s) => s.quote
  | .mdata _ e => render e
  | .proj s i e => s!"({render e}).{s}.{i}"
where
  binder (bi : BinderInfo) (t : Expr) : String :=
    match bi with
    | .default => s!"({render t})"
    | .implicit => s!"\{{render t}}"
    | .strictImplicit => s!"⦃{render t}⦄"
    | .instImplicit => s!"[{render t}]"

/-- Where a constant is declared in its source file: lines from 1, columns from 0. -/
def rangeJson (env : Environment) (n : Name) : List (String × Json) :=
  match declRangeExt.find? (level := .server) env n with
  | some r =>
    [("range", Json.mkObj [("line", r.range.pos.line), ("column", r.range.pos.column),
      ("endLine", r.range.endPos.line), ("endColumn", r.range.endPos.column)])]
  | none => []

/-- The leading binders of a theorem's proof, and whether anything after each one uses it. -/
def hypothesesJson : Expr → List Json
  | .lam n t b bi =>
    Json.mkObj [("name", nameJson n), ("type", (render t : String)),
      ("explicit", bi == .default), ("used", b.hasLooseBVar 0)] :: hypothesesJson b
  | .mdata _ e => hypothesesJson e
  | _ => []

/-- An expression as Lean prints it when no notation but the built-in one is loaded. -/
def pretty (env : Environment) (e : Expr) : IO String := do
  let opts := ({} : Options).setBool `pp.fullNames true |>.setBool `pp.unicode.fun true
    |>.setBool `pp.letVarTypes true |>.setNat `format.width 100
  let ctx : Core.Context :=
    { fileName := "", fileMap := default, options := opts, maxHeartbeats := 0 }
  let (fmt, _, _) ← (Meta.ppExpr e).toIO ctx { env }
  return fmt.pretty 100

/-- A constant: name, kind, module, type, place in the source, and its value unless it is a
theorem. -/
def constJson (l : Loaded) (n : Name) (withValue : Bool := true) : Json :=
  match l.env.find? n with
  | none => Json.mkObj [("name", nameJson n), ("kind", "missing")]
  | some ci =>
    let value := if withValue && !isTheorem ci then ci.value? (allowOpaque := true) else none
    Json.mkObj <| [("name", nameJson n), ("kind", (kindOf ci : String)),
      ("module", nameJson (l.moduleOf n)),
      ("levels", toJson (ci.levelParams.map toString)), ("type", (render ci.type : String))] ++
      rangeJson l.env n ++
      (match value with | some v => [("value", (render v : String))] | none => [])

/-- Whether a constant mentions `sorryAx` in its own type or body. -/
def mentionsSorry (ci : ConstantInfo) : Bool :=
  (refs ci).all.contains ``sorryAx

/-- Types of declarations that change how later source text is read or run. -/
def syntaxTypes : List Name :=
  [``ParserDescr, ``TrailingParserDescr, ``Macro, `Lean.PrettyPrinter.Unexpander,
   `Lean.Elab.Tactic.Tactic, `Lean.Elab.Term.TermElab, `Lean.Elab.Command.CommandElab,
   `Lean.Meta.Simp.Simproc, `Lean.Meta.Simp.DSimproc]

/-- One entry for every module of the project. -/
def censusJson (l : Loaded) : Json := Id.run do
  let env := l.env
  let mut out : Array Json := #[]
  for h : i in [0:l.moduleNames.size] do
    let m := l.moduleNames[i]
    unless l.isProjectModule m do continue
    let names := env.header.moduleData[i]!.constNames
    let mut kinds : Std.TreeMap String Nat := {}
    let mut axioms : Array Json := #[]
    let mut sorries : Array Json := #[]
    let mut special : Array Json := #[]
    let mut syntaxes : Array Json := #[]
    for n in names do
      let some ci := env.find? n | continue
      let k := kindOf ci
      kinds := kinds.insert k (kinds.getD k 0 + 1)
      if k == "axiom" then axioms := axioms.push (nameJson n)
      if mentionsSorry ci then sorries := sorries.push (nameJson n)
      if (Compiler.getImplementedBy? env n).isSome then
        special := special.push (Json.mkObj [("name", nameJson n), ("why", "implemented_by")])
      if isExtern env n then
        special := special.push (Json.mkObj [("name", nameJson n), ("why", "extern")])
      if k == "unsafe def" || k == "partial def" || k == "opaque" then
        special := special.push (Json.mkObj [("name", nameJson n), ("why", k)])
      if syntaxTypes.contains ci.type.getAppFn.constName then
        syntaxes := syntaxes.push (Json.mkObj [("name", nameJson n),
          ("type", nameJson ci.type.getAppFn.constName)])
    out := out.push <| Json.mkObj [("module", nameJson m), ("constants", names.size),
      ("kinds", Json.mkObj (kinds.toList.map fun (k, c) => (k, toJson c))),
      ("imports", toJson (env.header.moduleData[i]!.imports.map (toString ·.module))),
      ("axioms", Json.arr axioms), ("sorries", Json.arr sorries),
      ("special", Json.arr special), ("syntax", Json.arr syntaxes)]
  return Json.arr out

/-- A constant of the statement, with the text a person reads. -/
def readableJson (l : Loaded) (n : Name) (withValue : Bool := true) : IO Json := do
  let json := constJson l n withValue
  let some ci := l.env.find? n | return json
  let value := if withValue && !isTheorem ci then ci.value? (allowOpaque := true) else none
  let json := json.setObjVal! "prettyType" (← pretty l.env ci.type)
  match value with
  | some v => return json.setObjVal! "prettyValue" (← pretty l.env v)
  | none => return json

/-- A computation that keeps what was collected from one target to the next. -/
abbrev Audit := StateT (Std.HashMap Name Refs) IO

/-- A collecting step as a step of the audit. -/
def Collect.lift {α : Type} (c : Collect α) : Audit α := modifyGet fun known => c.run known

/-- The statement of a theorem, and the project's definitions that it needs, in reading order. -/
def statementJson (l : Loaded) (n : Name) : Audit (List (String × Json)) := do
  let read := (← (statementClosure l.env n).lift).order.filter l.inProject
  return [("constant", ← readableJson l n (withValue := false)),
    ("definitions", Json.arr (← read.mapM fun m => readableJson l m))]

/-- All that is to be said of one target. -/
def targetJson (l : Loaded) (n : Name) : Audit Json := do
  let some ci := l.env.find? n
    | return Json.mkObj [("name", nameJson n), ("found", false)]
  let proof ← (proofClosure l.env n).lift
  let axioms := proof.order.filter fun m => (l.env.find? m).any fun ci => ci matches .axiomInfo _
  let edges := (proof.order.filter l.inProject).map fun m =>
    let used := ((l.env.find? m).elim #[] (refs · |>.all)).filter fun r => r != m && l.inProject r
    (toString m, toJson ((Std.HashSet.ofArray used).toArray.qsort Name.quickLt |>.map toString))
  let hypotheses := match ci with
    | .thmInfo v => hypothesesJson v.value
    | _ => []
  return Json.mkObj <| [
    ("name", nameJson n), ("found", true),
    ("closure", (proof.order.size : Json)),
    ("missing", toJson (proof.missing.map toString)),
    ("axioms", Json.arr (axioms.map fun m => constJson l m)),
    ("hypotheses", Json.arr hypotheses.toArray),
    ("graph", Json.mkObj edges.toList)] ++ (← statementJson l n)

/-- Import modules, at trust level 0, and nothing but import them. -/
def load (modules roots : Array Name) : IO Loaded := do
  let env ← importModules (modules.map fun m => { module := m }) {} (trustLevel := 0)
  return { env, roots }

/-- The answer to a request. The challenge is imported in an environment of its own, since it
declares theorems of the same names. -/
def run (req : Request) : IO Json := do
  let l ← load req.modules req.projectRoots
  let (targets, _) ← (req.targets.mapM (targetJson l)).run {}
  let mut challenge := Json.null
  if !req.challenge.isEmpty then
    let c ← load req.challenge req.projectRoots
    let (statements, _) ← StateT.run (s := {}) <| req.targets.mapM fun n => do
      if (c.env.find? n).isNone then
        return Json.mkObj [("name", nameJson n), ("found", false)]
      return Json.mkObj <| [("name", nameJson n), ("found", (true : Json))] ++ (← statementJson c n)
    challenge := Json.arr statements
  return Json.mkObj [
    ("schema", (1 : Nat)),
    ("lean", Json.mkObj [("version", (versionString : String)), ("githash", (githash : String))]),
    ("targets", Json.arr targets), ("challenge", challenge),
    ("modules", censusJson l)]

end Audit

/-- Read the request from the file named, print the answer. Exit status 2 if there is none. -/
def main (args : List String) : IO UInt32 := do
  let [path] := args
    | IO.eprintln "usage: lean --run Audit.lean REQUEST.json"; return 2
  let text ← IO.FS.readFile path
  match Json.parse text >>= fromJson? (α := Audit.Request) with
  | .error e => IO.eprintln s!"bad request: {e}"; return 2
  | .ok req =>
    initSearchPath (← findSysroot)
    let out ← Audit.run req
    IO.println out.compress
    return 0
