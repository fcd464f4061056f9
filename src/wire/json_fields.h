// JsonFields: reads the members of a JSON object strictly. Wrong types, values out of range and
// unknown members are errors that name the member. `null` means absent.
// Example (src/wire/json_fields_test.cc):
//
//   JsonFields fields(json);
//   Sample sample;
//   fields.read("name", sample.name);
//   ...
//   SF_TRY(fields.done());
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "wire/json.h"

namespace sf::wire {

class JsonFields {
 public:
  // Requires: `object` outlives this.
  explicit JsonFields(const Json& object);

  // If the member is absent, `into` does not change.
  void read(const std::string& key, std::string& into);
  void read(const std::string& key, bool& into);
  void read(const std::string& key, std::uint64_t& into);
  void read(const std::string& key, double& into);
  void read(const std::string& key, std::map<std::string, std::string>& into);
  // A null value becomes std::nullopt.
  void read(const std::string& key, std::map<std::string, std::optional<std::string>>& into);
  void read(const std::string& key, std::vector<std::string>& into);
  void require(const std::string& key);
  bool has(const std::string& key) const;

  // Returns the first error. Call it after all read() calls.
  Status done();

 private:
  const Json* member(const std::string& key);
  void complain(const std::string& key, const std::string& what);

  const Json& object_;
  std::set<std::string> known_;
  std::optional<Error> error_;
};

}  // namespace sf::wire
