#include "shell/command.h"

#include <nlohmann/json.hpp>

#include "wire/checked_int.h"

namespace sf::waypoint {
namespace {

using wire::bytes_to_text;
using wire::checked_int;
using wire::Json;
using wire::text_to_bytes;

// The only exceptions in this layer are nlohmann's, and they stop here.
template <typename T>
struct AsResult {
  using Type = Result<T>;
};
template <typename T>
struct AsResult<Result<T>> {
  using Type = Result<T>;
};

template <typename F>
auto strict(F read) -> typename AsResult<decltype(read())>::Type {
  try {
    return read();
  } catch (const Json::exception& e) {
    return fail(ErrorCode::kCorrupt, std::string("malformed message: ") + e.what());
  }
}

// Cuts the payload into the pieces whose sizes the header tells.
class Slicer {
 public:
  explicit Slicer(const std::string& payload) : payload_(payload) {}
  std::string next(std::size_t size) {
    if (size > payload_.size() - at_) {
      fits_ = false;
      return {};
    }
    at_ += size;
    return payload_.substr(at_ - size, size);
  }
  Status finish() const {
    if (fits_ && at_ == payload_.size()) return Ok{};
    return fail(ErrorCode::kCorrupt,
                "malformed message: the payload has another size than its header says");
  }

 private:
  const std::string& payload_;
  std::size_t at_ = 0;
  bool fits_ = true;
};

}  // namespace

Json to_json(const ExecRequest& request) {
  return {{"timeout_ms", request.timeout.count()},
          {"max_output", request.max_output},
          {"raw", request.raw},
          {"look", request.fingerprint},
          {"always_look", request.always_fingerprint}};
}

Result<ExecRequest> exec_request_from_json(const Json& json, std::string command) {
  return strict([&] {
    return ExecRequest{std::move(command),
                       milliseconds(checked_int<long long>(json, "timeout_ms")),
                       checked_int<std::size_t>(json, "max_output"),
                       json.at("raw").get<bool>(),
                       json.at("look").get<bool>(),
                       json.at("always_look").get<bool>()};
  });
}

Json to_json(const ExecResult& r) {
  return {{"exit_code", r.exit_code},
          {"duration_us", r.duration.count()},
          {"output_bytes", r.output_bytes},
          {"raw_hash", r.raw_hash},
          {"timed_out", r.timed_out},
          {"truncated", r.truncated},
          {"shell_restarted", r.shell_restarted},
          {"left_background", r.left_background},
          {"output_size", r.output.size()},
          {"raw_size", r.raw.size()},
          {"background_size", r.background.size()}};
}

Result<ExecResult> exec_result_from_json(const Json& json, const std::string& payload) {
  return strict([&]() -> Result<ExecResult> {
    ExecResult r;
    r.exit_code = checked_int<int>(json, "exit_code");
    r.duration = microseconds(checked_int<long long>(json, "duration_us"));
    r.output_bytes = checked_int<std::uint64_t>(json, "output_bytes");
    r.raw_hash = checked_int<std::uint64_t>(json, "raw_hash");
    r.timed_out = json.at("timed_out").get<bool>();
    r.truncated = json.at("truncated").get<bool>();
    r.shell_restarted = json.at("shell_restarted").get<bool>();
    r.left_background = json.at("left_background").get<bool>();
    Slicer slices(payload);
    r.output = slices.next(checked_int<std::size_t>(json, "output_size"));
    r.raw = slices.next(checked_int<std::size_t>(json, "raw_size"));
    r.background = slices.next(checked_int<std::size_t>(json, "background_size"));
    SF_TRY(slices.finish());
    return r;
  });
}

Json to_json(const SideExecRequest& request) {
  std::vector<std::string> argv;
  for (const std::string& word : request.argv) argv.push_back(bytes_to_text(word));
  std::map<std::string, std::string> env;
  for (const auto& [name, value] : request.env) env[bytes_to_text(name)] = bytes_to_text(value);
  return {{"argv", argv},
          {"env", env},
          {"cwd", bytes_to_text(request.cwd)},
          {"user", request.user},
          {"timeout_ms", request.timeout.count()},
          {"max_output", request.max_output}};
}

Result<SideExecRequest> side_exec_request_from_json(const Json& json, std::string input) {
  return strict([&] {
    SideExecRequest r;
    for (const Json& word : json.at("argv"))
      r.argv.push_back(text_to_bytes(word.get<std::string>()));
    for (const auto& [name, value] : json.at("env").items())
      r.env[text_to_bytes(name)] = text_to_bytes(value.get<std::string>());
    r.cwd = text_to_bytes(json.at("cwd").get<std::string>());
    r.user = json.at("user").get<std::string>();
    r.input = std::move(input);
    r.timeout = milliseconds(checked_int<long long>(json, "timeout_ms"));
    r.max_output = checked_int<std::size_t>(json, "max_output");
    return r;
  });
}

Json to_json(const SideExecResult& r) {
  return {{"exit_code", r.exit_code},
          {"duration_us", r.duration.count()},
          {"timed_out", r.timed_out},
          {"truncated", r.truncated},
          {"stdout_size", r.standard_output.size()},
          {"stderr_size", r.standard_error.size()}};
}

Result<SideExecResult> side_exec_result_from_json(const Json& json, const std::string& payload) {
  return strict([&]() -> Result<SideExecResult> {
    SideExecResult r;
    r.exit_code = checked_int<int>(json, "exit_code");
    r.duration = microseconds(checked_int<long long>(json, "duration_us"));
    r.timed_out = json.at("timed_out").get<bool>();
    r.truncated = json.at("truncated").get<bool>();
    Slicer slices(payload);
    r.standard_output = slices.next(checked_int<std::size_t>(json, "stdout_size"));
    r.standard_error = slices.next(checked_int<std::size_t>(json, "stderr_size"));
    SF_TRY(slices.finish());
    return r;
  });
}

}  // namespace sf::waypoint
