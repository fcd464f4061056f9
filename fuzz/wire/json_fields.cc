// JsonFields: an object is read completely, or the error names its first invalid field.
#include "wire/json_fields.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "input.h"

namespace sf::fuzz {
namespace {

using wire::Json;

struct Fields {
  std::string text;
  bool flag = false;
  std::uint64_t count = 0;
  double ratio = 0;
  std::map<std::string, std::string> env;
  std::map<std::string, std::optional<std::string>> notes;
  std::vector<std::string> names;
};

// Without null members, which are treated as absent.
Json written(const Fields& fields, const wire::JsonFields& reader) {
  Json json = Json::object();
  if (reader.has("text")) json["text"] = fields.text;
  if (reader.has("flag")) json["flag"] = fields.flag;
  if (reader.has("count")) json["count"] = fields.count;
  if (reader.has("ratio")) json["ratio"] = fields.ratio;
  if (reader.has("env")) json["env"] = fields.env;
  if (reader.has("names")) json["names"] = fields.names;
  if (!reader.has("notes")) return json;
  json["notes"] = Json::object();
  for (const auto& [name, value] : fields.notes)
    json["notes"][name] = value ? Json(*value) : Json();
  return json;
}

}  // namespace

void json_fields(std::string_view input) {
  Json body = Json::parse(input, nullptr, false);
  Fields fields;
  wire::JsonFields reader(body);
  reader.read("text", fields.text);
  reader.read("flag", fields.flag);
  reader.read("count", fields.count);
  reader.read("ratio", fields.ratio);
  reader.read("env", fields.env);
  reader.read("notes", fields.notes);
  reader.read("names", fields.names);
  reader.require("text");
  Status done = reader.done();
  if (!done) return check_clear(done.error(), ErrorCode::kInvalidArgument);
  SF_CHECK(std::isfinite(fields.ratio));
  for (auto it = body.begin(); it != body.end();)
    it = it->is_null() ? body.erase(it) : std::next(it);
  SF_CHECK(written(fields, reader) == body);
}

}  // namespace sf::fuzz
