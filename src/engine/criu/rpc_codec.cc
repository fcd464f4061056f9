#include "engine/criu/rpc_codec.h"

#include "engine/criu/varint.h"

namespace sf::waypoint::criu {
namespace {

// Field numbers of CRIU's request and option messages.
enum OptionField : unsigned {
  kImagesDirFd = 1,
  kPid = 2,
  kLeaveRunning = 3,
  kTcpEstablished = 5,
  kFileLocks = 8,
  kLogLevel = 9,
  kLogFile = 10,
  kNotifyScripts = 12,
  kRoot = 13,
  kLinkRemap = 18,
  kManageCgroups = 24,
  kRestoreSibling = 26,
  kManageCgroupsMode = 34,
  kGhostLimit = 35,
  kTcpSkipInFlight = 46,
  kOrphanPtsMaster = 50,
  kTcpClose = 52,
  kNetworkLock = 64,
  kImagesDir = 68,
};

// Unlinked files are saved whole up to this size. The field has 32 bits: 4 GiB would become 0.
constexpr std::uint64_t kGhostBytes = 0xffffffffU;

class Writer {
 public:
  void number(unsigned field, std::uint64_t value) {
    append_varint(out_, field << 3U);
    append_varint(out_, value);
  }
  void text(unsigned field, std::string_view value) {
    append_varint(out_, field << 3U | 2U);
    append_varint(out_, value.size());
    out_ += value;
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

struct Field {
  unsigned number = 0;
  std::uint64_t value = 0;
  std::string_view bytes;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : left_(bytes) {}
  bool done() const { return left_.empty(); }
  std::optional<Field> next() {
    auto key = take_varint(left_);
    if (!key) return std::nullopt;
    Field field{static_cast<unsigned>(*key >> 3U), 0, {}};
    switch (*key & 7U) {
      case 0: {
        auto value = take_varint(left_);
        if (!value) return std::nullopt;
        field.value = *value;
        return field;
      }
      case 2: {
        auto size = take_varint(left_);
        if (!size || *size > left_.size()) return std::nullopt;
        field.bytes = left_.substr(0, *size);
        left_.remove_prefix(*size);
        return field;
      }
      default:
        return std::nullopt;
    }
  }

 private:
  std::string_view left_;
};

}  // namespace

std::string encode_request(RequestType type, const Options& options) {
  Writer opts;
  opts.number(kImagesDirFd, ~0ULL);  // -1: the directory is given by name
  opts.text(kImagesDir, options.images_dir);
  opts.text(kLogFile, options.log_file);
  opts.number(kLogLevel, static_cast<std::uint64_t>(options.log_level));
  opts.number(kTcpEstablished, 1);
  opts.number(kTcpSkipInFlight, 1);
  opts.number(kFileLocks, 1);
  opts.number(kLinkRemap, 1);
  opts.number(kGhostLimit, kGhostBytes);
  opts.number(kManageCgroups, 1);
  opts.number(kManageCgroupsMode, 0);  // ignore: the keeper places the tree
  opts.number(kNetworkLock, static_cast<std::uint64_t>(options.network_lock));
  opts.number(kNotifyScripts, 1);
  opts.number(kOrphanPtsMaster, 1);  // the keeper holds the terminal's master
  if (options.pid) opts.number(kPid, static_cast<std::uint64_t>(options.pid));
  if (!options.root.empty()) opts.text(kRoot, options.root);
  if (options.leave_running) opts.number(kLeaveRunning, 1);
  if (options.close_tcp) opts.number(kTcpClose, 1);
  if (type == RequestType::kRestore) opts.number(kRestoreSibling, 1);  // the tree becomes our child
  Writer request;
  request.number(1, static_cast<std::uint64_t>(type));
  request.text(2, opts.take());
  return request.take();
}

std::string encode_notify_answer(bool success) {
  Writer request;
  request.number(1, static_cast<std::uint64_t>(RequestType::kNotify));
  request.number(3, success ? 1 : 0);
  return request.take();
}

Result<Response> decode_response(std::string_view bytes) {
  Response response;
  Reader reader(bytes);
  while (!reader.done()) {
    auto field = reader.next();
    if (!field) return fail(ErrorCode::kCorrupt, "malformed reply from CRIU");
    if (field->number == 1) response.type = static_cast<RequestType>(field->value);
    if (field->number == 2) response.success = field->value != 0;
    if (field->number == 7) response.os_errno = static_cast<int>(field->value);
    if (field->number == 9) response.error_message = field->bytes;
    if (field->number != 4 && field->number != 5) continue;
    Reader inner(field->bytes);  // 4: restore {pid = 1}; 5: notify {script = 1, pid = 2}
    while (!inner.done()) {
      auto part = inner.next();
      if (!part) return fail(ErrorCode::kCorrupt, "malformed reply from CRIU");
      if (field->number == 4 && part->number == 1) response.pid = static_cast<int>(part->value);
      if (field->number == 5 && part->number == 1) response.notify_script = part->bytes;
      if (field->number == 5 && part->number == 2) response.pid = static_cast<int>(part->value);
    }
  }
  return response;
}

}  // namespace sf::waypoint::criu
