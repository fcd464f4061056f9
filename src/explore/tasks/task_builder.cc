#include "explore/tasks/task_builder.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/digest.h"
#include "base/scope_exit.h"
#include "base/shell_words.h"
#include "client/session_client.h"
#include "explore/tasks/copy_step.h"
#include "os/file.h"

namespace sf::explore {

using client::ApiClient;
using client::SessionClient;
using wire::Json;

namespace {

constexpr const char* kKeyNote = "build.key";
constexpr const char* kStepNote = "build.step";
constexpr std::size_t kKeptOutput = 64U << 10U;
constexpr std::size_t kMaxTitle = 2000;

struct KeyedStep {
  std::string title;
  std::string command;
  UploadPlan upload;
  std::string key;  // digest of this step and all steps before it
};

// Tasks with the same base and settings share a session, so the request has a name derived from
// them.
Json session_request(const Task& task, const BuildSettings& settings, const BuildPlan& plan) {
  Json request = {{"root", settings.root},
                  {"backend", settings.backend},
                  {"policy", settings.policy},
                  {"network", settings.network},
                  {"labels", {{"made-by", "explore"}}}};
  if (!settings.engine.empty()) request["engine"] = settings.engine;
  if (!plan.env.empty()) request["env"] = plan.env;
  if (os::is_directory(settings.root + plan.workdir)) request["cwd"] = plan.workdir;
  if (task.memory_bytes != 0) request["memory_bytes"] = task.memory_bytes;
  if (task.cpus > 0) request["cpus"] = task.cpus;
  request["name"] = "task-" + Digest().add(request.dump()).hex().substr(0, 16);
  return request;
}

struct FoundSession {
  std::string id;
  bool is_new = false;
};

Result<FoundSession> find_or_make_session(const ApiClient& api, const Json& request) {
  const std::string path =
      "/v1/sessions/" + client::path_part(request.at("name").get<std::string>());
  for (bool is_second : {false, true}) {
    auto found = api.get(path);
    if (found) return FoundSession{found->value("id", ""), false};
    if (found.error().code != ErrorCode::kNotFound) return std::move(found).error();
    auto made = api.post("/v1/sessions", request);
    if (made) return FoundSession{made->value("id", ""), true};
    // kBusy: another process may have made the session in the meantime.
    if (is_second || made.error().code != ErrorCode::kBusy) return std::move(made).error();
  }
  return fail(ErrorCode::kBusy, "another process keeps creating and removing the session",
              "try again");
}

std::string entrypoint_command(const BuildPlan& plan) {
  std::string text = "( setsid";
  for (const std::string& word : plan.entrypoint) text += " " + shell_word(word);
  return text + " </dev/null >/var/log/entrypoint.log 2>&1 & )";
}

// Prefers the ignore file named after the Dockerfile over the one of the context.
Result<IgnoreRules> ignore_rules(const Task& task) {
  for (const std::string& path :
       {task.dockerfile + ".dockerignore", task.context + "/.dockerignore"}) {
    if (!os::exists(path)) continue;
    SF_TRY_ASSIGN(std::string text, os::read_file(path));
    return IgnoreRules(text);
  }
  return IgnoreRules();
}

bool is_empty(const UploadPlan& plan) {
  return plan.directories.empty() && plan.files.empty() && plan.links.empty();
}

Result<std::vector<KeyedStep>> keyed_steps(const Task& task, const BuildPlan& plan,
                                           const BuildSettings& settings,
                                           const Stopping& stopping) {
  SF_TRY_ASSIGN(IgnoreRules ignored, ignore_rules(task));
  std::vector<BuildStep> steps = plan.steps;
  steps.push_back({.title = "enter " + plan.workdir, .command = entering_command(plan)});
  if (!plan.entrypoint.empty())
    steps.push_back({.title = "ENTRYPOINT", .command = entrypoint_command(plan)});
  std::vector<KeyedStep> keyed;
  std::string before;
  auto add = [&](KeyedStep each) -> Status {
    SF_TRY_ASSIGN(std::string files, digest_of(each.upload, stopping));
    each.key = Digest().add(before).add(each.command).add(files).hex();
    before = each.key;
    keyed.push_back(std::move(each));
    return Ok{};
  };
  for (BuildStep& step : steps) {
    KeyedStep each{step.title.substr(0, kMaxTitle), step.command, {}, {}};
    if (!step.sources.empty()) {
      auto copied = plan_copy(step, task.context, ignored);
      if (!copied) return std::move(copied).error().while_doing(step.title);
      each.upload = std::move(copied->upload);
      each.command = std::move(copied->command);
    }
    SF_TRY(add(std::move(each)));
  }
  if (!is_empty(settings.brings))
    SF_TRY(add({"the task's own solution", settings.brings_check, settings.brings, ""}));
  return keyed;
}

// The number of steps that are built already, and the node of the last one.
Result<std::pair<std::size_t, std::string>> find_built(const SessionClient& session,
                                                       const std::vector<KeyedStep>& steps) {
  SF_TRY_ASSIGN(Json tree, session.tree());
  std::map<std::string, std::string> node_of;  // by key
  std::string root;
  for (const Json& node : tree.value("nodes", Json::array())) {
    if (node.at("parent").is_null()) root = node.value("id", "");
    const Json notes = node.value("notes", Json::object());
    if (notes.contains(kKeyNote)) node_of[notes[kKeyNote]] = node.value("id", "");
  }
  for (std::size_t count = steps.size(); count > 0; --count) {
    auto found = node_of.find(steps[count - 1].key);
    if (found != node_of.end()) return std::pair(count, found->second);
  }
  return std::pair(std::size_t{0}, root);
}

Result<std::string> perform(const SessionClient& session, const std::string& branch,
                            const KeyedStep& step, seconds timeout, const Stopping& stopping) {
  if (stopping()) return stopped();
  SF_TRY(send_in_shell(session, branch, step.upload, stopping));
  if (!step.command.empty()) {
    SF_TRY_ASSIGN(
        std::optional<Observation> seen,
        session.exec_until(branch,
                           {.command = step.command, .timeout = timeout, .max_output = kKeptOutput},
                           stopping));
    if (!seen) return stopped();
    if (seen->timed_out)
      return fail(ErrorCode::kTimedOut, step.title + " exceeded the time limit of the build",
                  "increase build_timeout_sec of the task");
    if (seen->exit_code != 0)
      return fail(ErrorCode::kOs, step.title + " failed with status " +
                                      std::to_string(seen->exit_code) + ":\n" + seen->output);
  }
  return session.snapshot(branch, {{kKeyNote, step.key}, {kStepNote, step.title}});
}

Result<BuildPlan> plan_of(const Task& task, const BuildSettings& settings) {
  BuildPlan plan;
  if (task.dockerfile.empty()) {
    plan = {.from = task.image,
            .env = settings.defaults.env,
            .workdir = settings.defaults.workdir,
            .user = settings.defaults.user};
  } else {
    SF_TRY_ASSIGN(std::string text, os::read_file(task.dockerfile));
    auto instructions = parse_dockerfile(text);
    if (!instructions) return std::move(instructions).error().while_doing(task.dockerfile);
    auto planned = plan_build(*instructions, settings.defaults);
    if (!planned) return std::move(planned).error().while_doing(task.dockerfile);
    plan = std::move(*planned);
  }
  for (const auto& [name, value] : task.env) plan.env[name] = value;
  if (!task.workdir.empty()) plan.workdir = task.workdir;
  if (plan.workdir.empty()) plan.workdir = "/";
  const std::string user = plan.user.substr(0, plan.user.find(':'));
  if (!user.empty() && user != "root" && user != "0")
    return fail(ErrorCode::kUnsupported, "the task's shell runs as user " + user,
                "only root is supported; RUN may use other users");
  return plan;
}

}  // namespace

Result<BuiltTask> build_task(const ApiClient& api, const Task& task, const BuildSettings& settings,
                             const std::string& branch, const BuildEvents& events) {
  SF_TRY_ASSIGN(BuildPlan plan, plan_of(task, settings));
  SF_TRY_ASSIGN(std::vector<KeyedStep> steps, keyed_steps(task, plan, settings, events.stopping));
  SF_TRY_ASSIGN(FoundSession made,
                find_or_make_session(api, session_request(task, settings, plan)));
  const SessionClient session(api, made.id);
  ScopeExit forget([&] {
    if (made.is_new) (void)api.remove("/v1/sessions/" + client::path_part(made.id));
  });
  SF_TRY_ASSIGN(auto found, find_built(session, steps));
  const auto& [reused, node] = found;
  BuiltTask built{.session = made.id, .node = node, .workdir = plan.workdir};
  if (reused > 0) forget.dismiss();
  for (std::size_t i = 0; i < reused; ++i) events.on_step(steps[i].title, true);
  if (reused == steps.size()) return built;
  SF_TRY(session.end_branch(branch));  // left by a build that was killed
  SF_TRY(session.fork(built.node, branch));
  ScopeExit end([&] { (void)session.end_branch(branch); });
  for (std::size_t i = reused; i < steps.size(); ++i) {
    events.on_step(steps[i].title, false);
    SF_TRY_ASSIGN(built.node,
                  perform(session, branch, steps[i], task.build_timeout, events.stopping));
    forget.dismiss();
  }
  return built;
}

}  // namespace sf::explore
