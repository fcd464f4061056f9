// JsonFields: reads the members of a JSON object strictly: wrong types, values out of range and
// members that nobody asked for are errors that name the member. `null` means absent.
//
//   JsonFields fields(body);
//   fields.read("name", request.name);
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
  // Requires: `object` lives longer.
  explicit JsonFields(const Json& object);

  // What is absent leaves `into` as it is.
  void read(const std::string& key, std::string& into);
  void read(const std::string& key, bool& into);
  void read(const std::string& key, std::uint64_t& into);
  void read(const std::string& key, double& into);
  void read(const std::string& key, std::map<std::string, std::string>& into);
  // A member that is null becomes nothing.
  void read(const std::string& key, std::map<std::string, std::optional<std::string>>& into);
  void read(const std::string& key, std::vector<std::string>& into);
  void require(const std::string& key);
  bool has(const std::string& key) const;

  // The first thing that was wrong, with all read() calls behind us.
  Status done();

 private:
  const Json* member(const std::string& key);
  void complain(const std::string& key, const std::string& what);

  const Json& object_;
  std::set<std::string> known_;
  std::optional<Error> error_;
};

}  // namespace sf::wire
