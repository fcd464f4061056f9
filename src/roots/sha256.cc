#include "roots/sha256.h"

#include <openssl/evp.h>

#include <algorithm>

#include "base/check.h"

namespace sf::roots {
namespace {

constexpr std::string_view kPrefix = "sha256:";
constexpr std::size_t kDigits = 64;
constexpr std::size_t kShown = 100;

}  // namespace

Sha256::Sha256() : context_(::EVP_MD_CTX_new(), ::EVP_MD_CTX_free) {
  SF_CHECK(context_ && ::EVP_DigestInit_ex(context_.get(), ::EVP_sha256(), nullptr) == 1);
}

void Sha256::add(std::string_view bytes) {
  SF_CHECK(::EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
}

std::string Sha256::finish() {
  unsigned char raw[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  SF_CHECK(::EVP_DigestFinal_ex(context_.get(), raw, &size) == 1);
  std::string text(kPrefix);
  for (unsigned i = 0; i < size; ++i) {
    text += "0123456789abcdef"[raw[i] >> 4U];
    text += "0123456789abcdef"[raw[i] & 15U];
  }
  return text;
}

std::string sha256_of(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.finish();
}

bool is_sha256_digits(std::string_view text) {
  return text.size() == kDigits && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

Result<std::string> digest_digits(std::string_view digest) {
  const std::string shown = "digest '" + std::string(digest.substr(0, kShown)) + "'";
  if (digest.starts_with("sha512:") || digest.starts_with("sha384:"))
    return fail(ErrorCode::kUnsupported, shown + " is not a SHA-256 digest",
                "save the image with SHA-256 digests, the default of all tools");
  if (!digest.starts_with(kPrefix) || !is_sha256_digits(digest.substr(kPrefix.size())))
    return fail(ErrorCode::kCorrupt, shown + " is not \"sha256:\" with 64 hexadecimal digits");
  return std::string(digest.substr(kPrefix.size()));
}

Result<std::string_view> HashedStream::next() {
  SF_TRY_ASSIGN(std::string_view bytes, source_.next());
  hash_.add(bytes);
  return bytes;
}

Result<std::string> HashedStream::digest_to_the_end() {
  for (;;) {
    SF_TRY_ASSIGN(std::string_view bytes, next());
    if (bytes.empty()) return hash_.finish();
  }
}

}  // namespace sf::roots
