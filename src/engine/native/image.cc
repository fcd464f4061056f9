#include "engine/native/image.h"

#include "engine/native/archive.h"

namespace sf::waypoint::native {
namespace {

constexpr std::string_view kMagic = "waypoint native tree 10\n";

}  // namespace

std::string encode_tree(TreeImage& tree) {
  Writer writer;
  writer(tree);
  return std::string(kMagic) + writer.bytes();
}

Result<TreeImage> decode_tree(std::string_view bytes) {
  if (!bytes.starts_with(kMagic))
    return fail(ErrorCode::kCorrupt, "the process image has an unknown version");
  bytes.remove_prefix(kMagic.size());
  Reader reader(bytes);
  TreeImage tree;
  reader(tree);
  if (!reader.whole()) return fail(ErrorCode::kCorrupt, "the process image is damaged");
  return tree;
}

}  // namespace sf::waypoint::native
