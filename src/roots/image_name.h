// Names of images and platforms, as the tools write them. Pure.
#pragma once

#include <string>
#include <string_view>

namespace sf::roots {

// "debian", "library/debian:latest" and "docker.io/library/debian:latest" are the same image.
bool is_same_image(std::string_view one, std::string_view other);

struct Platform {
  std::string os = "linux";
  std::string architecture;  // in the notation of images: "amd64"
  friend bool operator==(const Platform&, const Platform&) = default;
};
std::string to_string(const Platform& platform);

// From the kernel's name of the machine: "x86_64" gives "amd64".
std::string architecture_of(std::string_view machine);

// Selects one of several images.
struct ImageChoice {
  Platform platform;
  std::string name;  // empty: there must be exactly one
};

}  // namespace sf::roots
