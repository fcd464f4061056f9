// Names of images and of machines, as the tools write them. Pure.
#pragma once

#include <string>
#include <string_view>

namespace sf::roots {

// "debian", "library/debian:latest" and "docker.io/library/debian:latest" are the same image.
bool is_same_image(std::string_view one, std::string_view other);

struct Platform {
  std::string os = "linux";
  std::string architecture;  // as images call it: "amd64"
  friend bool operator==(const Platform&, const Platform&) = default;
};
std::string to_string(const Platform& platform);

// From the machine's name as the kernel has it: "x86_64" is "amd64".
std::string architecture_of(std::string_view machine);

// Which image of several.
struct ImageChoice {
  Platform platform;
  std::string name;  // empty: there must be one only
};

}  // namespace sf::roots
