#include "roots/root_plan.h"

#include "roots/docker_manifest.h"
#include "roots/oci_image.h"
#include "roots/sha256.h"

namespace sf::roots {
namespace {

constexpr int kMaxIndexes = 4;  // nesting depth

Status check_content(const std::string& content, const std::string& digest,
                     const std::string& name) {
  if (sha256_of(content) == digest) return Ok{};
  return fail(ErrorCode::kCorrupt, name + " does not match its digest: " + digest,
              "the image is damaged; save or download it again");
}

Result<std::string> blob_name(const Descriptor& blob) {
  SF_TRY_ASSIGN(std::string digits, digest_digits(blob.digest));
  return "blobs/sha256/" + digits;
}

Result<std::string> read_blob(const ImageFiles& files, const Descriptor& blob) {
  SF_TRY_ASSIGN(std::string name, blob_name(blob));
  SF_TRY_ASSIGN(std::string content, files.read(name));
  SF_TRY(check_content(content, blob.digest, name));
  return content;
}

// Adds the configuration to the plan and the diff ids to its layers.
Result<RootPlan> with_description(RootPlan plan, const std::string& description,
                                  const ImageChoice& choice) {
  SF_TRY_ASSIGN(ImageDescription image, parse_image_description(description));
  const bool says_platform = !image.platform.architecture.empty();
  if (says_platform && !(image.platform == choice.platform))
    return fail(ErrorCode::kUnsupported,
                "the image is for " + to_string(image.platform) + ", but this machine is " +
                    to_string(choice.platform),
                "pull it with --platform " + to_string(choice.platform));
  if (image.diff_ids.size() != plan.layers.size())
    return fail(ErrorCode::kCorrupt, "the image has " + std::to_string(plan.layers.size()) +
                                         " layers and digests for " +
                                         std::to_string(image.diff_ids.size()));
  for (std::size_t i = 0; i < plan.layers.size(); ++i) plan.layers[i].diff_id = image.diff_ids[i];
  plan.config = std::move(image.config);
  return plan;
}

// The digest in a file's name: blobs/sha256/HEX, HEX.json or sha256:HEX.
std::string digest_in_name(std::string_view name) {
  for (std::string_view prefix : {"blobs/sha256/", "sha256:"}) {
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  }
  if (name.ends_with(".json")) name.remove_suffix(5);
  return is_sha256_digits(name) ? "sha256:" + std::string(name) : "";
}

Result<RootPlan> plan_docker(const ImageFiles& files, const ImageChoice& choice) {
  SF_TRY_ASSIGN(std::string manifest, files.read("manifest.json"));
  SF_TRY_ASSIGN(std::vector<DockerImage> images, parse_docker_manifest(manifest));
  SF_TRY_ASSIGN(DockerImage image, choose_docker_image(images, choice.name));
  SF_TRY_ASSIGN(std::string description, files.read(image.config));
  RootPlan plan;
  plan.digest = sha256_of(description);
  if (const std::string told = digest_in_name(image.config); !told.empty())
    SF_TRY(check_content(description, told, image.config));
  for (const std::string& layer : image.layers) {
    SF_TRY_ASSIGN(FilePart part, files.find(layer));
    const bool is_blob = layer.starts_with("blobs/");
    plan.layers.push_back({std::move(part), is_blob ? digest_in_name(layer) : "", {}});
  }
  return with_description(std::move(plan), description, choice);
}

Result<Descriptor> find_manifest(const ImageFiles& files, const ImageChoice& choice) {
  SF_TRY_ASSIGN(std::string text, files.read("index.json"));
  ImageChoice wanted = choice;
  for (int depth = 0; depth < kMaxIndexes; ++depth) {
    SF_TRY_ASSIGN(std::vector<Descriptor> found, parse_index(text));
    SF_TRY_ASSIGN(Descriptor chosen, choose_descriptor(found, wanted));
    if (!chosen.is_index()) return chosen;
    SF_TRY_ASSIGN(text, read_blob(files, chosen));
    wanted.name.clear();  // only entries of the outermost index have names
  }
  return fail(ErrorCode::kCorrupt, "the image's indexes contain no manifest");
}

Result<RootPlan> plan_oci(const ImageFiles& files, const ImageChoice& choice) {
  SF_TRY_ASSIGN(Descriptor chosen, find_manifest(files, choice));
  SF_TRY_ASSIGN(std::string text, read_blob(files, chosen));
  SF_TRY_ASSIGN(ImageManifest manifest, parse_image_manifest(text));
  SF_TRY_ASSIGN(std::string description, read_blob(files, manifest.config));
  RootPlan plan;
  plan.digest = manifest.config.digest;
  for (const Descriptor& layer : manifest.layers) {
    SF_TRY_ASSIGN(std::string name, blob_name(layer));
    SF_TRY_ASSIGN(FilePart part, files.find(name));
    if (part.size != layer.size)
      return fail(ErrorCode::kCorrupt,
                  name + " has " + std::to_string(part.size) + " bytes instead of " +
                      std::to_string(layer.size),
                  "the image is damaged; save or download it again");
    plan.layers.push_back({std::move(part), layer.digest, {}});
  }
  return with_description(std::move(plan), description, choice);
}

}  // namespace

Result<RootPlan> plan_image(const ImageFiles& files, const ImageChoice& choice) {
  // If both exist, the archive is Docker's, and its own table has the names that users know.
  return files.has("manifest.json") ? plan_docker(files, choice) : plan_oci(files, choice);
}

RootPlan plan_archive(const FilePart& archive, const std::string& digest) {
  return {digest, {}, {{archive, digest, {}}}, Whiteouts::kOrdinaryNames};
}

}  // namespace sf::roots
