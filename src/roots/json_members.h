// JsonMembers: reads JSON objects of other tools. Null counts as absent, and unknown members are
// ignored. A wrong type is kCorrupt, and the message names the member. `null` objects have no
// members. Example (src/roots/docker_manifest.cc):
//
//   JsonMembers image(one, what);
//   DockerImage made{image.text("Config"), image.texts("Layers"), image.texts("RepoTags")};
//   SF_TRY(image.done());
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/json.h"

namespace sf::roots {

Result<wire::Json> parse_json(std::string_view text, const std::string& what);

class JsonMembers {
 public:
  // Requires: `object` outlives this. `what` is used in messages.
  JsonMembers(const wire::Json& object, std::string what);

  std::string text(const std::string& key);
  std::uint64_t number(const std::string& key);
  std::vector<std::string> texts(const std::string& key);
  // The result belongs to the object; empty if the member is absent.
  const wire::Json& object(const std::string& key);
  const wire::Json& list(const std::string& key);

  // The first error.
  Status done() const;

 private:
  const wire::Json* member(const std::string& key) const;
  void complain(const std::string& key, const std::string& wanted);

  const wire::Json& object_;
  std::string what_;
  std::optional<Error> error_;
};

}  // namespace sf::roots
