// CRIU's service messages (protocol buffers, the few fields we use) as plain structs. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sf::waypoint::criu {

enum class RequestType { kDump = 1, kRestore = 2, kNotify = 6 };
enum class NetworkLock { kNftables = 2, kSkip = 3 };

struct Options {
  std::string images_dir;
  std::string log_file;
  int pid = 0;       // dump: root of the tree
  std::string root;  // restore: mount point of the new root
  NetworkLock network_lock = NetworkLock::kSkip;
  bool leave_running = false;
  bool close_tcp = false;
  int log_level = 2;
};

std::string encode_request(RequestType type, const Options& options);
std::string encode_notify_answer(bool success);

struct Response {
  RequestType type = RequestType::kDump;
  bool success = false;
  std::string notify_script;  // kNotify: which notification this is
  int pid = 0;                // restored root, in the namespace of CRIU's parent
  int os_errno = 0;
  std::string error_message;
};

Result<Response> decode_response(std::string_view bytes);

}  // namespace sf::waypoint::criu
