#include "image_maker.h"

#include <nlohmann/json.hpp>

#include "os/file.h"
#include "roots/sha256.h"
#include "testing/matchers.h"

namespace sf::test {
namespace {

using nlohmann::json;
using roots::sha256_of;

std::string digits(const std::string& digest) { return digest.substr(digest.find(':') + 1); }

std::string blob(const std::string& content) {
  return "blobs/sha256/" + digits(sha256_of(content));
}

json descriptor(const std::string& type, const std::string& content) {
  return {{"mediaType", type}, {"digest", sha256_of(content)}, {"size", content.size()}};
}

std::string media_type(Packing packing) {
  const std::string base = "application/vnd.oci.image.layer.v1.tar";
  if (packing == Packing::kGzip) return base + "+gzip";
  return packing == Packing::kZstd ? base + "+zstd" : base;
}

}  // namespace

std::string ImageMaker::config() const {
  json diff_ids = json::array();
  for (const std::string& layer : layers) diff_ids.push_back(sha256_of(layer));
  return json{{"architecture", architecture},
              {"os", "linux"},
              {"config",
               {{"Env", {"PATH=/usr/bin:/bin", "GREETING=hello"}},
                {"WorkingDir", "/srv"},
                {"User", "0:0"},
                {"Entrypoint", {"/bin/sh", "-c"}},
                {"Cmd", {"true"}}}},
              {"rootfs", {{"type", "layers"}, {"diff_ids", diff_ids}}}}
      .dump();
}

std::string ImageMaker::digest() const { return sha256_of(config()); }

ImageMaker::Files ImageMaker::old_docker_files() const {
  Files files;
  json names = json::array();
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const std::string id = digits(sha256_of("layer " + std::to_string(i)));
    files[id + "/VERSION"] = "1.0";
    files[id + "/json"] = "{}";
    files[id + "/layer.tar"] = packed(layers[i], packing);
    names.push_back(id + "/layer.tar");
  }
  files[digits(digest()) + ".json"] = config();
  files["manifest.json"] =
      json::array(
          {{{"Config", digits(digest()) + ".json"}, {"RepoTags", {name}}, {"Layers", names}}})
          .dump();
  files["repositories"] = "{}";
  return files;
}

ImageMaker::Files ImageMaker::oci_files() const {
  Files files;
  json descriptors = json::array();
  for (const std::string& layer : layers) {
    const std::string content = packed(layer, packing);
    files[blob(content)] = content;
    descriptors.push_back(descriptor(media_type(packing), content));
  }
  const std::string manifest = json{
      {"schemaVersion", 2},
      {"config", descriptor("application/vnd.oci.image.config.v1+json", config())},
      {"layers", descriptors}}.dump();
  json mine = descriptor("application/vnd.oci.image.manifest.v1+json", manifest);
  mine["platform"] = {{"os", "linux"}, {"architecture", architecture}};
  json other = descriptor("application/vnd.oci.image.manifest.v1+json", "elsewhere");
  other["platform"] = {{"os", "linux"}, {"architecture", "s390x"}};
  // As in registries: the public index refers to one index for all platforms.
  const std::string inner = json{{"schemaVersion", 2}, {"manifests", {other, mine}}}.dump();
  json outer = descriptor("application/vnd.oci.image.index.v1+json", inner);
  outer["annotations"] = {{"org.opencontainers.image.ref.name", name}};
  files[blob(config())] = config();
  files[blob(manifest)] = manifest;
  files[blob(inner)] = inner;
  files["index.json"] = json{{"schemaVersion", 2}, {"manifests", {outer}}}.dump();
  files["oci-layout"] = R"({"imageLayoutVersion": "1.0.0"})";
  return files;
}

ImageMaker::Files ImageMaker::new_docker_files() const {
  Files files = oci_files();
  json names = json::array();
  for (const std::string& layer : layers) names.push_back(blob(packed(layer, packing)));
  files["manifest.json"] =
      json::array({{{"Config", blob(config())}, {"RepoTags", {name}}, {"Layers", names}}}).dump();
  return files;
}

std::string ImageMaker::tar_of(const Files& files, Packing packing) {
  TarMaker tar(packing);
  for (const auto& [name, content] : files) tar.file(name, content);
  return tar.bytes();
}

void ImageMaker::write_to(const std::string& directory, const Files& files) {
  EXPECT_OK(os::make_directories(directory + "/blobs/sha256"));
  for (const auto& [name, content] : files)
    EXPECT_OK(os::write_file(directory + "/" + name, content));
}

}  // namespace sf::test
