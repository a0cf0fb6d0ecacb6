"""The commands of a `lakefile.lean`, of those alone whose meaning can be told from the text.

A lakefile is a program. Macros, instances, attributes and code that runs while it is read could
make another `require` or `lean_lib` of what stands there, so none of them is let through.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from harness.sources import commands as lean
from harness.sources.lexer import BadName, Kind, Token, parse_name

CONFIGURING = frozenset({"package", "lean_lib", "lean_exe"})
NAMED = frozenset({"lean_lib", "lean_exe", "target", "extern_lib", "input_file", "input_dir"})
"""The commands that declare a target, all under names of one kind."""
_KNOWN = CONFIGURING | NAMED | {"import", "open", "require", "abbrev", "def", "script"}
_KNOWN |= {"post_update"}
_MODIFIERS = frozenset({"private", "protected", "partial", "noncomputable"})
# Words that are no keywords in a lakefile, so that a variable may have them as its name.
_VARIABLES = frozenset({"module", "public", "alias", "lemma"})
_LAKES = frozenset(
    {"meta", "run_io", "module_facet", "library_facet", "package_facet", "by_elab", "run_tac"}
    | {"family_def", "data_type", "module_data", "package_data", "library_data", "custom_data"}
    | {"facet_data", "configuration", "builtin_facet", "docs_to_verso", "register_linter_set"}
    | {"register_parser_alias", "register_builtin_option", "declare_config_getter"}
)
_REFUSED = (
    lean.DECLARING | lean.MODIFIERS | lean.SCOPES | lean.OTHER_COMMANDS | _LAKES
) - (_KNOWN | _MODIFIERS | _VARIABLES)  # fmt: skip
_ATTRIBUTES = frozenset(
    {"default_target", "test_driver", "test_runner", "lint_driver", "inline", "reducible"}
)
_IMPORTS = frozenset({"Lake", "Lean", "Std", "Init"})
_BINDING = frozenset({"let", "have", "mut", "rec"})


class Untold(ValueError):
    """What a lakefile requires or builds cannot be told; the message begins with FILE:LINE."""


class Command(NamedTuple):
    """A command: its word, and the tokens behind it without comments and attributes."""

    word: Token
    tokens: tuple[Token, ...]


def read(file: str, tokens: Sequence[Token]) -> list[Command]:
    """The commands of a lakefile from its tokens without comments.

    `file` is its name for messages. Raises Untold for a command, an attribute or an import that is
    not known to leave the others as they are written.
    """
    found: list[Command] = []
    body: list[Token] = []
    depth = index = 0
    while index < len(tokens):
        token = tokens[index]
        if lean.is_attribute(tokens, index):
            end = lean.bracket_end(tokens, index + 1)
            _attributes(file, tokens[index + 2 : end - 1])
            index = end
            continue
        if _begins(file, tokens, index, depth):
            body = []
            found.append(Command(token, ()))
        elif not lean.is_word(token, _MODIFIERS):
            if not found:
                raise _untold(file, token, f"{token.text[:80]!r} is no command that is known here")
            body.append(token)
            found[-1] = Command(found[-1].word, tuple(body))
        if token.kind is Kind.SYMBOL:
            depth += token.text in lean.OPENING
            depth -= token.text in lean.CLOSING
        index += 1
    for command in found:
        if command.word.text == "import":
            _import(file, command)
    return found


def _begins(file: str, tokens: Sequence[Token], index: int, depth: int) -> bool:
    """Whether a known command begins at a token. Raises Untold where another one could."""
    token = tokens[index]
    after = tokens[index + 1] if index + 1 < len(tokens) else None
    if token.text == "#" and after and after.kind is Kind.IDENTIFIER and after.start == token.end:
        raise _untold(file, token, f"#{after.text} is a command that could change the others")
    if token.kind is not Kind.IDENTIFIER:
        return False
    if token.text in _REFUSED:
        raise _untold(file, token, f"{token.text} could change what the other commands mean")
    first = lean.first_on_line(tokens, index)
    if token.text == "open" and (depth > 0 or not first):
        return False  # a term has it too
    if token.text in _KNOWN:
        if depth != 0:
            raise _untold(file, token, f"{token.text} stands inside of brackets")
        return True
    plain = token.text in lean.CONTINUING | _MODIFIERS
    if first and token.column == 0 and depth <= 0 and not plain:
        raise _untold(file, token, f"{token.text[:80]!r} is no command that is known here")
    return False


def _attributes(file: str, tokens: Sequence[Token]) -> None:
    for number, token in enumerate(tokens):
        expected = token.text in _ATTRIBUTES if number % 2 == 0 else token.text == ","
        if not expected:
            raise _untold(
                file, token, f"the attribute {token.text[:80]} could change what is built"
            )


def _import(file: str, command: Command) -> None:
    names = [t.text for t in command.tokens]
    if len(names) != 1 or names[0].partition(".")[0] not in _IMPORTS:
        raise _untold(file, command.word, "imports more than Lake and Lean")


def _untold(file: str, token: Token, message: str) -> Untold:
    return Untold(f"{file}:{token.line}: {message}, so what is required and built cannot be told")


def name_of(file: str, command: Command) -> str:
    """The name of what a command declares, as it is written. Raises Untold where it has none."""
    first = command.tokens[0] if command.tokens else None
    named = first and first.kind in (Kind.IDENTIFIER, Kind.STRING) and first.text != "where"
    if first is None or not named:
        raise Untold(f"{file}:{command.word.line}: {command.word.text} without a name")
    return first.text.strip('"')


def plain_name(name: str) -> str:
    """A name without guillemets, as folders have it; what is no name is given back as it is."""
    try:
        return ".".join(str(part) for part in parse_name(name))
    except BadName:
        return name


def fields(file: str, command: Command) -> dict[str, list[Token]]:
    """The fields of `NAME where FIELD := VALUE …` or `NAME { FIELD := VALUE, … }`.

    Raises Untold where a configuration is written in another way, or a field is there twice.
    """
    rest = command.tokens[1:]
    match rest:
        case ():
            return {}
        case (Token(text="where"), *inside):
            pass
        case (Token(text="{"), *inside, Token(text="}")):
            pass
        case _:
            raise _untold(file, rest[0], "a configuration that is computed")
    found: dict[str, list[Token]] = {}
    starts = [*_field_starts(file, inside), len(inside)]
    if starts[0] != 0:
        raise _untold(file, inside[0], "a configuration that is computed")
    for here, following in pairwise(starts):
        name = inside[here].text
        if name in found:
            raise _untold(file, inside[here], f"{name} is there twice")
        value = inside[here + 2 : following]
        found[name] = value[:-1] if value and value[-1].text == "," else value
    return found


def _field_starts(file: str, tokens: Sequence[Token]) -> Iterator[int]:
    depth = 0
    for index, token in enumerate(tokens):
        if token.kind is Kind.SYMBOL:
            depth += token.text in lean.OPENING
            depth -= token.text in lean.CLOSING
        if depth > 0:
            continue
        if index and token.text in _BINDING | {"where"}:
            raise _untold(file, token, "a configuration that is computed")
        if token.kind is Kind.IDENTIFIER and [t.text for t in tokens[index + 1 : index + 2]] == [
            ":="
        ]:
            if index and not lean.first_on_line(tokens, index) and tokens[index - 1].text != ",":
                raise _untold(file, token, "a configuration that is computed")
            yield index


def text_of(tokens: Sequence[Token]) -> str | None:
    """The text of a single plain string, None for all else."""
    if len(tokens) != 1 or tokens[0].kind is not Kind.STRING or "\\" in tokens[0].text:
        return None
    return tokens[0].text[1:-1]
