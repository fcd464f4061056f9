#include "waypoint/command.h"

#include <nlohmann/json.hpp>

namespace sf::waypoint {
namespace {

using wire::Json;

// The only exceptions in this layer are nlohmann's, and they stop here.
template <typename F>
auto strict(F read) -> Result<decltype(read())> {
  try {
    return read();
  } catch (const Json::exception& e) {
    return fail(ErrorCode::kCorrupt, std::string("malformed message: ") + e.what());
  }
}

std::string slice(const std::string& payload, std::size_t& at, std::size_t size) {
  std::string part = payload.substr(std::min(at, payload.size()), size);
  at += size;
  return part;
}

}  // namespace

Json to_json(const ExecRequest& request) {
  return {{"timeout_ms", request.timeout.count()},
          {"max_output", request.max_output},
          {"raw", request.raw}};
}

Result<ExecRequest> exec_request_from_json(const Json& json, std::string command) {
  return strict([&] {
    return ExecRequest{std::move(command), milliseconds(json.at("timeout_ms").get<long long>()),
                       json.at("max_output").get<std::size_t>(), json.at("raw").get<bool>()};
  });
}

Json to_json(const ExecResult& r) {
  return {{"exit_code", r.exit_code},
          {"duration_us", r.duration.count()},
          {"output_bytes", r.output_bytes},
          {"timed_out", r.timed_out},
          {"truncated", r.truncated},
          {"shell_restarted", r.shell_restarted},
          {"output_size", r.output.size()},
          {"raw_size", r.raw.size()},
          {"background_size", r.background.size()}};
}

Result<ExecResult> exec_result_from_json(const Json& json, const std::string& payload) {
  return strict([&] {
    ExecResult r;
    r.exit_code = json.at("exit_code").get<int>();
    r.duration = microseconds(json.at("duration_us").get<long long>());
    r.output_bytes = json.at("output_bytes").get<std::uint64_t>();
    r.timed_out = json.at("timed_out").get<bool>();
    r.truncated = json.at("truncated").get<bool>();
    r.shell_restarted = json.at("shell_restarted").get<bool>();
    std::size_t at = 0;
    r.output = slice(payload, at, json.at("output_size").get<std::size_t>());
    r.raw = slice(payload, at, json.at("raw_size").get<std::size_t>());
    r.background = slice(payload, at, json.at("background_size").get<std::size_t>());
    return r;
  });
}

Json to_json(const SideExecRequest& request) {
  return {{"argv", request.argv},
          {"env", request.env},
          {"cwd", request.cwd},
          {"user", request.user},
          {"timeout_ms", request.timeout.count()},
          {"max_output", request.max_output}};
}

Result<SideExecRequest> side_exec_request_from_json(const Json& json, std::string input) {
  return strict([&] {
    SideExecRequest r;
    r.argv = json.at("argv").get<std::vector<std::string>>();
    r.env = json.at("env").get<std::map<std::string, std::string>>();
    r.cwd = json.at("cwd").get<std::string>();
    r.user = json.at("user").get<std::string>();
    r.input = std::move(input);
    r.timeout = milliseconds(json.at("timeout_ms").get<long long>());
    r.max_output = json.at("max_output").get<std::size_t>();
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
  return strict([&] {
    SideExecResult r;
    r.exit_code = json.at("exit_code").get<int>();
    r.duration = microseconds(json.at("duration_us").get<long long>());
    r.timed_out = json.at("timed_out").get<bool>();
    r.truncated = json.at("truncated").get<bool>();
    std::size_t at = 0;
    r.standard_output = slice(payload, at, json.at("stdout_size").get<std::size_t>());
    r.standard_error = slice(payload, at, json.at("stderr_size").get<std::size_t>());
    return r;
  });
}

}  // namespace sf::waypoint
