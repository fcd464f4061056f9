// .dockerignore: which files of a context no COPY sees. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sf::explore {

class IgnoreRules {
 public:
  // No rules: nothing is ignored.
  IgnoreRules() = default;
  // One pattern a line: *, ?, [a-z] within a name, ** for any number of directories; what lies
  // below a match is ignored, too; ! takes it back. The last pattern that matches decides.
  explicit IgnoreRules(std::string_view text);

  // `path`: below the context, without a slash in front.
  bool ignores(std::string_view path) const;

 private:
  struct Rule {
    std::vector<std::string> parts;
    bool takes_back = false;
  };
  std::vector<Rule> rules_;
};

}  // namespace sf::explore
