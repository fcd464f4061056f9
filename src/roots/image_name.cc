#include "roots/image_name.h"

namespace sf::roots {
namespace {

std::string full_name(std::string_view name) {
  for (std::string_view prefix : {"docker.io/", "localhost/", "library/"}) {
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  }
  const std::size_t slash = name.rfind('/');
  const std::size_t last = slash == std::string_view::npos ? 0 : slash;
  const bool has_tag = name.find_first_of(":@", last) != std::string_view::npos;
  return std::string(name) + (has_tag ? "" : ":latest");
}

}  // namespace

bool is_same_image(std::string_view one, std::string_view other) {
  return full_name(one) == full_name(other);
}

std::string to_string(const Platform& platform) {
  return platform.os + "/" + platform.architecture;
}

std::string architecture_of(std::string_view machine) {
  struct Pair {
    std::string_view kernel;
    std::string_view image;
  };
  constexpr Pair kKnown[] = {{"x86_64", "amd64"}, {"aarch64", "arm64"}, {"armv7l", "arm"},
                             {"armv6l", "arm"},   {"i686", "386"},      {"i386", "386"}};
  for (const Pair& known : kKnown) {
    if (known.kernel == machine) return std::string(known.image);
  }
  return std::string(machine);
}

}  // namespace sf::roots
