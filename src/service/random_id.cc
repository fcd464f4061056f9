#include "service/random_id.h"

#include <random>
#include <string_view>

namespace sf::service {

std::string random_id(std::string prefix) {
  constexpr std::string_view kLetters = "0123456789bcdfghjklmnpqrstvwxyz";
  constexpr int kLength = 8;
  std::random_device device;
  for (int i = 0; i < kLength; ++i) prefix += kLetters[device() % kLetters.size()];
  return prefix;
}

}  // namespace sf::service
