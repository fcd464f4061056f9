#include "roots/oci_image.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "roots/json_members.h"
#include "roots/sha256.h"

namespace sf::roots {
namespace {

using wire::Json;

constexpr const char* kIndexTypes[] = {"application/vnd.oci.image.index.v1+json",
                                       "application/vnd.docker.distribution.manifest.list.v2+json"};

Result<Descriptor> parse_descriptor(const Json& json, const std::string& what) {
  JsonMembers members(json, what);
  JsonMembers notes(members.object("annotations"), what + ", \"annotations\"");
  Descriptor made;
  made.media_type = members.text("mediaType");
  made.digest = members.text("digest");
  made.size = members.number("size");
  const Json& platform_json = members.object("platform");
  if (!platform_json.empty()) {
    JsonMembers platform(platform_json, what + ", \"platform\"");
    made.platform = Platform{platform.text("os"), platform.text("architecture")};
    SF_TRY(platform.done());
  }
  for (const char* key : {"io.containerd.image.name", "org.opencontainers.image.ref.name"}) {
    if (std::string name = notes.text(key); !name.empty()) made.names.push_back(std::move(name));
  }
  made.is_image = notes.text("vnd.docker.reference.type").empty() &&
                  (!made.platform || made.platform->os != "unknown");
  SF_TRY(members.done());
  SF_TRY(notes.done());
  auto digits = digest_digits(made.digest);
  if (!digits) return std::move(digits).error().while_doing(what);
  return made;
}

std::string described(const Descriptor& one) {
  std::string text = one.names.empty() ? one.digest : one.names.front();
  return one.platform ? text + " (" + to_string(*one.platform) + ")" : text;
}

std::string listed(const std::vector<Descriptor>& all) {
  std::string text;
  for (const Descriptor& one : all) text += (text.empty() ? "" : ", ") + described(one);
  return text.empty() ? "none" : text;
}

bool is_called(const Descriptor& one, const std::string& name) {
  return std::any_of(one.names.begin(), one.names.end(), [&](const std::string& own) {
    return own == name || is_same_image(own, name);
  });
}

}  // namespace

bool Descriptor::is_index() const {
  return std::find(std::begin(kIndexTypes), std::end(kIndexTypes), media_type) !=
         std::end(kIndexTypes);
}

Result<std::vector<Descriptor>> parse_index(std::string_view text) {
  const std::string what = "the image index";
  SF_TRY_ASSIGN(Json json, parse_json(text, what));
  JsonMembers index(json, what);
  std::vector<Descriptor> found;
  for (const Json& one : index.list("manifests")) {
    SF_TRY_ASSIGN(Descriptor made, parse_descriptor(one, what));
    found.push_back(std::move(made));
  }
  SF_TRY(index.done());
  return found;
}

Result<ImageManifest> parse_image_manifest(std::string_view text) {
  const std::string what = "the image's manifest";
  SF_TRY_ASSIGN(Json json, parse_json(text, what));
  JsonMembers manifest(json, what);
  ImageManifest made;
  SF_TRY_ASSIGN(made.config, parse_descriptor(manifest.object("config"), what + ", \"config\""));
  for (const Json& one : manifest.list("layers")) {
    SF_TRY_ASSIGN(Descriptor layer, parse_descriptor(one, what + ", \"layers\""));
    if (layer.media_type.ends_with("+encrypted"))
      return fail(ErrorCode::kUnsupported, what + ": a layer is encrypted",
                  "decrypt the image first, e.g. with skopeo copy --decryption-key");
    made.layers.push_back(std::move(layer));
  }
  SF_TRY(manifest.done());
  return made;
}

Result<Descriptor> choose_descriptor(const std::vector<Descriptor>& found,
                                     const ImageChoice& choice) {
  std::vector<Descriptor> fitting;
  for (const Descriptor& one : found) {
    const bool runs_here = !one.platform || *one.platform == choice.platform;
    const bool is_meant = choice.name.empty() || is_called(one, choice.name);
    if (one.is_image && runs_here && is_meant) fitting.push_back(one);
  }
  if (fitting.empty())
    return fail(ErrorCode::kNotFound,
                "no image " + (choice.name.empty() ? "" : choice.name + " ") + "for " +
                    to_string(choice.platform) + " was found",
                "found: " + listed(found));
  for (const Descriptor& one : fitting) {
    if (one.digest != fitting.front().digest)
      return invalid("there are several images", "choose one with --image: " + listed(fitting));
  }
  return fitting.front();
}

}  // namespace sf::roots
