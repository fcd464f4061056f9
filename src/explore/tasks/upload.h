// Files of the host into a branch: what has to be made, written and set, decided before anything
// is sent.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/session_client.h"

namespace sf::explore {

struct Upload {
  std::string from;  // a file or a directory of the host
  std::string to;    // its path inside
};

struct UploadPlan {
  struct File {
    std::string from;  // empty: `content`
    std::string to;
    mode_t mode = 0644;
    std::string content;
  };
  struct Link {
    std::string target;
    std::string to;
  };
  std::vector<std::string> directories;  // parents first
  std::vector<File> files;
  std::vector<Link> links;
};

// Whether a path of the host comes along. Of a directory that does not, what is below it still may.
using UploadFilter = std::function<bool(const std::string& path)>;

// Walks directories; what is neither file, directory nor link is an error.
Result<UploadPlan> plan_upload(const std::vector<Upload>& uploads, const UploadFilter& takes = {});

// Asked all the time; true: what is under way is broken off.
using Stopping = std::function<bool()>;
// What whoever has stopped something is told.
inline Error stopped() { return fail(ErrorCode::kBusy, "it was stopped"); }

// Says the same when, and only when, the same would be sent.
Result<std::string> digest_of(const UploadPlan& plan, const Stopping& stopping);

// Pure. Shell commands: to be run before the files are written, and after.
std::string commands_before(const UploadPlan& plan);
std::string commands_after(const UploadPlan& plan);

// By commands of the shell, which can be replayed.
Status send_in_shell(const client::SessionClient& session, const std::string& branch,
                     const UploadPlan& plan, const Stopping& stopping);
// Beside the shell, whatever that does.
Status send_beside(const client::SessionClient& session, const std::string& branch,
                   const UploadPlan& plan);

}  // namespace sf::explore
