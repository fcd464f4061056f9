"""Tests of the catalogue of errors."""

import unittest

import cpp_errors
import error_catalogue
import python_errors


def found(text: str, constants: dict[str, str] | None = None) -> list[tuple[str, str, str]]:
    return [(each.code, cpp_errors.readable(each.message), cpp_errors.readable(each.hint))
            for each in cpp_errors.errors(text, constants)]


class CppErrorsTest(unittest.TestCase):
    def test_values_become_placeholders(self) -> None:
        self.assertEqual(found('return fail(ErrorCode::kNotFound, "no node " + id.value(), "`tree` lists them");'),
                         [("kNotFound", "no node <id>", "`tree` lists them")])
        self.assertEqual(found('return invalid("at most " + std::to_string(kMost) + " bytes, not " + mib(size_));', {"kMost": "64"}),
                         [("kInvalidArgument", "at most 64 bytes, not <size>", "")])
        self.assertEqual(found('return fail(ErrorCode::kOs, std::string("bad: ") + e.what());'), [("kOs", "bad: <reason>", "")])

    def test_adjacent_literals_and_escapes_are_joined(self) -> None:
        self.assertEqual(found('invalid("one \\"two\\" "\n        "three", R"(a"b)")'),
                         [("kInvalidArgument", 'one "two" three', 'a"b')])

    def test_a_condition_gives_one_row_per_case(self) -> None:
        self.assertEqual(found('fail(ErrorCode::kBusy, many ? "many" : "one: " + name, many ? "end some" : "end it")'),
                         [("kBusy", "many", "end some"), ("kBusy", "one: <name>", "end it")])

    def test_local_texts_and_constants_are_inserted(self) -> None:
        self.assertEqual(found('constexpr const char* kHint = "try "\n    "again";\n'
                               'Status f() {\n  const std::string what = "the file " + path;\n'
                               '  return fail(ErrorCode::kBusy, what + " is open", kHint);\n}\n'),
                         [("kBusy", "the file <path> is open", "try again")])
        self.assertEqual(found('void f() {\n  std::string what = "x";\n}\nStatus g() {\n  return invalid("y " + what);\n}\n'),
                         [("kInvalidArgument", "y <what>", "")])

    def test_functions_that_make_errors_are_expanded(self) -> None:
        text = ('Error damaged(const std::string& path, const std::string& how) {\n'
                '  return fail(ErrorCode::kCorrupt, path + " " + how, "restore it");\n}\n'
                'Status a() { return damaged(file, "is empty"); }\n'
                'Status b() { return damaged(file, "is damaged: " + why); }\n')
        self.assertEqual(found(text), [("kCorrupt", "<file> is empty", "restore it"),
                                       ("kCorrupt", "<file> is damaged: <why>", "restore it")])

    def test_hints_of_with_hint_and_codes_of_json_rpc_are_found(self) -> None:
        self.assertEqual(found('fail(ErrorCode::kOs, "m").with_hint("h")'), [("kOs", "m", "h")])
        self.assertEqual(found('return RpcError{RpcCode::kParseError, "this is not JSON", nullptr};'),
                         [("kParseError", "this is not JSON", "")])

    def test_comments_and_declarations_are_not_errors(self) -> None:
        self.assertEqual(found('// fail(ErrorCode::kOs, "m")\nError fail(ErrorCode code, std::string message);\n'), [])

    def test_printed_messages_are_found(self) -> None:
        text = 'std::cerr << "statefork: no " << *shell << "\\n";\nstd::cerr << "other: x";\n'
        self.assertEqual([each.message for each in cpp_errors.printed(text, "statefork")], ["no \x01shell\x02\n"])


class PythonErrorsTest(unittest.TestCase):
    CLASSES = ('class StateForkError(Exception):\n    """Base."""\n    code = "os"\n'
               'class LostError(StateForkError):\n    """It is\n    lost.\n\n    More.\n    """\n    code = "lost"\n'
               'class GoneError(LostError):\n    """Gone."""\n')

    def test_classes_inherit_their_code(self) -> None:
        classes = python_errors.error_classes(self.CLASSES)
        self.assertEqual([(each.name, each.code, each.meaning) for each in classes],
                         [("StateForkError", "os", "Base."), ("LostError", "lost", "It is lost."), ("GoneError", "lost", "Gone.")])

    def test_messages_have_placeholders(self) -> None:
        classes = {each.name: each for each in python_errors.error_classes(self.CLASSES)}
        text = 'raise LostError(f"no {self._name} in {names[0]}: {error}", hint="there are: " + ", ".join(names))\n'
        self.assertEqual(list(python_errors.errors(text, classes)),
                         [("LostError", "lost", "no <name> in <names>: <reason>", "there are: <names>")])


class PageTest(unittest.TestCase):
    def test_tables_escape_bars_and_angle_brackets(self) -> None:
        self.assertEqual(error_catalogue.code_span("a | `b` <c>"), "`` a \\| `b` <c> ``")
        self.assertEqual(error_catalogue.prose("use `x <y>` or <z>|\x03"), "use `x <y>` or &lt;z>\\|\\x03")
        self.assertEqual(error_catalogue.prose(""), "-")

    def test_every_user_visible_area_is_named(self) -> None:
        self.assertEqual(error_catalogue.area_of("src/roots/unpack.cc"), "Roots and images")
        self.assertEqual(error_catalogue.area_of("src/cli/commands/exec_command.cc"), "Commands, keys and screens")
        self.assertEqual(error_catalogue.area_of("src/new_layer/x.cc"), "")
        self.assertTrue(error_catalogue.is_internal("src/engine/native/facts.cc", "os"))
        self.assertFalse(error_catalogue.is_internal("src/engine/native/facts.cc", "session_lost"))


if __name__ == "__main__":
    unittest.main()
