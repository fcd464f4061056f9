// Uploads files of the host into a branch. The plan has all directories, files and modes before
// anything is sent.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/session_client.h"

namespace sf::explore {

struct Upload {
  std::string from;  // a file or directory of the host
  std::string to;    // path in the session
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

// True if a path of the host is uploaded. Directories that are not may still contain paths that
// are.
using UploadFilter = std::function<bool(const std::string& path)>;

// Walks directories. kInvalidArgument: a path is neither file, directory nor link.
Result<UploadPlan> plan_upload(const std::vector<Upload>& uploads, const UploadFilter& takes = {});

// Polled during long operations. If it returns true, the operation is aborted with stopped().
using Stopping = std::function<bool()>;
inline Error stopped() { return fail(ErrorCode::kBusy, "the operation was stopped"); }

// Equal digests if and only if the same content would be sent.
Result<std::string> digest_of(const UploadPlan& plan, const Stopping& stopping);

// Pure. Shell commands to run before and after the files are written.
std::string commands_before(const UploadPlan& plan);
std::string commands_after(const UploadPlan& plan);

// Uses commands of the shell, which can be replayed.
Status send_in_shell(const client::SessionClient& session, const std::string& branch,
                     const UploadPlan& plan, const Stopping& stopping);
// Uses side commands, which work even if the shell is busy.
Status send_beside(const client::SessionClient& session, const std::string& branch,
                   const UploadPlan& plan);

}  // namespace sf::explore
