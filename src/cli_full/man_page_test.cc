#include "cli_full/man_page.h"

#include <gtest/gtest.h>

namespace sf::cli {
namespace {

TEST(ManPageTest, CommandsAreGroupedAndCommonOptionsAppearOnce) {
  CLI::App app{"It does things.", "statefork"};
  app.set_version_flag("--version", "statefork 9.9");
  app.footer("S is a session.");
  std::string text;
  bool flag = false;
  for (const char* name : {"exec", "tree"}) {
    CLI::App* command = app.add_subcommand(name, "Do it")->group(name);
    command->add_option("S", text, "Which")->required();
    command->add_flag("--json", flag, "For programs");
    command->footer("Example: a -b 'c' \\d");
  }
  app.get_subcommand("exec")->add_option("-t,--timeout", text, "How long")->type_name("SECONDS");
  app.add_subcommand("secret", "Hidden")->group("");
  const std::string roff = man_page(app);
  auto count = [&](const std::string& part) {
    int found = 0;
    for (std::size_t at = 0; (at = roff.find(part, at)) != std::string::npos; ++at) ++found;
    return found;
  };
  EXPECT_TRUE(roff.starts_with(".TH STATEFORK 1 \"\" \"statefork 9.9\"")) << roff;
  EXPECT_EQ(count(".SH \"EXEC\"\n.SS \"statefork exec [OPTIONS] S\"\nDo it.\n"), 1) << roff;
  EXPECT_EQ(count(".B \"\\-t,\\-\\-timeout SECONDS\"\nHow long\n"), 1) << roff;
  EXPECT_EQ(count(".B \"\\-\\-json\""), 1) << roff;
  EXPECT_EQ(count("Example: a \\-b \\(aqc\\(aq \\ed\n"), 2) << roff;
  EXPECT_EQ(count("secret"), 0) << roff;
}

}  // namespace
}  // namespace sf::cli
