// ImageFiles: the files of an image by their names, wherever they lie: in the directory of an OCI
// layout, or in an archive.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "base/result.h"
#include "roots/file_part.h"

namespace sf::roots {

struct ImageFile {
  FilePart part;
  std::string same_as;  // not empty: a link to the file of this name
};

class ImageFiles {
 public:
  explicit ImageFiles(std::map<std::string, ImageFile> files) : files_(std::move(files)) {}
  static Result<ImageFiles> in_directory(const std::string& directory);
  // Reads the heads of the members only. Requires: an uncompressed archive.
  static Result<ImageFiles> in_archive(const FilePart& archive);

  bool has(const std::string& name) const { return files_.contains(name); }
  // Through links. kCorrupt when it is not there: the image itself named it.
  Result<FilePart> find(const std::string& name) const;
  // A small file: what describes the rest.
  Result<std::string> read(const std::string& name) const;

 private:
  std::map<std::string, ImageFile> files_;
};

// Where a link in `directory` leads: "a/b" and "../c" is "c". Empty when it leads out. Pure.
std::string link_target(const std::string& link_name, const std::string& target);

}  // namespace sf::roots
