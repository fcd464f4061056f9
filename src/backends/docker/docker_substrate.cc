#include "backends/docker/docker_substrate.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "backends/docker/container_request.h"
#include "backends/hosted/agent_connection.h"
#include "backends/hosted/root_archive.h"

namespace sf::backends {

using waypoint::BranchConfig;
using wire::Json;

namespace {

constexpr const char* kStates = "statefork/state";
constexpr const char* kRemoved = "statefork/removed";
constexpr const char* kRoots = "statefork/root";

std::string label(const Json& labels, const char* key) {
  return labels.is_object() ? labels.value(key, "") : "";
}

}  // namespace

DockerSubstrate::DockerSubstrate(DockerOptions options)
    : options_(std::move(options)), api_(options_.socket) {}

Status DockerSubstrate::check(const BranchConfig& config) const {
  if (config.root == "/")
    return fail(ErrorCode::kUnsupported, "a container cannot use the host's / as its root",
                "use an image (image:debian:12), or a directory with a root file system");
  return Ok{};
}

DockerApi::Query DockerSubstrate::ours() const {
  Json filter = {{"label", {std::string(kOwnerLabel) + "=" + options_.owner}}};
  return {{"all", "1"}, {"filters", filter.dump()}};
}

// Refuses images with volumes: a volume is outside the container's files, so a commit would miss
// it.
Result<std::string> DockerSubstrate::existing_image(const std::string& image) {
  auto found = api_.get("/images/" + image + "/json");
  if (!found && found.error().code == ErrorCode::kNotFound)
    return std::move(found).error().with_hint("fetch the image first: docker pull " + image);
  if (!found) return std::move(found).error();
  const Json config = found->value("Config", Json::object());
  const Json volumes = config.is_object() ? config.value("Volumes", Json()) : Json();
  if (volumes.is_object() && !volumes.empty())
    return fail(ErrorCode::kUnsupported,
                "the image " + image + " has a volume at " + volumes.begin().key() +
                    ", which a committed image does not contain",
                "use the podman backend, or an image without VOLUME");
  return image;
}

// Images are used in place. A directory is imported at its first use, and again if it has changed.
Result<std::string> DockerSubstrate::image_of(const std::string& root) {
  if (root.starts_with(kImagePrefix)) return existing_image(root.substr(kImagePrefix.size()));
  SF_TRY_ASSIGN(std::string mark, root_mark(root));
  const std::string image = std::string(kRoots) + ":" + mark;
  std::lock_guard lock(import_mutex_);
  Result<Json> known = api_.get("/images/" + image + "/json");
  if (known) return image;
  if (known.error().code != ErrorCode::kNotFound) return std::move(known).error();
  SF_TRY_ASSIGN(RootArchive archive, RootArchive::open(root));
  SF_TRY(api_.upload("/images/create", {{"fromSrc", "-"}, {"repo", kRoots}, {"tag", mark}},
                     [&] { return archive.next(); }));
  return image;
}

Result<std::string> DockerSubstrate::engine() {
  SF_TRY_ASSIGN(Json info, api_.get("/info"));
  auto root = info.find("DockerRootDir");
  if (!info.is_object() || root == info.end() || !root->is_string())
    return fail(ErrorCode::kCorrupt, "the Docker Engine does not report its data directory");
  return "Docker with " + root->get<std::string>();
}

Status DockerSubstrate::start(const std::string& sandbox, const BranchConfig& config) {
  SF_TRY_ASSIGN(std::string image, image_of(config.root));
  return run(sandbox, image, config);
}

Status DockerSubstrate::run(const std::string& sandbox, const std::string& image,
                            const BranchConfig& config) {
  Json request = container_request({sandbox, image, options_.agent, options_.owner}, config);
  SF_TRY(api_.post("/containers/create", {{"name", sandbox}}, request));
  auto started = api_.post("/containers/" + sandbox + "/start");
  if (!started) return std::move(started).error().while_doing("starting the container");
  return Ok{};
}

Result<os::UniqueFd> DockerSubstrate::connect(const std::string& sandbox) {
  SF_TRY_ASSIGN(Json found, api_.get("/containers/" + sandbox + "/json"));
  const Json state = found.value("State", Json::object());
  auto pid = state.value("Pid", 0);
  if (pid <= 0)
    return fail(ErrorCode::kNotFound,
                "the container ended with status " + std::to_string(state.value("ExitCode", -1)));
  return connect_agent(pid);
}

Result<KeptState> DockerSubstrate::keep(const std::string& sandbox, const std::string& state) {
  Json labels = {{"Labels", {{kOwnerLabel, options_.owner}, {kNameLabel, state}}}};
  Stopwatch stopped;  // the engine pauses the container during the whole commit
  SF_TRY(api_.post("/commit",
                   {{"container", sandbox}, {"repo", kStates}, {"tag", state}, {"pause", "1"}},
                   labels));
  KeptState kept{.stopped = stopped.elapsed()};
  SF_TRY_ASSIGN(Json history,
                api_.get("/images/" + std::string(kStates) + ":" + state + "/history"));
  if (history.is_array() && !history.empty())
    kept.bytes = history.front().value("Size", std::uint64_t{0});
  return kept;
}

Status DockerSubstrate::revive(const std::string& state, const std::string& sandbox,
                               const BranchConfig& config) {
  return run(sandbox, std::string(kStates) + ":" + state, config);
}

Status DockerSubstrate::end(const std::string& sandbox) {
  SF_TRY(api_.remove("/containers/" + sandbox, {{"force", "1"}, {"v", "1"}}));
  sweep();
  return Ok{};
}

// An image that others are based on, or that a container uses, cannot be removed yet. It loses its
// name, and is removed with its last user.
Status DockerSubstrate::remove(const std::string& state) {
  const std::string image = std::string(kStates) + ":" + state;
  Status removed = api_.remove("/images/" + image);
  if (!removed && removed.error().code == ErrorCode::kBusy) {
    SF_TRY(api_.post("/images/" + image + "/tag", {{"repo", kRemoved}, {"tag", state}}));
    removed = api_.remove("/images/" + image);
  }
  sweep();
  return removed;
}

void DockerSubstrate::sweep() {
  for (bool progress = true; progress;) {
    progress = false;
    Result<std::vector<std::string>> names = tagged(kRemoved);
    if (!names) return;
    for (const std::string& name : *names)
      progress = api_.remove("/images/" + std::string(kRemoved) + ":" + name).ok() || progress;
  }
}

Result<std::vector<std::string>> DockerSubstrate::sandboxes() {
  SF_TRY_ASSIGN(Json all, api_.get("/containers/json", ours()));
  std::vector<std::string> names;
  for (const Json& each : all) names.push_back(label(each.value("Labels", Json()), kNameLabel));
  return names;
}

Result<std::vector<std::string>> DockerSubstrate::states() { return tagged(kStates); }

Result<std::vector<std::string>> DockerSubstrate::tagged(const std::string& repository) {
  SF_TRY_ASSIGN(Json all, api_.get("/images/json", ours()));
  const std::string prefix = repository + ":";
  std::vector<std::string> names;
  for (const Json& each : all) {
    const Json tags = each.value("RepoTags", Json());
    if (!tags.is_array()) continue;  // no tags
    for (const Json& tag : tags) {
      // Podman adds the prefix "localhost/".
      auto text = tag.get<std::string>();
      std::size_t at = text.find(prefix);
      if (at != std::string::npos) names.push_back(text.substr(at + prefix.size()));
    }
  }
  return names;
}

}  // namespace sf::backends
