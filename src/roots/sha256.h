// Sha256: incremental SHA-256, the digest that identifies images and their parts.
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
  // "sha256:" and 64 hexadecimal digits. Requires: called once, as the last call.
  std::string finish();

 private:
  std::unique_ptr<evp_md_ctx_st, void (*)(evp_md_ctx_st*)> context_;
};

std::string sha256_of(std::string_view bytes);

// The digits of a digest from finish(). They are safe as a file name. kUnsupported for another
// algorithm, kCorrupt for anything else.
Result<std::string> digest_digits(std::string_view digest);
bool is_sha256_digits(std::string_view text);

// Computes the digest of the bytes that are read through it.
class HashedStream final : public ByteStream {
 public:
  // Requires: `source` outlives this.
  explicit HashedStream(ByteStream& source) : source_(source) {}
  Result<std::string_view> next() override;
  // Reads the rest and returns the digest of the whole stream. Requires: called once.
  Result<std::string> digest_to_the_end();

 private:
  ByteStream& source_;
  Sha256 hash_;
};

}  // namespace sf::roots
