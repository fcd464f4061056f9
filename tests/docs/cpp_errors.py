"""Error messages in C++ sources, as data. Pure: takes text, returns the errors it makes.

Found are fail(CODE, MESSAGE, HINT), invalid(MESSAGE, HINT), Error{CODE, ...}, {RpcCode, MESSAGE}, and
calls of a file's own functions and lambdas that make such an error. This is not a parser of C++: it
reads tokens. A value that is not a literal becomes a placeholder in angle
brackets, named like the variable. A message that depends on a condition gives one row per case.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

TOKEN = re.compile(r"""
    (?P<space>\s+|//[^\n]*|/\*.*?\*/)
  | (?P<raw>R"(?P<mark>[^(\s]*)\((?P<rawtext>.*?)\)(?P=mark)")
  | (?P<string>"(?:[^"\\\n]|\\.)*")
  | (?P<char>'(?:[^'\\\n]|\\.)+')
  | (?P<number>\d[\w.']*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<mark2>::|->|<<|==|!=|<=|>=|&&|\|\||.)
""", re.VERBOSE | re.DOTALL)
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "e": "\x1b"}
OPENING, CLOSING = "([{", ")]}"
OPEN, CLOSE = "\x01", "\x02"  # enclose a placeholder until the text is complete
MAX_CASES = 6
# Functions whose result reads like their argument, and members that say nothing about the value.
TRANSPARENT = {"string", "string_view", "to_string", "move", "forward"}
SILENT = {"std", "sf", "os", "value", "value_or", "c_str", "substr", "count", "get", "str", "front", "back", "native", "first",
          "second", "text", "data", "describe", "status", "string", "os_errno", "begin", "end"}
RENAMED = {"message": "reason", "errno": "system error", "error": "reason", "e": "reason"}
NAMED_TEXT = re.compile(r"constexpr (?:const char\*|std::string_view|char) (k\w+)(?:\[\])? =\s*"
                        r"((?:\"(?:[^\"\\\n]|\\.)*\"\s*)+);")
CODE = re.compile(r"(?:ErrorCode|RpcCode)::(k\w+)")


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    start: int


@dataclass(frozen=True)
class Found:
    """One message. `code` is the name of the constant, or "" if it depends on the call."""
    code: str
    message: str
    hint: str
    line: int


@dataclass
class Source:
    """One file, with the string constants that its expressions may name."""
    text: str
    constants: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.tokens = tokens(self.text)
        self.constants = {**self.constants, **string_constants(self.text)}

    def line(self, token: Token) -> int:
        return self.text.count("\n", 0, token.start) + 1


def tokens(text: str) -> list[Token]:
    found = []
    for match in TOKEN.finditer(text):
        kind = match.lastgroup or ""
        if match.group("space") is not None:
            continue
        if match.group("raw") is not None:
            found.append(Token("string", match.group("rawtext"), match.start()))
        elif match.group("string") is not None:
            found.append(Token("string", unescaped(match.group("string")[1:-1]), match.start()))
        elif match.group("char") is not None:
            found.append(Token("string", unescaped(match.group("char")[1:-1]), match.start()))
        else:
            found.append(Token("name" if kind == "name" else "other", match.group(), match.start()))
    return found


def unescaped(text: str) -> str:
    return re.sub(r"\\(x[0-9a-fA-F]+|[0-7]{1,3}|.)", lambda match: one_escape(match.group(1)), text)


def one_escape(code: str) -> str:
    if code[0] == "x":
        return chr(int(code[1:], 16))
    if code in ESCAPES:
        return ESCAPES[code]
    return chr(int(code, 8)) if code.isdigit() else code


def string_constants(text: str) -> dict[str, str]:
    """Texts and whole numbers that have a name."""
    found = {}
    for match in NAMED_TEXT.finditer(text):
        found[match.group(1)] = "".join(token.text for token in tokens(match.group(2)))
    for match in re.finditer(r"constexpr [\w:]+ (k\w+) = ([\d']+)[UL]*;", text):
        found[match.group(1)] = match.group(2).replace("'", "")
    return found


def split_top(parts: list[Token], separator: str) -> list[list[Token]]:
    pieces: list[list[Token]] = [[]]
    depth = 0
    for token in parts:
        if token.kind != "string":
            depth += (token.text in OPENING) - (token.text in CLOSING)
        if depth == 0 and token.kind == "other" and token.text == separator:
            pieces.append([])
        else:
            pieces[-1].append(token)
    return pieces


def closing(all_tokens: list[Token], opening: int) -> int:
    depth = 0
    for at in range(opening, len(all_tokens)):
        if all_tokens[at].kind != "string":
            depth += (all_tokens[at].text in OPENING) - (all_tokens[at].text in CLOSING)
        if depth == 0:
            return at
    return len(all_tokens) - 1


def cases(parts: list[Token]) -> list[list[Token]]:
    """The expressions that `parts` may yield: both sides of a conditional expression."""
    question = split_top(parts, "?")
    if len(question) < 2:
        return [parts]
    rest = parts[len(question[0]) + 1:]
    sides = split_top(rest, ":")
    if len(sides) > 2:  # a nested conditional
        return cases(sides[0]) + cases(rest[len(sides[0]) + 1:])
    return [each for side in sides for each in cases(side)]


class Names:
    """What an expression's names stand for: parameters, local variables, constants."""

    def __init__(self, source: Source, values: dict[str, list[str]], at: int) -> None:
        self.source, self.values, self.at = source, values, at

    def lookup(self, name: str) -> list[str] | None:
        if name in self.values:
            return self.values[name]
        if name in self.source.constants:
            return [self.source.constants[name]]
        return self.local(name)

    def local(self, name: str) -> list[str] | None:
        """The nearest text of that name in this function."""
        all_tokens = self.source.tokens
        for at in range(self.at, 0, -1):
            token = all_tokens[at]
            if token.text == "}" and self.source.text[token.start - 1:token.start] == "\n":
                return None  # the end of another function
            if token.text == name and all_tokens[at - 1].text in ("string", "*") and all_tokens[at + 1].text == "=":
                end = at + 2
                while end < len(all_tokens) and all_tokens[end].text != ";":
                    end = closing(all_tokens, end) + 1 if all_tokens[end].text in OPENING else end + 1
                value = all_tokens[at + 2:end]
                if any(each.kind == "string" for each in value):
                    return rendered(value, Names(self.source, self.values, at - 1))
                return None
        return None


def rendered(parts: list[Token], names: Names) -> list[str]:
    """The texts that an expression may have."""
    found: list[str] = []
    for case in cases(parts):
        texts = [""]
        for operand in split_top(case, "+"):
            texts = [text + more for text in texts for more in operand_texts(operand, names)]
        found += texts if len(texts) <= MAX_CASES else texts[:MAX_CASES]
    return found


def operand_texts(operand: list[Token], names: Names) -> list[str]:
    if operand and all(token.kind == "string" for token in operand):
        return ["".join(token.text for token in operand)]
    if operand and operand[0].text == "(" and closing(operand, 0) == len(operand) - 1:
        return rendered(operand[1:-1], names)
    if operand and operand[0].text == "*":
        return operand_texts(operand[1:], names)
    if len(operand) == 1 and (known := names.lookup(operand[0].text)) is not None:
        return known
    opening = next((at for at, token in enumerate(operand) if token.text in "({" and token.kind == "other"), None)
    if opening and closing(operand, opening) == len(operand) - 1:
        function = operand[opening - 1].text
        inside = operand[opening + 1:-1]
        is_member = opening > 1 and operand[opening - 2].text in (".", "->")
        if function in TRANSPARENT and not is_member and len(split_top(inside, ",")) == 1:
            return rendered(inside, names)
        if not is_member and inside:
            return [placeholder(split_top(inside, ",")[0])]
    return [placeholder(operand)]


def placeholder(operand: list[Token]) -> str:
    outside, depth = [], 0
    for token in operand:
        if token.text in OPENING and token.kind != "string":
            depth += 1
        elif token.text in CLOSING and token.kind != "string":
            depth -= 1
        elif depth == 0 and token.kind == "name":
            outside.append(token.text)
    if not outside and operand and all(token.kind == "string" for token in operand):
        return f"{OPEN}{''.join(token.text for token in operand)}{CLOSE}"
    if [token.text for token in operand[-3:]] == ["what", "(", ")"]:
        outside = ["reason"]
    telling = [name for name in outside if name not in SILENT] or outside or ["value"]
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", re.sub(r"^k(?=[A-Z])", "", telling[-1])).lower()
    name = RENAMED.get(name, name).replace("_", " ").strip()
    return f"{OPEN}{name}{CLOSE}"


def parameters(parts: list[Token]) -> list[str]:
    """The names of a function's parameters; defaults do not count."""
    named = []
    for one in split_top(parts, ","):
        before = split_top(one, "=")[0]
        words = [token.text for token in before if token.kind == "name"]
        named.append(words[-1] if len(words) > 1 else "")
    return named


def helpers(source: Source) -> dict[str, tuple[int, int, list[str]]]:
    """Functions and lambdas of this file that make an error: {name: (body's start and end, parameters)}."""
    found = {}
    all_tokens = source.tokens
    for at in range(len(all_tokens) - 3):
        name, opening = "", 0
        if all_tokens[at].text in ("Error", "RpcError", "Malformed", "Incoming") and all_tokens[at + 2].text == "(":
            name, opening = all_tokens[at + 1].text, at + 2
        elif all_tokens[at + 1].text == "=" and all_tokens[at + 2].text == "[":
            name, opening = all_tokens[at].text, closing(all_tokens, at + 2) + 1
        if not name or opening + 1 >= len(all_tokens) or all_tokens[opening].text != "(":
            continue
        end = closing(all_tokens, opening)
        body = next((after for after in range(end + 1, min(end + 4, len(all_tokens))) if all_tokens[after].text == "{"), 0)
        if body and any(is_made(all_tokens, inner) for inner in range(body, closing(all_tokens, body))):
            found[name] = (body, closing(all_tokens, body), parameters(all_tokens[opening + 1:end]))
    return found


def is_made(all_tokens: list[Token], at: int) -> bool:
    """True if token `at` opens the arguments of an error: fail(...), invalid(...), {RpcCode::kX, ...}."""
    if at == 0 or all_tokens[at].kind != "other" or at + 3 >= len(all_tokens):
        return False
    name, here = all_tokens[at - 1].text, all_tokens[at].text
    if here == "(" and name in ("fail", "invalid"):
        return all_tokens[at - 2].text not in ("Error", ".", "->")
    if here in "({" and all_tokens[at + 1].text == "RpcCode":
        return True
    return here == "{" and name == "Error" and all_tokens[at + 1].text == "ErrorCode"


def made(source: Source, opening: int, values: dict[str, list[str]]) -> Iterator[Found]:
    """The errors whose arguments begin at `opening`."""
    all_tokens = source.tokens
    end = closing(all_tokens, opening)
    arguments = split_top(all_tokens[opening + 1:end], ",")
    codes = CODE.findall("".join(token.text for token in arguments[0]))
    if all_tokens[opening - 1].text == "invalid":
        codes, texts = ["kInvalidArgument"], arguments
    elif all_tokens[opening - 1].text == "Error":
        texts = arguments[2:]
    elif codes and all_tokens[opening + 1].text == "RpcCode":
        texts = arguments[1:2]
    else:
        texts = arguments[1:]
    if not texts or not texts[0]:
        return
    names = Names(source, values, opening)
    hints = rendered(texts[1], names) if len(texts) > 1 and texts[1] else [""]
    if [token.text for token in all_tokens[end + 1:end + 4]] == [".", "with_hint", "("]:
        hints = rendered(all_tokens[end + 4:closing(all_tokens, end + 3)], names)
    for number, message in enumerate(rendered(texts[0], names)):
        for hint in hints if len(hints) == 1 else hints[number:number + 1] or hints[-1:]:
            for code in codes or [""]:
                yield Found(code, message, hint, source.line(all_tokens[opening]))


def errors(text: str, constants: dict[str, str] | None = None) -> list[Found]:
    """Every error that `text` makes. `constants` are named values of other files."""
    source = Source(text, constants or {})
    known = helpers(source)
    found: list[Found] = []
    plain = set(known)  # functions that are not called, or not with a text of the caller
    for at, token in enumerate(source.tokens):
        name = source.tokens[at - 1].text if at > 1 and token.text == "(" else ""
        if name in known and source.tokens[at - 2].text not in ("Error", "RpcError", "Malformed", "Incoming"):
            expanded = list(of_helper(source, known[name], at))
            found += expanded
            if expanded:
                plain.discard(name)
    for at in range(len(source.tokens)):
        inside = [name for name, (start, end, _) in known.items() if start < at < end]
        if is_made(source.tokens, at) and all(name in plain for name in inside):
            found += made(source, at, {})
    return found


def printed(text: str, program: str) -> list[Found]:
    """Messages that are printed on standard error: cerr << "program: ..." << value << ...;"""
    source = Source(text)
    found = []
    for at, token in enumerate(source.tokens):
        if token.text != "cerr" or source.tokens[at + 2].text[:len(program) + 2] != program + ": ":
            continue
        end = next(after for after in range(at, len(source.tokens)) if source.tokens[after].text == ";")
        parts = split_top(source.tokens[at + 2:end], "<<")
        message = "".join(operand_texts(part, Names(source, {}, at))[0] for part in parts)
        found.append(Found("", message[len(program) + 2:], "", source.line(token)))
    return found


def of_helper(source: Source, helper: tuple[int, int, list[str]], opening: int) -> Iterator[Found]:
    """The errors of a call of one of the file's own functions, if an argument adds text of its own."""
    start, end, named = helper
    arguments = split_top(source.tokens[opening + 1:closing(source.tokens, opening)], ",")
    names = Names(source, {}, opening)
    values = {name: rendered(argument, names) for name, argument in zip(named, arguments) if name and argument}
    if any(has_text(text) for texts in values.values() for text in texts):
        for inner in range(start, end):
            if is_made(source.tokens, inner):
                yield from made(source, inner, values)


def has_text(text: str) -> bool:
    """True if `text` is more than placeholders."""
    return re.search(r"\w", re.sub(f"{OPEN}[^{CLOSE}]*{CLOSE}", "", text)) is not None


def readable(text: str) -> str:
    return re.sub(r"\s+", " ", text.replace(OPEN, "<").replace(CLOSE, ">")).strip()
