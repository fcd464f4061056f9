#include "roots/docker_manifest.h"

#include <gtest/gtest.h>

#include "testing/matchers.h"

namespace sf::roots {
namespace {

constexpr const char* kTwo = R"([
  {"Config": "a.json", "RepoTags": ["debian:12", "debian:bookworm"], "Layers": ["1.tar", "2.tar"]},
  {"Config": "b.json", "RepoTags": null, "Layers": null}])";

TEST(DockerManifestTest, ImagesAreParsed) {
  ASSERT_OK_AND_ASSIGN(std::vector<DockerImage> images, parse_docker_manifest(kTwo));
  ASSERT_EQ(images.size(), 2U);
  EXPECT_EQ(images[0].config, "a.json");
  EXPECT_EQ(images[0].layers, (std::vector<std::string>{"1.tar", "2.tar"}));
  EXPECT_EQ(images[0].tags.size(), 2U);
  EXPECT_TRUE(images[1].layers.empty());
}

TEST(DockerManifestTest, ImageIsChosenByName) {
  ASSERT_OK_AND_ASSIGN(std::vector<DockerImage> images, parse_docker_manifest(kTwo));
  ASSERT_OK_AND_ASSIGN(DockerImage named, choose_docker_image(images, "docker.io/debian:bookworm"));
  EXPECT_EQ(named.config, "a.json");
  auto unclear = choose_docker_image(images, "");
  ASSERT_FALSE(unclear.ok());
  EXPECT_NE(unclear.error().hint.find("debian:12"), std::string::npos) << unclear.error().hint;
  auto missing = choose_docker_image(images, "alpine");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  images.pop_back();
  ASSERT_OK_AND_ASSIGN(DockerImage only, choose_docker_image(images, ""));
  EXPECT_EQ(only.config, "a.json");
}

TEST(DockerManifestTest, MalformedManifestsAreRefused) {
  for (const char* text :
       {"", "{}", "[]", "[1]", R"([{"Layers": []}])", R"([{"Config": 1}])",
        R"([{"Config": "a", "Layers": "b"}])", R"([{"Config": "a", "RepoTags": [null]}])"})
    EXPECT_FALSE(parse_docker_manifest(text).ok()) << text;
}

}  // namespace
}  // namespace sf::roots
