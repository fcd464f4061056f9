#include "roots/oci_image.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "roots/sha256.h"
#include "testing/matchers.h"
#include "wire/json.h"

namespace sf::roots {
namespace {

using wire::Json;

constexpr const char* kManifest = "application/vnd.oci.image.manifest.v1+json";
constexpr const char* kIndex = "application/vnd.oci.image.index.v1+json";
const ImageChoice kHere{{"linux", "amd64"}, ""};

Json entry(const std::string& content, const std::string& platform, const std::string& name = "") {
  Json json{{"mediaType", kManifest}, {"digest", sha256_of(content)}, {"size", 7}};
  if (!platform.empty())
    json["platform"] = {{"os", platform == "unknown" ? "unknown" : "linux"},
                        {"architecture", platform}};
  if (!name.empty()) json["annotations"] = {{"org.opencontainers.image.ref.name", name}};
  return json;
}

std::string index_of(const std::vector<Json>& entries) {
  return Json{{"schemaVersion", 2}, {"manifests", entries}}.dump();
}

// The chosen digest, or the error.
std::string chosen(const std::vector<Json>& entries, const ImageChoice& choice = kHere) {
  auto found = parse_index(index_of(entries));
  if (!found) return found.error().describe();
  auto one = choose_descriptor(*found, choice);
  return one ? one->digest : one.error().describe();
}

TEST(OciImageTest, ImageForThisMachineIsChosen) {
  EXPECT_EQ(chosen({entry("arm", "arm64"), entry("amd", "amd64"), entry("no", "unknown")}),
            sha256_of("amd"));
  EXPECT_EQ(chosen({entry("only", "")}), sha256_of("only"));
  EXPECT_EQ(chosen({entry("arm", "arm64"), entry("amd", "amd64")}, {{"linux", "arm64"}, ""}),
            sha256_of("arm"));
}

TEST(OciImageTest, ErrorListsTheAvailablePlatforms) {
  const std::string said = chosen({entry("arm", "arm64", "debian:12")});
  EXPECT_NE(said.find("linux/amd64"), std::string::npos) << said;
  EXPECT_NE(said.find("debian:12 (linux/arm64)"), std::string::npos) << said;
  EXPECT_NE(chosen({}).find("none"), std::string::npos);
}

TEST(OciImageTest, ImageIsChosenByName) {
  const std::vector<Json> two{entry("a", "amd64", "a:1"), entry("b", "amd64", "b:1")};
  EXPECT_NE(chosen(two).find("a:1 (linux/amd64), b:1"), std::string::npos) << chosen(two);
  EXPECT_EQ(chosen(two, {kHere.platform, "b:1"}), sha256_of("b"));
  EXPECT_NE(chosen(two, {kHere.platform, "c:1"}).find("no image c:1"), std::string::npos);
  EXPECT_EQ(chosen({entry("a", "amd64", "a:1"), entry("a", "amd64", "a:latest")}), sha256_of("a"));
}

TEST(OciImageTest, AttestationsAreNotImages) {
  Json attestation = entry("sbom", "");
  attestation["annotations"] = {{"vnd.docker.reference.type", "attestation-manifest"}};
  EXPECT_EQ(chosen({attestation, entry("image", "")}), sha256_of("image"));
}

TEST(OciImageTest, NestedIndexIsDetected) {
  Json inner = entry("index", "");
  inner["mediaType"] = kIndex;
  ASSERT_OK_AND_ASSIGN(std::vector<Descriptor> found, parse_index(index_of({inner})));
  EXPECT_TRUE(found.at(0).is_index());
}

TEST(OciImageTest, ManifestHasAConfigurationAndLayers) {
  const Json text{{"config", entry("config", "")}, {"layers", {entry("1", ""), entry("2", "")}}};
  ASSERT_OK_AND_ASSIGN(ImageManifest manifest, parse_image_manifest(text.dump()));
  EXPECT_EQ(manifest.config.digest, sha256_of("config"));
  ASSERT_EQ(manifest.layers.size(), 2U);
  EXPECT_EQ(manifest.layers[1].digest, sha256_of("2"));
  EXPECT_EQ(manifest.layers[1].size, 7U);
}

TEST(OciImageTest, MalformedIndexesAndManifestsAreRefused) {
  Json encrypted = entry("1", "");
  encrypted["mediaType"] = "application/vnd.oci.image.layer.v1.tar+gzip+encrypted";
  const std::string manifests[] = {
      "",
      "[]",
      "{}",
      R"({"config": 5})",
      R"({"config": {"digest": "sha256:.."}})",
      Json{{"config", entry("c", "")}, {"layers", 3}}.dump(),
      Json{{"config", entry("c", "")}, {"layers", {Json::object()}}}.dump(),
      Json{{"config", entry("c", "")}, {"layers", {encrypted}}}.dump(),
  };
  for (const std::string& text : manifests) EXPECT_FALSE(parse_image_manifest(text).ok()) << text;
  Json negative = entry("a", "");
  negative["size"] = -1;
  Json odd_platform = entry("a", "");
  odd_platform["platform"] = {{"os", 1}};
  for (const std::string& text :
       {std::string("{"), std::string("7"), std::string(R"({"manifests": {}})"),
        index_of({negative}), index_of({odd_platform}), index_of({Json("x")})})
    EXPECT_FALSE(parse_index(text).ok()) << text;
}

}  // namespace
}  // namespace sf::roots
