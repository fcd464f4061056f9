#include "roots/image_files.h"

#include <optional>
#include <vector>

#include "base/split.h"
#include "os/file.h"
#include "roots/layer_rules.h"
#include "roots/tar_reader.h"

namespace sf::roots {
namespace {

constexpr std::size_t kMaxDescription = 8U << 20U;
constexpr std::size_t kMaxMembers = 100'000;
constexpr int kMaxLinks = 8;
constexpr const char* kBlobs = "blobs/sha256";

using Kind = TarEntry::Kind;

// nullopt if the member is not a file.
Result<std::optional<ImageFile>> image_file(const TarEntry& member, const std::string& name,
                                            const FilePart& archive) {
  if (member.kind == Kind::kHardLink) {
    SF_TRY_ASSIGN(std::string target, path_in_root(member.target));
    return std::optional(ImageFile{{}, target.substr(1)});
  }
  if (member.kind == Kind::kSymlink) {
    const std::string target = link_target(name, member.target);
    return target.empty() ? std::optional<ImageFile>() : std::optional(ImageFile{{}, target});
  }
  if (member.kind != Kind::kFile || member.is_sparse) return std::optional<ImageFile>();
  return std::optional(
      ImageFile{{archive.path, archive.offset + member.data_offset, member.size}, {}});
}

}  // namespace

std::string link_target(const std::string& link_name, const std::string& target) {
  if (target.starts_with('/')) return {};
  std::vector<std::string> parts = split(link_name, '/');
  if (!parts.empty()) parts.pop_back();
  for (const std::string& part : split(target, '/')) {
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (parts.empty()) {
      return {};
    } else {
      parts.pop_back();
    }
  }
  std::string path;
  for (const std::string& part : parts) path += (path.empty() ? "" : "/") + part;
  return path;
}

Result<ImageFiles> ImageFiles::in_directory(const std::string& directory) {
  std::map<std::string, ImageFile> files;
  for (const std::string& folder : {std::string(), kBlobs + std::string("/")}) {
    SF_TRY_ASSIGN(std::vector<std::string> names, os::list_directory(directory + "/" + folder));
    for (const std::string& name : names) {
      auto part = whole_file(directory + "/" + folder + name);
      if (part) files[folder + name] = {std::move(*part), {}};
    }
  }
  return ImageFiles(std::move(files));
}

Result<ImageFiles> ImageFiles::in_archive(const FilePart& archive) {
  SF_TRY_ASSIGN(PartStream file, PartStream::open(archive));
  SF_TRY_ASSIGN(TarReader reader, TarReader::open(file));
  std::map<std::string, ImageFile> files;
  for (;;) {
    SF_TRY_ASSIGN(std::optional<TarEntry> member, reader.next());
    if (!member) return ImageFiles(std::move(files));
    SF_TRY_ASSIGN(std::string path, path_in_root(member->name));
    const std::string name = path.substr(1);
    SF_TRY_ASSIGN(std::optional<ImageFile> found, image_file(*member, name, archive));
    if (found) files[name] = std::move(*found);
    if (files.size() > kMaxMembers)
      return fail(ErrorCode::kCorrupt,
                  "the image has more than " + std::to_string(kMaxMembers) + " files");
  }
}

Result<FilePart> ImageFiles::find(const std::string& name) const {
  std::string at = name;
  for (int links = 0; links < kMaxLinks; ++links) {
    auto found = files_.find(at);
    if (found == files_.end()) break;
    if (found->second.same_as.empty()) return found->second.part;
    at = found->second.same_as;
  }
  return fail(ErrorCode::kCorrupt, "the image names a file that is missing: " + name,
              "the image is incomplete; save or download it again");
}

Result<std::string> ImageFiles::read(const std::string& name) const {
  SF_TRY_ASSIGN(FilePart part, find(name));
  auto content = read_part(part, kMaxDescription);
  if (!content) return std::move(content).error().while_doing(name);
  return content;
}

}  // namespace sf::roots
