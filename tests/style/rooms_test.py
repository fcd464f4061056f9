"""Each check of rooms.py finds its violation and accepts correct files."""

import unittest

import rooms


def found(check, files):
    return [complaint.split(": ")[0] for complaint in check(files)]


class RoomsTest(unittest.TestCase):
    def test_a_crowded_folder_is_found(self):
        files = {f"src/os/f{i}.cc": "" for i in range(61)}
        self.assertEqual(found(rooms.folders_are_small, files), ["src/os:1"])
        del files["src/os/f0.cc"]
        self.assertEqual(found(rooms.folders_are_small, files), [])

    def test_a_name_that_two_folders_have_is_found(self):
        files = {"src/a/server.cc": "", "src/a/server.h": "", "src/a/server_test.cc": "", "src/b/server.cc": "", "tests/server.cc": ""}
        self.assertEqual(found(rooms.base_names_are_unique, files), ["src/b/server.cc:1"])

    def test_the_map_names_only_what_exists(self):
        files = {"src/os/fd.h": "", "docs/a.md": "", rooms.MAP: "`os/fd.h` [a](docs/a.md) `src/os`\n```\nos/gone.cc → src/none\n```\n"}
        self.assertEqual(found(rooms.map_names_what_exists, files), ["ARCHITECTURE.md:3", "ARCHITECTURE.md:3"])

    def test_a_word_of_the_glossary_has_a_type_or_a_folder(self):
        table = "## Glossary\n\n| word | meaning | in the code |\n|---|---|---|\n| keeper | x | `Keeper` |\n| init | x | `src/os` |\n"
        files = {"src/os/fd.h": "class Keeper {};\n", rooms.MAP: table}
        self.assertEqual(found(rooms.glossary_names_what_exists, files), [])
        files[rooms.MAP] = table + "| soul | x | `Soul` |\n| none | x | |\n"
        self.assertEqual(found(rooms.glossary_names_what_exists, files), ["ARCHITECTURE.md:7", "ARCHITECTURE.md:8"])

    def test_a_map_without_a_glossary_is_found(self):
        self.assertEqual(found(rooms.glossary_names_what_exists, {rooms.MAP: "# Architecture\n"}), ["ARCHITECTURE.md:1"])

    def test_an_answer_is_a_file_that_contains_the_word(self):
        table = "# Finding your way\n\n| question | file | look for |\n|---|---|---|\n| Who? | [fd.h](../src/os/fd.h) | `close` |\n"
        files = {"src/os/fd.h": "void close();", rooms.QUESTIONS: table}
        self.assertEqual(found(rooms.answers_exist, files), [])
        files["src/os/fd.h"] = ""
        self.assertEqual(found(rooms.answers_exist, files), ["docs/finding-your-way.md:5"])
        del files["src/os/fd.h"]
        self.assertEqual(found(rooms.answers_exist, files), ["docs/finding-your-way.md:5"])

    def test_a_retired_name_is_found_and_history_may_name_it(self):
        word = "Fore" "sight"
        files = {"src/a.cc": f"// x\n{word} f;\n", "CHANGELOG.md": word}
        self.assertEqual(found(rooms.retired_names_are_gone, files), ["src/a.cc:2"])


if __name__ == "__main__":
    unittest.main()
