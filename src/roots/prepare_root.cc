#include "roots/prepare_root.h"

#include <sys/utsname.h>

#include <chrono>
#include <optional>

#include "os/file.h"
#include "os/host_info.h"
#include "roots/file_digests.h"
#include "roots/plain_archive.h"
#include "roots/root_plan.h"
#include "roots/sha256.h"
#include "roots/source_kind.h"

namespace sf::roots {
namespace {

constexpr const char* kFileDigests = "/files.json";

Platform this_platform() {
  utsname names{};
  (void)::uname(&names);  // fails only for an invalid address
  return {"linux", architecture_of(names.machine)};
}

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

Result<std::string> digest_of_file(const std::string& path, const Progress& progress) {
  SF_TRY_ASSIGN(FilePart whole, whole_file(path));
  SF_TRY_ASSIGN(PartStream file, PartStream::open(whole));
  Sha256 hash;
  for (;;) {
    SF_TRY_ASSIGN(std::string_view bytes, file.next());
    if (bytes.empty()) return hash.finish();
    hash.add(bytes);
    report(progress, {"reading", file.done(), whole.size});
  }
}

class Preparation {
 public:
  Preparation(RootCache cache, std::string source, const PrepareOptions& options)
      : cache_(std::move(cache)), source_(std::move(source)), options_(options) {}

  Result<RootImage> from_image_directory() {
    SF_TRY_ASSIGN(ImageFiles files, ImageFiles::in_directory(source_));
    SF_TRY_ASSIGN(RootPlan plan, plan_image(files, {this_platform(), options_.image}));
    return build(plan);
  }

  Result<RootImage> from_archive() {
    SF_TRY_ASSIGN(FileMark mark, mark_of(source_));
    if (std::optional<std::string> known = digests().find(mark, options_.image)) {
      if (auto record = cache_.find(*known)) return root_image(cache_, *record);
    }
    const bool settled = is_settled(mark, now_ns());
    SF_TRY_ASSIGN(bool is_image, holds_image(source_));
    SF_TRY_ASSIGN(RootImage made, is_image ? from_image_archive() : from_root_archive());
    if (settled) SF_TRY(remember(mark, made.digest));
    return made;
  }

 private:
  Result<RootImage> from_image_archive() {
    SF_TRY_ASSIGN(PlainArchive archive,
                  open_plain_archive(source_, cache_.directory(), options_.limits.max_bytes,
                                     options_.progress));
    SF_TRY_ASSIGN(ImageFiles files, ImageFiles::in_archive(archive.part));
    SF_TRY_ASSIGN(RootPlan plan, plan_image(files, {this_platform(), options_.image}));
    return build(plan);
  }

  Result<RootImage> from_root_archive() {
    if (!options_.image.empty())
      return invalid("the archive is a root, which has no image " + options_.image);
    SF_TRY_ASSIGN(std::string digest, digest_of_file(source_, options_.progress));
    SF_TRY_ASSIGN(FilePart whole, whole_file(source_));
    return build(plan_archive(whole, digest));
  }

  Result<RootImage> build(const RootPlan& plan) {
    auto fill = [&](const std::string& root) -> Result<RootRecord> {
      SF_TRY(require_root());
      SF_TRY_ASSIGN(UnpackReport done, unpack_layers(plan.layers, plan.whiteouts, root,
                                                     options_.limits, options_.progress));
      RootRecord record;
      record.source = source_;
      record.skipped_devices = done.skipped_devices;
      record.skipped_attributes = done.skipped_attributes;
      record.config = plan.config;
      return record;
    };
    SF_TRY_ASSIGN(RootRecord record, cache_.find_or_build(plan.digest, fill, options_.progress));
    return root_image(cache_, record);
  }

  FileDigests digests() const {
    auto text = os::read_file(cache_.directory() + kFileDigests);
    return text ? FileDigests::parse(*text) : FileDigests();
  }

  Status remember(const FileMark& mark, const std::string& digest) const {
    SF_TRY_ASSIGN(os::UniqueFd held, cache_.lock("files"));
    FileDigests known = digests();
    known.remember(mark, options_.image, digest);
    return os::publish_file(cache_.directory() + kFileDigests, known.to_text());
  }

  RootCache cache_;
  std::string source_;  // an absolute path
  const PrepareOptions& options_;
};

bool may_be_name(const std::string& source) {
  return !source.empty() && source.find('/') == std::string::npos;
}

// nullopt if the cache does not have it.
Result<std::optional<RootImage>> from_cache(const RootCache& cache, const std::string& word) {
  auto digest = cache.resolve(word);
  if (!digest && digest.error().code == ErrorCode::kNotFound) return std::optional<RootImage>();
  if (!digest) return std::move(digest).error();
  SF_TRY_ASSIGN(RootRecord record, cache.find(*digest));
  return std::optional(root_image(cache, record));
}

}  // namespace

Status require_root() {
  if (os::is_root()) return Ok{};
  return fail(ErrorCode::kUnsupported, "unpacking a root file system needs root",
              "use sudo: only root can set the owners of files");
}

RootImage root_image(const RootCache& cache, const RootRecord& record) {
  return {cache.root_directory(record.digest), record.digest, record.config};
}

Result<RootImage> prepare_root(const std::string& source, const PrepareOptions& options) {
  if (may_be_name(source)) {
    SF_TRY_ASSIGN(RootCache cache, RootCache::open(options.cache_dir));
    SF_TRY_ASSIGN(std::optional<RootImage> named, from_cache(cache, source));
    if (named) return *named;
  }
  Result<std::string> path = os::real_path(source);
  if (!path)
    return std::move(path)
        .error()
        .while_doing("this is not the name of a root and not a path")
        .with_hint("give an archive, an image or a directory; `statefork root ls` lists names");
  const bool is_directory = os::is_directory(*path);
  if (is_directory && !is_image_layout(*path)) return RootImage{*path, {}, {}};
  SF_TRY_ASSIGN(RootCache cache, RootCache::open(options.cache_dir));
  Preparation work(std::move(cache), *path, options);
  Result<RootImage> made = is_directory ? work.from_image_directory() : work.from_archive();
  if (!made) return std::move(made).error().while_doing(*path);
  return made;
}

}  // namespace sf::roots
