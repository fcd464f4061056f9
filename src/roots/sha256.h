// Sha256: the digest by which images and their parts are known, over bytes as they come.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "roots/byte_stream.h"

struct evp_md_ctx_st;  // OpenSSL's

namespace sf::roots {

class Sha256 {
 public:
  Sha256();
  void add(std::string_view bytes);
  // "sha256:" and 64 hexadecimal digits. Requires: called once, and nothing added afterwards.
  std::string finish();

 private:
  std::unique_ptr<evp_md_ctx_st, void (*)(evp_md_ctx_st*)> context_;
};

std::string sha256_of(std::string_view bytes);

// The digits of a digest as finish() writes it. Another algorithm is kUnsupported, anything else
// kCorrupt: what this returns is fit for the name of a file.
Result<std::string> digest_digits(std::string_view digest);
bool is_sha256_digits(std::string_view text);

// Hashes what passes through it.
class HashedStream final : public ByteStream {
 public:
  // Requires: `source` lives longer.
  explicit HashedStream(ByteStream& source) : source_(source) {}
  Result<std::string_view> next() override;
  // Reads the rest and returns the digest of everything. Once.
  Result<std::string> digest_to_the_end();

 private:
  ByteStream& source_;
  Sha256 hash_;
};

}  // namespace sf::roots
