// The OpenAPI file describes exactly the daemon's routes, and replies match their schemas.
#include "service/openapi.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>

#include "daemon_world.h"
#include "service/routes.h"

namespace sf::test {
namespace {

using wire::Json;

std::set<std::string> documented(const Json& openapi) {
  std::set<std::string> found;
  for (const auto& [path, methods] : openapi["paths"].items()) {
    for (const auto& [method, operation] : methods.items()) {
      std::string upper = method;
      std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return std::toupper(c); });
      found.insert(upper + " " + path);
    }
  }
  return found;
}

TEST(OpenApiTest, RoutesAndDocumentationMatch) {
  TempDir dir("sf-openapi");
  service::DaemonLog log(os::UniqueFd{});
  ASSERT_OK_AND_ASSIGN(auto directory,
                       service::SessionDirectory::open({.state_dir = dir / "state"}, log));
  service::Metrics metrics;
  service::ExecutionTable executions;
  service::Router router;
  service::add_all_routes(router, {*directory, executions, metrics, "1"});
  std::vector<std::string> routes = router.routes();
  EXPECT_EQ(documented(Json::parse(service::openapi_text())),
            std::set<std::string>(routes.begin(), routes.end()));
}

// Supports the part of JSON Schema that the file uses.
class SchemaCheck {
 public:
  explicit SchemaCheck(const Json& openapi) : schemas_(openapi["components"]["schemas"]) {}

  void check(const Json& value, const Json& schema, const std::string& where) const {
    if (schema.contains("$ref")) {
      std::string name = schema["$ref"];
      return check(value, schemas_[name.substr(name.rfind('/') + 1)], where);
    }
    if (schema.contains("oneOf")) {
      if (value.is_null()) return;
      return check(value, schema["oneOf"][0], where);
    }
    for (const Json& part : schema.value("allOf", Json::array())) check(value, part, where);
    if (schema.contains("type")) {
      EXPECT_TRUE(has_type(value, schema["type"])) << where << value;
    }
    if (schema.contains("enum")) {
      EXPECT_NE(std::ranges::find(schema["enum"], value), schema["enum"].end()) << where << value;
    }
    for (const Json& key : schema.value("required", Json::array()))
      EXPECT_TRUE(value.contains(key)) << where << " lacks " << key;
    const Json properties = schema.value("properties", Json::object());
    for (const auto& [key, inner] : properties.items()) {
      if (value.is_object() && value.contains(key)) check(value[key], inner, where + "." + key);
    }
    if (!schema.contains("items")) return;
    for (const Json& item : value) check(item, schema["items"], where + "[]");
  }

  // Fails if `value` has a key that the schema does not name.
  void check_keys(const Json& value, const Json& schema, const std::string& where) const {
    std::set<std::string> known;
    collect(schema, known);
    for (const auto& [key, inner] : value.items())
      EXPECT_TRUE(known.contains(key)) << where << " has " << key;
  }

 private:
  static bool has_type(const Json& value, const Json& type) {
    if (type.is_array())
      return std::ranges::any_of(type, [&](const Json& one) { return has_type(value, one); });
    if (type == "null") return value.is_null();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    if (type == "array") return value.is_array();
    return type == "object" && value.is_object();
  }
  void collect(const Json& schema, std::set<std::string>& known) const {
    if (schema.contains("$ref")) {
      std::string name = schema["$ref"];
      return collect(schemas_[name.substr(name.rfind('/') + 1)], known);
    }
    for (const Json& part : schema.value("allOf", Json::array())) collect(part, known);
    const Json properties = schema.value("properties", Json::object());
    for (const auto& [key, inner] : properties.items()) known.insert(key);
  }

  const Json& schemas_;
};

TEST(OpenApiTest, RepliesMatchTheirSchemas) {
  DaemonWorld world;
  world.output({"new", "--name", "s"});
  client::ApiClient client = world.client();
  ASSERT_OK_AND_ASSIGN(Json openapi, client.get("/openapi.json"));
  SchemaCheck schema(openapi);
  auto check = [&](const std::string& method, const std::string& path, const std::string& status,
                   const Result<Json>& answer) {
    ASSERT_OK(answer);
    const Json& content = openapi["paths"][path][method]["responses"][status]["content"];
    ASSERT_TRUE(content.contains("application/json")) << path;
    schema.check(*answer, content["application/json"]["schema"], path);
    schema.check_keys(*answer, content["application/json"]["schema"], path);
  };
  const std::string one = "/v1/sessions/{s}";
  const std::string branch = one + "/branches/{b}";
  const std::string main = "/v1/sessions/s/branches/main";
  check("post", "/v1/sessions", "201", client.post("/v1/sessions", {{"name", "t"}}));
  check("get", "/v1/sessions", "200", client.get("/v1/sessions"));
  check("post", branch + "/exec", "200", client.post(main + "/exec", {{"command", "echo $$"}}));
  check("post", branch + "/snapshot", "201",
        client.post(main + "/snapshot", {{"materialization", "virtual"}}));
  check("post", branch + "/restore", "200",
        client.post(main + "/restore", {{"node", "HEAD"}, {"on_divergence", "accept"}}));
  check("post", branch + "/fork", "201", client.post(main + "/fork", Json::object()));
  check("post", branch + "/executions", "201",
        client.post(main + "/executions", {{"command", "true"}}));
  check("get", branch + "/executions", "200", client.get(main + "/executions"));
  check("get", branch + "/screen", "200", client.get(main + "/screen"));
  check("post", branch + "/keys", "200", client.post(main + "/keys", {{"keys", "\r"}}));
  check("post", branch + "/keys", "200",
        client.post(main + "/keys", {{"input", {{{"text", "ls"}}, {{"key", "C-u"}}}}}));
  check("put", branch + "/files", "200", client.put_bytes(main + "/files?path=/f", "x"));
  check("get", one + "/tree", "200", client.get("/v1/sessions/s/tree"));
  check("get", one + "/stats", "200", client.get("/v1/sessions/s/stats"));
  check("get", one + "/diff", "200", client.get("/v1/sessions/s/diff"));
  check("get", one + "/nodes/{n}", "200", client.get("/v1/sessions/s/nodes/HEAD"));
  check("post", one + "/cleanup", "200",
        client.post("/v1/sessions/s/cleanup", {{"node", "n1"}, {"force", true}}));
  check("delete", one, "200", client.remove("/v1/sessions/t"));
  check("get", "/v1/backends", "200", client.get("/v1/backends"));
  check("post", "/v1/gc", "200", client.post("/v1/gc", Json::object()));
  check("get", "/healthz", "200", client.get("/healthz"));
}

}  // namespace
}  // namespace sf::test
