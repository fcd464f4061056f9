// .dockerignore: the files of a context that COPY does not see. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sf::explore {

class IgnoreRules {
 public:
  // Without rules, nothing is ignored.
  IgnoreRules() = default;
  // One pattern per line. *, ? and [a-z] match within a name, ** matches any number of directories.
  // Everything below a match is ignored as well. A pattern with ! re-includes its matches. The last
  // pattern that matches decides.
  explicit IgnoreRules(std::string_view text);

  // `path`: relative to the context.
  bool ignores(std::string_view path) const;

 private:
  struct Rule {
    std::vector<std::string> parts;
    bool takes_back = false;
  };
  std::vector<Rule> rules_;
};

}  // namespace sf::explore
