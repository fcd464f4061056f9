// Requests to init: rejected, or read into terminated lists. Requests of the keeper arrive
// unchanged.
#include "shell/init/start_request.h"

#include <memory>

#include "input.h"
#include "shell/init/request_reader.h"

namespace sf::fuzz {
namespace {

using waypoint::RequestReader;
using waypoint::Start;
using waypoint::StartRequest;

// Reads a list up to its null pointer, like exec.
std::vector<std::string> strings(char** list) {
  std::vector<std::string> words;
  for (; *list != nullptr; ++list) words.emplace_back(*list);
  return words;
}

bool read(RequestReader& reader, std::string& text, Start& start) {
  if (!reader.load(text.data(), text.size())) return false;
  reader.word();
  return reader.read_start(start);
}

// A valid request: words without NUL, and not more groups than init stores.
StartRequest request_from(std::string_view input) {
  Input in(input);
  StartRequest request{.kind = "side", .id = static_cast<long>(in.byte())};
  request.who = {static_cast<uid_t>(in.number(4)), static_cast<gid_t>(in.number(4)), {}};
  for (std::size_t n = in.byte() % 65U; n > 0; --n)
    request.who.groups.push_back(static_cast<gid_t>(in.number(4)));
  request.cwd = in.until('\0');
  std::size_t arguments = in.byte() % 8U;
  for (std::size_t i = 0; i < arguments; ++i) request.argv.emplace_back(in.until('\0'));
  while (!in.is_empty()) request.env.emplace_back(in.until('\0'));
  return request;
}

}  // namespace

void start_request(std::string_view input) {
  static const auto kReader = std::make_unique<RequestReader>();  // large
  std::string text(input);
  Start start;
  if (read(*kReader, text, start)) {
    SF_CHECK(strings(start.argv).size() + strings(start.env).size() < input.size());
    SF_CHECK(start.group_count <= start.groups.size());
  }

  const StartRequest request = request_from(input);
  std::string written = waypoint::encode(request);
  Start again;
  SF_CHECK(read(*kReader, written, again));
  SF_CHECK(again.id == request.id);
  SF_CHECK(again.uid == request.who.uid && again.gid == request.who.gid);
  SF_CHECK(std::equal(request.who.groups.begin(), request.who.groups.end(), again.groups.begin(),
                      again.groups.begin() + static_cast<std::ptrdiff_t>(again.group_count)));
  SF_CHECK(again.cwd == request.cwd);
  SF_CHECK(strings(again.argv) == request.argv);
  SF_CHECK(strings(again.env) == request.env);
}

}  // namespace sf::fuzz
