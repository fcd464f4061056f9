#include "explore/tasks/build_plan.h"

#include <algorithm>
#include <set>

#include "base/shell_words.h"

namespace sf::explore {
namespace {

using Variables = std::map<std::string, std::string>;

// Instructions that describe the image and have no effect on a session.
const std::set<std::string> kIgnored = {"LABEL",  "MAINTAINER", "EXPOSE",
                                        "VOLUME", "STOPSIGNAL", "HEALTHCHECK"};

std::string absolute(const std::string& path, const std::string& workdir) {
  if (path.starts_with("/")) return path;
  return (workdir == "/" ? "" : workdir) + "/" + path;
}

class Planner {
 public:
  explicit Planner(const ImageDefaults& defaults) {
    plan_.env = defaults.env;
    plan_.workdir = defaults.workdir.empty() ? "/" : defaults.workdir;
    plan_.user = defaults.user;
  }

  Status take(const Instruction& each) {
    line_ = each.line;
    const std::string& keyword = each.keyword;
    if (kIgnored.contains(keyword)) return Ok{};
    if (keyword == "ARG") return take_arg(each);
    if (keyword == "FROM") return take_from(each);
    if (plan_.from.empty()) return wrong(keyword + " before FROM");
    if (keyword == "RUN") return take_run(each);
    if (keyword == "COPY" || keyword == "ADD") return take_copy(each);
    if (keyword == "WORKDIR") return take_workdir(each);
    if (keyword == "ENV") return take_env(each);
    if (keyword == "USER") return take_user(each);
    if (keyword == "SHELL") return take_shell(each);
    if (keyword == "ENTRYPOINT") {
      plan_.entrypoint = command_words(each);
      return Ok{};
    }
    if (keyword == "CMD") return Ok{};  // the agent's shell runs in its place
    return fail(ErrorCode::kUnsupported, where() + keyword + " is not supported",
                "use FROM, RUN, COPY, ADD, WORKDIR, ENV, ARG, USER, SHELL, ENTRYPOINT, CMD");
  }

  Result<BuildPlan> done() && {
    if (plan_.from.empty()) return invalid("the Dockerfile has no FROM");
    return std::move(plan_);
  }

 private:
  std::string where() const { return "line " + std::to_string(line_) + ": "; }
  Error wrong(const std::string& what) const { return invalid(where() + what); }
  Variables variables() const {
    Variables all = arguments_;
    for (const auto& [name, value] : plan_.env) all[name] = value;
    return all;
  }
  std::string expanded(const std::string& text) const { return substitute(text, variables()); }

  Status take_arg(const Instruction& each) {
    const std::size_t equals = each.text.find('=');
    const std::string name = each.text.substr(0, equals);
    if (equals != std::string::npos) {
      SF_TRY_ASSIGN(auto pairs, parse_pairs(each.text));
      for (const auto& [key, value] : pairs) arguments_[key] = expanded(value);
    } else {
      arguments_.try_emplace(name, "");
    }
    return Ok{};
  }

  Status take_from(const Instruction& each) {
    if (!plan_.from.empty())
      return fail(ErrorCode::kUnsupported, where() + "multi-stage builds are not supported",
                  "build the first stage elsewhere and COPY its files");
    SF_TRY_ASSIGN(std::vector<std::string> words, split_words(each.text));
    plan_.from = expanded(words.front());
    return Ok{};
  }

  // Runs the command as the image's user, in its directory and environment, with an empty standard
  // input.
  std::string as_user(const std::string& command) const {
    std::string text = "cd -- " + shell_word(plan_.workdir) + " && env";
    for (const auto& [name, value] : variables()) text += " " + shell_word(name + "=" + value);
    text += " " + command + " </dev/null";
    const std::string user = plan_.user.substr(0, plan_.user.find(':'));
    if (user.empty() || user == "root" || user == "0") return "( " + text + " )";
    return "su -s /bin/sh -c " + shell_word(text) + " -- " + shell_word(user);
  }

  std::string in_shell(const std::string& script) const {
    std::string text;
    for (const std::string& word : shell_) text += shell_word(word) + " ";
    return text + shell_word(script);
  }

  Status take_run(const Instruction& each) {
    BuildStep step;
    step.title = "RUN " + each.text;
    if (!each.words.empty()) {
      std::string words;
      for (const std::string& word : each.words)
        words += (words.empty() ? "" : " ") + shell_word(word);
      step.command = as_user(words);
    } else if (each.documents.empty()) {
      step.command = as_user(in_shell(each.text));
    } else {
      step.command = as_user(in_shell(with_documents(each)));
    }
    plan_.steps.push_back(std::move(step));
    return Ok{};
  }

  // If `<<EOT` is the whole text, the document is the script. Otherwise the shell reads the
  // documents.
  static std::string with_documents(const Instruction& each) {
    const bool is_alone = each.text.starts_with("<<") && each.text.find(' ') == std::string::npos;
    if (is_alone) return each.documents.front().content;
    std::string text = each.text + "\n";
    for (const HereDocument& document : each.documents)
      text += document.content + document.name + "\n";
    return text;
  }

  Status take_copy(const Instruction& each) {
    if (each.flags.contains("from"))
      return fail(ErrorCode::kUnsupported, where() + "COPY --from is not supported",
                  "put the files into the task's directory");
    std::vector<std::string> words = each.words;
    if (words.empty()) {
      SF_TRY_ASSIGN(words, split_words(each.text));
    }
    if (words.size() < 2) return wrong(each.keyword + " needs a source and a target");
    for (std::string& word : words) word = expanded(word);
    BuildStep step;
    step.title = each.keyword + " " + each.text;
    step.unpacks = each.keyword == "ADD";
    step.into_directory = words.back().ends_with("/") || words.back() == "." || words.size() > 2;
    step.target = absolute(words.back() == "." ? plan_.workdir : words.back(), plan_.workdir);
    words.pop_back();
    std::size_t document = 0;
    for (const std::string& word : words) {
      if (word.starts_with("<<")) {
        if (document == each.documents.size()) return wrong("a here-document has no text");
        const HereDocument& text = each.documents[document++];
        step.sources.push_back(
            {"", text.expands ? expanded(text.content) : text.content, text.name});
      } else if (word.find("://") != std::string::npos) {
        return fail(ErrorCode::kUnsupported, where() + "downloads are not supported",
                    "put " + word + " into the task's directory and COPY it");
      } else {
        step.sources.push_back({word, "", ""});
      }
    }
    if (auto flag = each.flags.find("chown"); flag != each.flags.end()) step.chown = flag->second;
    if (auto flag = each.flags.find("chmod"); flag != each.flags.end()) step.chmod = flag->second;
    plan_.steps.push_back(std::move(step));
    return Ok{};
  }

  Status take_workdir(const Instruction& each) {
    SF_TRY_ASSIGN(std::vector<std::string> words, split_words(each.text));
    if (words.size() != 1) return wrong("WORKDIR takes one directory");
    plan_.workdir = absolute(expanded(words.front()), plan_.workdir);
    plan_.steps.push_back(
        {.title = "WORKDIR " + each.text, .command = "mkdir -p -- " + shell_word(plan_.workdir)});
    return Ok{};
  }

  Status take_env(const Instruction& each) {
    auto pairs = parse_pairs(each.text);
    if (!pairs) return std::move(pairs).error().while_doing(where() + "ENV");
    const Variables before = variables();  // one ENV does not see its own changes
    for (const auto& [name, value] : *pairs) plan_.env[name] = substitute(value, before);
    return Ok{};
  }

  Status take_user(const Instruction& each) {
    plan_.user = expanded(each.text);
    return Ok{};
  }

  Status take_shell(const Instruction& each) {
    if (each.words.empty()) return wrong("SHELL takes a list: SHELL [\"/bin/bash\", \"-c\"]");
    shell_ = each.words;
    return Ok{};
  }

  std::vector<std::string> command_words(const Instruction& each) const {
    if (!each.words.empty()) return each.words;
    std::vector<std::string> words = shell_;
    words.push_back(each.text);
    return words;
  }

  BuildPlan plan_;
  Variables arguments_;
  std::vector<std::string> shell_ = {"/bin/sh", "-c"};
  int line_ = 0;
};

}  // namespace

Result<std::string> base_image(const std::vector<Instruction>& instructions) {
  Planner planner({});
  for (const Instruction& each : instructions) {
    if (each.keyword != "FROM" && each.keyword != "ARG") continue;
    SF_TRY(planner.take(each));
    if (each.keyword == "FROM") break;
  }
  SF_TRY_ASSIGN(BuildPlan plan, std::move(planner).done());
  return plan.from;
}

Result<BuildPlan> plan_build(const std::vector<Instruction>& instructions,
                             const ImageDefaults& defaults) {
  Planner planner(defaults);
  for (const Instruction& each : instructions) SF_TRY(planner.take(each));
  return std::move(planner).done();
}

std::string entering_command(const BuildPlan& plan) {
  std::string text = "cd -- " + shell_word(plan.workdir);
  for (const auto& [name, value] : plan.env) text += "; export " + shell_word(name + "=" + value);
  return text;
}

}  // namespace sf::explore
