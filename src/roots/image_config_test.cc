#include "roots/image_config.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "roots/sha256.h"
#include "testing/matchers.h"

namespace sf::roots {
namespace {

using wire::Json;

std::string some_image(const Json& config) {
  return Json{{"architecture", "amd64"},
              {"os", "linux"},
              {"config", config},
              {"rootfs", {{"type", "layers"}, {"diff_ids", {sha256_of("a"), sha256_of("b")}}}},
              {"history", Json::array({1, 2})}}
      .dump();
}

TEST(ImageConfigTest, AllSettingsOfADockerfileAreParsed) {
  ASSERT_OK_AND_ASSIGN(ImageDescription image,
                       parse_image_description(some_image({{"Env", {"PATH=/bin", "A=b=c"}},
                                                           {"WorkingDir", "/srv"},
                                                           {"User", "app:app"},
                                                           {"Entrypoint", {"/bin/sh", "-c"}},
                                                           {"Cmd", {"true"}},
                                                           {"Volumes", {{"/data", {}}}}})));
  EXPECT_EQ(image.platform, (Platform{"linux", "amd64"}));
  EXPECT_EQ(image.diff_ids, (std::vector{sha256_of("a"), sha256_of("b")}));
  EXPECT_EQ(image.config.env, (std::vector<std::string>{"PATH=/bin", "A=b=c"}));
  EXPECT_EQ(image.config.working_dir, "/srv");
  EXPECT_EQ(image.config.user, "app:app");
  EXPECT_EQ(image.config.entrypoint, (std::vector<std::string>{"/bin/sh", "-c"}));
  EXPECT_EQ(image.config.cmd, (std::vector<std::string>{"true"}));
}

TEST(ImageConfigTest, MissingSettingsAreEmpty) {
  for (const Json& config : {Json::object(), Json(), Json{{"Env", nullptr}, {"Cmd", nullptr}}}) {
    ASSERT_OK_AND_ASSIGN(ImageDescription image, parse_image_description(some_image(config)));
    EXPECT_EQ(image.config, ImageConfig{}) << config;
  }
}

TEST(ImageConfigTest, MalformedSettingsAreRefusedByName) {
  struct Case {
    std::string text;
    std::string named;
  };
  const Case cases[] = {
      {"", "JSON"},
      {"{", "JSON"},
      {"\xff", "JSON"},
      {"[]", "object"},
      {some_image({{"Env", "A=b"}}), "Env"},
      {some_image({{"Env", {1}}}), "Env"},
      {some_image({{"User", 5}}), "User"},
      {some_image(Json(7)), "config"},
      {"{}", "layers"},
      {R"({"rootfs": {"diff_ids": {}}})", "diff_ids"},
      {R"({"rootfs": {"diff_ids": ["../../x"]}})", "../../x"},
  };
  for (const Case& one : cases) {
    auto refused = parse_image_description(one.text);
    ASSERT_FALSE(refused.ok()) << one.text;
    EXPECT_NE(refused.error().message.find(one.named), std::string::npos)
        << one.text << " -> " << refused.error().message;
  }
}

TEST(ImageConfigTest, RecordRoundTripKeepsEverything) {
  const ImageConfig config{{"A=b"}, "/w", "u", {"e"}, {"c", "d"}};
  ASSERT_OK_AND_ASSIGN(ImageConfig back, image_config_from_json(to_json(config)));
  EXPECT_EQ(back, config);
}

}  // namespace
}  // namespace sf::roots
