#include "roots/docker_manifest.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "roots/image_name.h"
#include "roots/json_members.h"

namespace sf::roots {
namespace {

using wire::Json;

std::string listed(const std::vector<DockerImage>& all) {
  std::string text;
  for (const DockerImage& one : all) {
    const std::string name = one.tags.empty() ? "an image without a name" : one.tags.front();
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

}  // namespace

Result<std::vector<DockerImage>> parse_docker_manifest(std::string_view text) {
  const std::string what = "manifest.json";
  SF_TRY_ASSIGN(Json json, parse_json(text, what));
  if (!json.is_array()) return fail(ErrorCode::kCorrupt, what + " is not a list of images");
  std::vector<DockerImage> found;
  for (const Json& one : json) {
    JsonMembers image(one, what);
    DockerImage made{image.text("Config"), image.texts("Layers"), image.texts("RepoTags")};
    SF_TRY(image.done());
    if (made.config.empty())
      return fail(ErrorCode::kCorrupt, what + ": an image has no \"Config\"");
    found.push_back(std::move(made));
  }
  if (found.empty()) return fail(ErrorCode::kCorrupt, what + " names no image");
  return found;
}

Result<DockerImage> choose_docker_image(const std::vector<DockerImage>& found,
                                        const std::string& name) {
  auto is_meant = [&](const DockerImage& one) {
    return std::any_of(one.tags.begin(), one.tags.end(),
                       [&](const std::string& tag) { return is_same_image(tag, name); });
  };
  if (name.empty() && found.size() == 1) return found.front();
  if (name.empty())
    return invalid("there are several images", "choose one with --image: " + listed(found));
  auto meant = std::find_if(found.begin(), found.end(), is_meant);
  if (meant == found.end())
    return fail(ErrorCode::kNotFound, "no image " + name + " was found", "found: " + listed(found));
  return *meant;
}

}  // namespace sf::roots
