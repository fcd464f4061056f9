#include "waypoint/checkpoint_store.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/native/image.h"
#include "os/directory_tree.h"
#include "os/error.h"
#include "os/file.h"
#include "shell/fresh_id.h"

namespace sf::waypoint {
namespace {

constexpr std::size_t kMaxManifest = 4U << 20U;
constexpr std::size_t kMaxTerminal = 64U << 20U;
constexpr const char* kHiddenMark = "/removed";
constexpr const char* kTerminalFile = "/terminal";
constexpr const char* kManifestFile = "/manifest.json";
constexpr std::size_t kRemembered = 4;

Result<Manifest> load_from(const std::string& directory) {
  SF_TRY_ASSIGN(std::string text, os::read_file(directory + kManifestFile, kMaxManifest));
  SF_TRY_ASSIGN(std::string terminal, os::read_file(directory + kTerminalFile, kMaxTerminal));
  return parse_manifest(text, terminal);
}

// Works on manifests of later versions, too.
std::optional<CheckpointId> base_named_in(const std::string& directory) {
  auto text = os::read_file(directory + kManifestFile, kMaxManifest);
  wire::Json json = wire::Json::parse(text ? *text : "", nullptr, false);
  if (!json.is_object() || !json.contains("base") || !json["base"].is_string()) return std::nullopt;
  return CheckpointId(json["base"].get<std::string>());
}

}  // namespace

std::string sealed_file_layer(const CheckpointId& id) { return "sealed-" + id.value(); }

CheckpointDraft::~CheckpointDraft() {
  if (dir_.empty()) return;
  (void)file_layers_->remove(file_layer());
  (void)os::remove_tree(dir_);
}

std::string CheckpointDraft::file_layer() const { return sealed_file_layer(id_); }

Result<CheckpointStore> CheckpointStore::open(const std::string& store_dir,
                                              FileLayerStore& file_layers) {
  CheckpointStore store(store_dir, file_layers);
  SF_TRY(os::make_directories(store_dir + "/checkpoints"));
  SF_TRY(os::make_directories(store_dir + "/drafts"));
  SF_TRY(store.scan());
  return store;
}

Status CheckpointStore::sweep_drafts() {
  SF_TRY_ASSIGN(std::vector<std::string> drafts, os::list_directory(dir_ + "/drafts"));
  for (const std::string& draft : drafts) (void)remove_draft(draft);
  for (const CheckpointId& base : std::set<CheckpointId>(hidden_)) {
    if (!is_needed(base)) (void)take_away(base);
  }
  return Ok{};
}

Status CheckpointStore::scan() {
  SF_TRY_ASSIGN(std::vector<std::string> names, os::list_directory(dir_ + "/checkpoints"));
  for (const std::string& name : names) {
    auto manifest = load_from(dir_ + "/checkpoints/" + name);
    if (manifest && manifest->info.id.value() != name)
      manifest = fail(ErrorCode::kCorrupt, "the manifest belongs to another checkpoint");
    if (!manifest) {
      damaged_[name] = manifest.error().message;
      if (auto base = base_named_in(dir_ + "/checkpoints/" + name))
        needed_by_damaged_.insert(*base);
      continue;
    }
    if (!manifest->precapture_keeper.empty() && !manifest->info.base)
      precaptured_[manifest->info.id] = manifest->precapture_keeper;
    if (os::exists(dir_ + "/checkpoints/" + name + kHiddenMark)) {
      hidden_.insert(manifest->info.id);
    } else {
      known_[manifest->info.id] = manifest->info;
    }
  }
  for (auto it = known_.begin(); it != known_.end();) {
    const std::optional<CheckpointId>& base = it->second.base;
    if (!base || keeps(*base)) {
      ++it;
      continue;
    }
    damaged_[it->first.value()] = "its base " + base->value() + " is gone or damaged";
    it = known_.erase(it);
  }
  return Ok{};
}

bool CheckpointStore::is_needed(const CheckpointId& base) const {
  return needed_by_damaged_.contains(base) ||
         std::ranges::any_of(known_, [&](const auto& each) { return each.second.base == base; });
}

Result<CheckpointDraft> CheckpointStore::begin() {
  CheckpointId id(fresh_id("c"));
  std::string dir = dir_ + "/drafts/" + id.value();
  CheckpointDraft draft(dir, id, *file_layers_);
  SF_TRY(os::make_directories(draft.image_dir()));
  const std::string image = draft.image_dir();
  for (const std::string& file : {dir + kTerminalFile, dir + kManifestFile,
                                  image + native::kTreeFile, image + native::kPagesFile})
    SF_TRY(os::write_file(file, ""));
  return draft;
}

Result<CheckpointInfo> CheckpointStore::publish(CheckpointDraft draft, Manifest manifest) {
  if (manifest.info.base && !keeps(*manifest.info.base))
    return fail(ErrorCode::kNotFound, "checkpoint " + manifest.info.base->value() + " is gone");
  SF_TRY(os::write_file(draft.dir_ + kTerminalFile, terminal_bytes(manifest.state)));
  SF_TRY(os::write_file(draft.dir_ + kManifestFile, manifest_text(manifest)));
  SF_TRY(os::rename_path(draft.dir_, dir_ + "/checkpoints/" + draft.id_.value()));
  draft.dir_.clear();
  CheckpointInfo info = manifest.info;
  known_[info.id] = info;
  remember(std::move(manifest));
  return info;
}

void CheckpointStore::remember(Manifest manifest) {
  recent_.push_front(std::move(manifest));
  if (recent_.size() > kRemembered) recent_.pop_back();
}

Result<Manifest> CheckpointStore::load(const CheckpointId& id) const {
  if (auto bad = damaged_.find(id.value()); bad != damaged_.end())
    return fail(ErrorCode::kCorrupt, "checkpoint " + id.value() + " is damaged: " + bad->second);
  if (!known_.contains(id))
    return fail(ErrorCode::kNotFound, "there is no checkpoint " + id.value());
  return load_hidden_too(id);
}

Result<Manifest> CheckpointStore::load_hidden_too(const CheckpointId& id) const {
  auto known = std::ranges::find(recent_, id, [](const Manifest& each) { return each.info.id; });
  if (known != recent_.end()) return *known;
  auto manifest = load_from(dir_ + "/checkpoints/" + id.value());
  if (!manifest) return std::move(manifest).error().while_doing("loading checkpoint " + id.value());
  return manifest;
}

Status CheckpointStore::remove(const CheckpointId& id) {
  if (auto removed = removals_->again(id.value())) return *removed;
  if (!known_.contains(id) && !damaged_.contains(id.value()))
    return fail(ErrorCode::kNotFound, "there is no checkpoint " + id.value());
  if (is_needed(id)) {
    SF_TRY(os::write_file(dir_ + "/checkpoints/" + id.value() + kHiddenMark, ""));
    known_.erase(id);
    hidden_.insert(id);
    return Ok{};
  }
  auto removed = known_.find(id);
  std::optional<CheckpointId> base = removed == known_.end() ? std::nullopt : removed->second.base;
  Status gone = take_away(id);
  if (keeps(id)) return gone;
  if (!base || !hidden_.contains(*base) || is_needed(*base)) return gone;
  Status base_gone = take_away(*base);
  return gone ? base_gone : gone;
}

Status CheckpointStore::take_away(const CheckpointId& id) {
  // The rename to the drafts removes the checkpoint atomically. After a crash, the sweep removes
  // the rest.
  std::string doomed = dir_ + "/drafts/" + id.value();
  SF_TRY(os::rename_path(dir_ + "/checkpoints/" + id.value(), doomed));
  std::erase_if(recent_, [&](const Manifest& each) { return each.info.id == id; });
  known_.erase(id);
  hidden_.erase(id);
  damaged_.erase(id.value());
  return remove_draft(id.value());
}

Status CheckpointStore::remove_draft(const std::string& id) {
  return removals_->attempt(id,
                            [file_layers = file_layers_, file_layer = "sealed-" + id,
                             directory = dir_ + "/drafts/" + id]() -> Status {
                              SF_TRY(file_layers->remove(file_layer));
                              return os::remove_tree(directory);
                            });
}

std::vector<CheckpointInfo> CheckpointStore::list() const {
  std::vector<CheckpointInfo> all;
  for (const auto& [id, info] : known_) all.push_back(info);
  return all;
}

}  // namespace sf::waypoint
