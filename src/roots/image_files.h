// ImageFiles: the files of an image by name, from the directory of an OCI layout or from an
// archive.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "base/result.h"
#include "roots/file_part.h"

namespace sf::roots {

struct ImageFile {
  FilePart part;
  std::string same_as;  // if not empty, a link to the file of this name
};

class ImageFiles {
 public:
  explicit ImageFiles(std::map<std::string, ImageFile> files) : files_(std::move(files)) {}
  static Result<ImageFiles> in_directory(const std::string& directory);
  // Reads only the headers of the members. Requires: an uncompressed archive.
  static Result<ImageFiles> in_archive(const FilePart& archive);

  bool has(const std::string& name) const { return files_.contains(name); }
  // Follows links. kCorrupt if there is no such file, because the image itself names it.
  Result<FilePart> find(const std::string& name) const;
  // For small files with metadata.
  Result<std::string> read(const std::string& name) const;

 private:
  std::map<std::string, ImageFile> files_;
};

// The target of a link in the image: "a/b" with "../c" gives "c". Empty if the target is outside.
// Pure.
std::string link_target(const std::string& link_name, const std::string& target);

}  // namespace sf::roots
