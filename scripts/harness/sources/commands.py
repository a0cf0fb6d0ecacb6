"""Where a command of a Lean file begins and ends, as far as its tokens show it.

Which words begin a command is Lean's and Mathlib's grammar as of v4.30.0; a word that a project
makes into a command itself is none here.
"""

from __future__ import annotations

from collections.abc import Sequence

from harness.sources.lexer import Kind, Token

DECLARING = frozenset(
    {"theorem", "lemma", "def", "abbrev", "structure", "class", "inductive", "coinductive"}
    | {"instance", "opaque", "axiom", "example"}
)
MODIFIERS = frozenset(
    {"private", "protected", "noncomputable", "unsafe", "partial", "nonrec", "public", "meta"}
)
SCOPES = frozenset({"namespace", "section", "end", "mutual"})
# Commands that declare no theorem and no definition in the way that the words above do.
OTHER_COMMANDS = frozenset(
    {"open", "set_option", "variable", "universe", "export", "attribute", "deriving"}
    | {"include", "omit", "seal", "unseal", "import", "prelude", "module", "local", "scoped"}
    | {"notation", "notation3", "infix", "infixl", "infixr", "prefix", "postfix"}
    | {"macro", "macro_rules", "syntax", "declare_syntax_cat", "elab", "elab_rules"}
    | {"binder_predicate", "unif_hint", "simproc", "dsimproc", "simproc_decl", "dsimproc_decl"}
    | {"builtin_simproc", "builtin_dsimproc", "initialize", "builtin_initialize"}
    | {"run_cmd", "run_elab", "run_meta", "alias", "add_decl_doc", "irreducible_def"}
    | {"initialize_simps_projections", "assert_not_exists", "assert_exists", "library_note"}
    | {"suppress_compilation", "unsuppress_compilation", "recommended_spelling"}
    | {"register_option", "register_simp_attr", "declare_aesop_rule_sets", "init_quot"}
    | {"mk_iff_of_inductive_prop", "compile_inductive", "compile_def", "assert_no_sorry"}
    | {"declare_config_elab", "declare_simp_like_tactic", "register_tactic_tag", "tactic_extension"}
    | {"extend_docs", "register_label_attr", "insert_to_additive_translation", "add_aesop_rules"}
    | {"grind_pattern", "gen_injective_theorems", "deprecated_module", "with_weak_namespace"}
)
# Words that terms and tactics have too, so that they begin a command only where a line begins.
_SOFT = frozenset({"open", "set_option", "unsafe", "seal", "unseal", "alias", "meta", "public"})
_ALWAYS = (DECLARING | MODIFIERS | SCOPES | OTHER_COMMANDS) - _SOFT
# What goes on with a declaration at the beginning of a line.
CONTINUING = frozenset(
    {"where", "by", "with", "then", "else", "fun", "let", "have", "show", "from", "do", "if"}
    | {"match", "calc", "in", "at", "extends", "termination_by", "decreasing_by", "forall"}
)

CLOSING = {")": "(", "]": "[", "}": "{", "⟩": "⟨", "⦄": "⦃", "⟫": "⟪", "⟧": "⟦"}
OPENING = frozenset(CLOSING.values())


def is_word(token: Token, words: frozenset[str]) -> bool:
    """Whether a token is one of these words."""
    return token.kind is Kind.IDENTIFIER and token.text in words


def first_on_line(tokens: Sequence[Token], index: int) -> bool:
    """Whether a token is the first on its line."""
    if index == 0:
        return True
    before = tokens[index - 1]
    return before.line + before.text.count("\n") < tokens[index].line


def is_attribute(tokens: Sequence[Token], index: int) -> bool:
    """Whether the tokens from here are `@[`."""
    after = tokens[index + 1] if index + 1 < len(tokens) else None
    return (
        tokens[index].text == "@"
        and after is not None
        and after.text == "["
        and after.start == tokens[index].end
    )


def is_hash_command(tokens: Sequence[Token], index: int) -> bool:
    """Whether a line begins here with `#` and a word right behind it."""
    if tokens[index].text != "#" or index + 1 >= len(tokens):
        return False
    after = tokens[index + 1]
    attached = after.kind is Kind.IDENTIFIER and after.start == tokens[index].end
    return attached and first_on_line(tokens, index)


def bracket_end(tokens: Sequence[Token], index: int) -> int:
    """The index just past the bracket that opens at `index`; the end where it is not closed."""
    depth = 0
    for here in range(index, len(tokens)):
        if tokens[here].kind is Kind.SYMBOL:
            depth += tokens[here].text in OPENING
            depth -= tokens[here].text in CLOSING
        if depth <= 0:
            return here + 1
    return len(tokens)


def command_end(tokens: Sequence[Token], start: int, column: int | None = None) -> int:
    """The index just past the command whose own words end before `start`.

    The next command begins outside of brackets: with a word that only commands have, with `@[`, or
    no further right than `column` (default: where the token at `start` - 1 stands) with a
    documentation comment, or at the beginning of a line with `#word` or a word that terms have too.
    """
    depth = 0
    column = tokens[start - 1].column if column is None else column
    for here in range(start, len(tokens)):
        token = tokens[here]
        if depth <= 0 and begins(tokens, here, column):
            return here
        if token.kind is Kind.SYMBOL:
            depth += token.text in OPENING
            depth -= token.text in CLOSING
    return len(tokens)


def begins(tokens: Sequence[Token], index: int, column: int) -> bool:
    """Whether a command, or what precedes one, begins at a token outside of brackets."""
    token = tokens[index]
    if token.kind is Kind.MODULE_DOC or is_attribute(tokens, index):
        return True
    if token.kind is Kind.DOC_COMMENT:  # else it belongs to a field or a constructor
        return token.column <= column
    if token.text == "deriving":  # else it belongs to a structure
        return index + 1 < len(tokens) and tokens[index + 1].text == "instance"
    if is_word(token, MODIFIERS) and not _modifies(tokens, index):
        return False  # a field of a structure may be `protected`
    if is_word(token, _ALWAYS):
        return index == 0 or not _goes_on(tokens[index - 1], token)
    if token.column > column or not first_on_line(tokens, index):
        return False
    return is_word(token, _SOFT) or is_hash_command(tokens, index)


def _modifies(tokens: Sequence[Token], index: int) -> bool:
    """Whether a declaration, or a scope, follows these modifiers."""
    while index < len(tokens) and is_word(tokens[index], MODIFIERS):
        index += 1
    if index >= len(tokens):
        return False
    return is_word(tokens[index], DECLARING | SCOPES | OTHER_COMMANDS) or is_attribute(
        tokens, index
    )


def _goes_on(before: Token, token: Token) -> bool:
    """`deriving instance`, `open scoped`, `local notation`: the second word begins no command."""
    if before.text == "." and before.end == token.start:
        return True
    match before.text, token.text:
        case ("deriving", "instance") | ("open", "scoped" | "private") | ("export", "private"):
            return True
        case ("local" | "scoped", _):
            return before.kind is Kind.IDENTIFIER
    return False
