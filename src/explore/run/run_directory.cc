#include "explore/run/run_directory.h"

#include <fcntl.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "explore/journal.h"
#include "os/error.h"
#include "os/file.h"
#include "os/file_lock.h"

namespace sf::explore {

using wire::Json;

namespace {

constexpr const char* kPlan = "/run.json";
constexpr const char* kJournal = "/journal.jsonl";
constexpr std::size_t kMaxJournal = 1U << 30U;
constexpr mode_t kMode = 0644;

Error no_run(const std::string& path) {
  return fail(ErrorCode::kNotFound, path + " is not the directory of a run",
              "use a directory that `statefork explore` created");
}

}  // namespace

Result<RunDirectory> RunDirectory::lock(const std::string& path) {
  SF_TRY_ASSIGN(os::UniqueFd file, os::open_file(path + "/lock", O_RDWR | O_CREAT, kMode));
  SF_TRY_ASSIGN(bool is_ours, os::take_lock(file, Deadline::after(milliseconds(200))));
  if (!is_ours)
    return fail(ErrorCode::kBusy, "another process uses " + path, "wait for it, or stop it");
  return RunDirectory(path, std::move(file));
}

Result<RunDirectory> RunDirectory::create(const std::string& path) {
  if (os::exists(path + kPlan))
    return invalid(path + " already contains a run",
                   "resume it (--resume " + path + "), or choose another directory (--out)");
  SF_TRY(os::make_directories(path, 0755));
  return lock(path);
}

Result<RunDirectory> RunDirectory::open(const std::string& path) {
  if (!os::exists(path + kPlan)) return no_run(path);
  return lock(path);
}

Status RunDirectory::save_plan(const RunPlan& plan) const {
  return os::publish_file(path_ + kPlan, to_json(plan).dump(1) + "\n", kMode);
}

Result<RunPlan> RunDirectory::plan() const { return read_plan(path_); }

Status RunDirectory::append(const std::string& line) {
  if (!journal_.valid()) {
    SF_TRY_ASSIGN(journal_, os::open_file(path_ + kJournal, O_WRONLY | O_CREAT | O_APPEND, kMode));
  }
  SF_TRY(os::write_all(journal_.get(), line));
  if (::fdatasync(journal_.get()) != 0) return os::last_error("writing the journal");
  return Ok{};
}

Result<std::optional<SearchTree>> RunDirectory::tree() {
  if (!os::exists(path_ + kJournal)) return std::optional<SearchTree>();
  SF_TRY_ASSIGN(std::string text, os::read_file(path_ + kJournal, kMaxJournal));
  const std::size_t whole = text.rfind('\n') + 1;  // 0: no complete line
  if (whole != text.size() &&
      ::truncate((path_ + kJournal).c_str(), static_cast<off_t>(whole)) != 0)
    return os::last_error("removing an incomplete line from the journal");
  if (whole == 0) return std::optional<SearchTree>();
  SF_TRY_ASSIGN(SearchTree tree, read_journal(std::string_view(text).substr(0, whole)));
  return std::optional(std::move(tree));
}

Status RunDirectory::save(const std::string& name, const std::string& content) const {
  return os::publish_file(file(name), content, kMode);
}

Result<RunPlan> read_plan(const std::string& directory) {
  auto text = os::read_file(directory + kPlan);
  if (!text && text.error().code == ErrorCode::kNotFound) return no_run(directory);
  if (!text) return std::move(text).error();
  return run_plan_from(Json::parse(*text, nullptr, false));
}

Result<SearchTree> read_tree(const std::string& directory) {
  auto text = os::read_file(directory + kJournal, kMaxJournal);
  if (!text && text.error().code == ErrorCode::kNotFound) return no_run(directory);
  if (!text) return std::move(text).error();
  return read_journal(*text);
}

}  // namespace sf::explore
