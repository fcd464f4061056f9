#include <nlohmann/json.hpp>

#include "base/split.h"
#include "cli/commands/command_frame.h"
#include "cli/render/text_layout.h"
#include "cli_full/full_commands.h"
#include "cli_full/progress_line.h"
#include "roots/debootstrap.h"
#include "roots/prepare_root.h"

namespace sf::cli {
namespace {

using wire::Json;

constexpr std::size_t kShownDigits = 12;

struct RootArguments : CommandFrame {
  std::string action;
  std::string what;
  std::string name;
  std::string image;
  std::string packages;
  std::string mirror;
  std::uint64_t max_bytes = roots::UnpackLimits().max_bytes;

  std::string cache_dir() const { return location.state_dir + "/roots"; }
};

roots::PrepareOptions options_of(const RootArguments& arguments, ProgressLine& line) {
  roots::PrepareOptions options;
  options.cache_dir = arguments.cache_dir();
  options.image = arguments.image;
  options.limits.max_bytes = arguments.max_bytes;
  // With --json, standard error has only a problem in JSON.
  if (!arguments.json)
    options.progress = [&line](const roots::ProgressStep& step) { line.show(step); };
  return options;
}

std::vector<std::string> names_of(const roots::RootNames& names, const std::string& digest) {
  std::vector<std::string> found;
  for (const auto& [name, meant] : names) {
    if (meant == digest) found.push_back(name);
  }
  return found;
}

Result<Json> description(const roots::RootCache& cache, const roots::RootRecord& record) {
  SF_TRY_ASSIGN(roots::RootNames names, cache.names());
  Json json = to_json(record);
  json.erase("version");
  json["names"] = names_of(names, record.digest);
  json["directory"] = cache.root_directory(record.digest);
  return json;
}

Result<int> finish_adding(const RootArguments& arguments, const roots::RootImage& made) {
  SF_TRY_ASSIGN(roots::RootCache cache, roots::RootCache::open(arguments.cache_dir()));
  if (!arguments.name.empty()) SF_TRY(cache.set_name(arguments.name, made.digest));
  SF_TRY_ASSIGN(roots::RootRecord record, cache.find(made.digest));
  SF_TRY_ASSIGN(Json json, description(cache, record));
  if (record.skipped_devices > 0 && !arguments.json)
    print_remark("skipped devices: " + std::to_string(record.skipped_devices) +
                 "; sessions have their own /dev");
  return print_answer(arguments, json, [&](const Json&) {
    return (arguments.name.empty() ? record.digest : arguments.name) + "\n";
  });
}

Result<int> add(const RootArguments& arguments) {
  if (!arguments.name.empty()) SF_TRY(roots::check_root_name(arguments.name));
  Result<roots::RootImage> made = [&] {
    ProgressLine line;
    return prepare_root(arguments.what, options_of(arguments, line));
  }();
  if (!made) return std::move(made).error();
  if (made->digest.empty())
    return invalid(made->directory + " is a root already",
                   "use it: statefork new " + made->directory);
  return finish_adding(arguments, *made);
}

Result<int> debootstrap(const RootArguments& arguments) {
  if (!arguments.name.empty()) SF_TRY(roots::check_root_name(arguments.name));
  const roots::DebootstrapRequest request{arguments.what, split(arguments.packages, ','),
                                          arguments.mirror};
  Result<roots::RootImage> made = [&] {
    ProgressLine line;
    return debootstrap_root(request, options_of(arguments, line));
  }();
  if (!made) return std::move(made).error();
  return finish_adding(arguments, *made);
}

std::string table(const Json& list) {
  std::vector<Row> rows{{"NAME", "DIGEST", "SIZE", "CREATED (UTC)", "SOURCE"}};
  for (const Json& root : list.at("roots")) {
    std::string names;
    for (const Json& name : root.at("names"))
      names += (names.empty() ? "" : ",") + name.get<std::string>();
    const std::string digest = root.value("digest", "");
    rows.push_back({names.empty() ? "-" : names,
                    digest.substr(digest.find(':') + 1).substr(0, kShownDigits),
                    size_text(root.value("bytes", std::uint64_t{0})),
                    time_text(root.value("created_at", "")), one_line(root.value("source", ""))});
  }
  return columns(rows);
}

Result<int> list(const RootArguments& arguments) {
  SF_TRY_ASSIGN(roots::RootCache cache, roots::RootCache::open(arguments.cache_dir()));
  SF_TRY_ASSIGN(std::vector<roots::RootRecord> records, cache.list());
  Json all = Json::array();
  for (const roots::RootRecord& record : records) {
    SF_TRY_ASSIGN(Json json, description(cache, record));
    all.push_back(std::move(json));
  }
  return print_answer(arguments, {{"roots", std::move(all)}}, table);
}

// A session reads its root until it ends.
Status check_unused(const std::string& directory, const DaemonLocation& location) {
  SF_TRY_ASSIGN(Json sessions, daemon_client(location).get("/v1/sessions"));
  for (const Json& session : sessions.at("sessions")) {
    if (session.value("root", "") != directory) continue;
    const std::string id = session.value("id", "");
    return fail(ErrorCode::kBusy, "session " + id + " uses this root",
                "end it first: statefork rm " + id);
  }
  return Ok{};
}

Result<int> remove(const RootArguments& arguments) {
  SF_TRY_ASSIGN(roots::RootCache cache, roots::RootCache::open(arguments.cache_dir()));
  SF_TRY_ASSIGN(std::string digest, cache.resolve(arguments.what));
  SF_TRY(check_unused(cache.root_directory(digest), arguments.location));
  const auto record = cache.find(digest);  // a damaged root is removed, too
  SF_TRY(cache.remove(digest));
  const Json removed{{"digest", digest}, {"bytes", record ? record->bytes : 0}};
  return print_answer(arguments, removed, [](const Json&) { return std::string(); });
}

Result<int> run_root(const RootArguments& arguments) {
  if (arguments.action == "ls") return list(arguments);
  if (arguments.what.empty())
    return invalid("`root " + arguments.action + "` needs a source or a name",
                   "`statefork root --help`");
  if (arguments.action == "add") return add(arguments);
  if (arguments.action == "debootstrap") return debootstrap(arguments);
  return remove(arguments);
}

int run_and_report(const RootArguments& arguments) {
  const Result<int> done = run_root(arguments);
  if (done) return *done;
  print_failure(done.error(), arguments.json);
  return arguments.failed;
}

}  // namespace

void add_root_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<RootArguments>();
  CLI::App* command =
      app.add_subcommand("root", "Manage root file systems from archives and images, for `new`");
  command->add_option("ACTION", arguments->action, "The action")
      ->type_name("add|ls|rm|debootstrap")
      ->check(CLI::IsMember({"add", "ls", "rm", "debootstrap"}).description(""))
      ->required();
  command
      ->add_option("WHAT", arguments->what,
                   "add: an archive or OCI layout; rm: a name or digest; debootstrap: a suite")
      ->type_name("FILE");
  command->add_option("--name", arguments->name, "Name the root")->type_name("NAME");
  command->add_option("--image", arguments->image, "Use this image, if there are several")
      ->type_name("NAME");
  command->add_option("--include", arguments->packages, "Add packages for debootstrap: a,b")
      ->type_name("PACKAGES");
  command
      ->add_option("--mirror", arguments->mirror,
                   "Take packages from here for debootstrap (default: this machine's mirror)")
      ->type_name("URL");
  CLI::AsSizeValue size(false);
  size.description("");
  command->add_option("--max-bytes", arguments->max_bytes, "Limit an archive's content, as in 10G")
      ->type_name("SIZE")
      ->transform(size);
  add_json_option(*command, arguments->json);
  add_location_options(*command, arguments->location);
  command->footer(
      "An archive is a tar of a root file system, or the output of `docker save`, `podman save`\n"
      "or `skopeo copy`. It is unpacked once; `new` accepts archives, too, and reuses the root.\n"
      "Examples:\n"
      "  docker save debian:12 -o debian.tar && statefork root add debian.tar --name debian\n"
      "  statefork root debootstrap bookworm --include python3,git --name work\n"
      "  statefork new debian\n"
      "  statefork root rm debian");
  command->callback([arguments, &exit_code] { exit_code = run_and_report(*arguments); });
}

}  // namespace sf::cli
