#include "service/daemon_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>

#include "os/error.h"
#include "os/file.h"
#include "service/wall_time.h"

namespace sf::service {
namespace {

constexpr off_t kMaxLog = off_t{16} << 20U;

// Quotes values, so that outside text cannot look like another line or field.
std::string log_value(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else {
      out += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? '?' : c;
    }
  }
  return out + "\"";
}

}  // namespace

void DaemonLog::write(std::string_view level, std::string_view message,
                      std::initializer_list<LogField> fields, std::string_view rest) {
  std::string line = to_iso_text(wall_now()) + " " + std::string(level) + " " + log_value(message);
  for (const auto& [key, value] : fields) line += " " + std::string(key) + "=" + log_value(value);
  line += std::string(rest) + "\n";
  std::lock_guard lock(mutex_);
  (void)os::write_all(fd_.get(), line).ok();  // a full disk must not stop the daemon
}

void DaemonLog::error(std::string_view message, const Error& why,
                      std::initializer_list<LogField> fields) {
  write("error", message, fields,
        " code=" + std::string(to_string(why.code)) + " why=" + log_value(why.describe()));
}

Result<os::UniqueFd> open_log(const std::string& path) {
  if (path.empty()) {
    os::UniqueFd fd(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0));
    if (!fd.valid()) return os::last_error("using standard error for the log");
    return fd;
  }
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0 && info.st_size > kMaxLog)
    (void)os::rename_path(path, path + ".1").ok();
  return os::open_file(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
}

}  // namespace sf::service
