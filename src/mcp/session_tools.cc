// Tools that concern whole sessions: session_create, session_list, session_destroy, tree, diff,
// cleanup.
#include <utility>

#include "client/api_client.h"
#include "mcp/output_schema.h"
#include "mcp/tool.h"
#include "mcp/tool_text.h"

namespace sf::cli::mcp {
namespace {

Json session_schema() {
  return object_of(
      {{"id", text_field("Handle for all other tools.")},
       {"name", text_field("May be empty.")},
       {"backend", text_field("Its backend.")},
       {"policy", text_field("Policy that chooses physical or virtual nodes.")},
       {"root", text_field("Directory of the host that the session sees as /.")},
       {"created_at", text_field("ISO 8601.")},
       {"problem", text_field("Why the session is unusable or limited; empty if it is usable.")},
       {"branches", list_of(object_of({{"id", text_field("Name of the branch.")},
                                       {"node", text_field("Its node.")},
                                       {"alive", flag_field("Can run commands.")}}),
                            "Its live terminals.")}});
}

Json removed_schema() {
  return object_of({{"nodes", texts_field("Ids of the removed nodes.")},
                    {"branches", texts_field("Branches that ended.")},
                    {"bytes", whole_field("Freed bytes.")},
                    {"leftovers", texts_field("Not removed yet; the daemon retries.")}},
                   {"leftovers"});
}

Tool session_create() {
  using enum ArgumentType;
  return {
      .name = "session_create",
      .title = "Create a session",
      .description =
          "Starts a terminal session: an isolated root file system and a live bash. Its files, "
          "shell state and running processes can be snapshotted, restored and forked. Returns the "
          "session's id, which all other tools need. The session lives until session_destroy, or "
          "until ttl_s or idle_s ends it.",
      .hints = {},
      .arguments =
          {{.name = "name", .description = "A name, usable instead of the id."},
           {.name = "root",
            .description = "Directory of the host to use as /; it is never "
                           "changed. Default: the host's /."},
           {.name = "cwd", .description = "Directory the shell starts in."},
           {.name = "user", .description = "User the shell runs as."},
           {.name = "env", .type = kTextMap, .description = "Environment of the shell."},
           {.name = "network", .description = "none (only its own loopback, the default) or host."},
           {.name = "engine",
            .description = "Engine of a waypoint session: auto, native "
                           "or criu; auto (default)."},
           {.name = "backend",
            .description = "waypoint (default), auto, or another one of this host: gvisor, vm, "
                           "podman, criu, overlay, docker, podman-commit, replay."},
           {.name = "policy", .description = "Policy for physical nodes: eager, lazy, smart."},
           {.name = "memory_bytes", .type = kWhole, .description = "Memory per branch."},
           {.name = "pids", .type = kWhole, .description = "Processes per branch."},
           {.name = "cpus", .type = kNumber, .description = "CPUs per branch, as 1.5."},
           {.name = "ttl_s", .type = kWhole, .description = "Seconds until it ends."},
           {.name = "idle_s",
            .type = kWhole,
            .description = "Seconds without use until the session ends."},
           {.name = "max_bytes", .type = kWhole, .description = "Size of its snapshots."},
           {.name = "max_branches", .type = kWhole, .description = "Live branches."},
           {.name = "labels", .type = kTextMap, .description = "Labels of the session."}},
      .output_schema = session_schema(),
      .request = [](const Json& arguments) -> Result<ApiCall> {
        return ApiCall{.method = "POST", .path = "/v1/sessions", .body = arguments};
      },
      .present =
          [](const Json&, const Json& answer) {
            return ToolResult{.text = "created " + session_text(answer), .structured = answer};
          },
  };
}

Tool session_list() {
  return {
      .name = "session_list",
      .title = "List sessions",
      .description = "All sessions of this host with their branches, the oldest first.",
      .hints = {.read_only = true, .idempotent = true},
      .output_schema = object_of({{"sessions", list_of(session_schema(), "The oldest first.")}}),
      .request = [](const Json&) -> Result<ApiCall> {
        return ApiCall{.method = "GET", .path = "/v1/sessions"};
      },
      .present =
          [](const Json&, const Json& answer) {
            return ToolResult{.text = sessions_text(answer), .structured = answer};
          },
  };
}

Tool session_destroy() {
  return {
      .name = "session_destroy",
      .title = "Destroy a session",
      .description = "Ends all processes of a session and removes its branches and nodes for good.",
      .hints = {.destructive = true, .idempotent = true},
      .arguments = {session_argument()},
      .output_schema = removed_schema(),
      .request = [](const Json& arguments) -> Result<ApiCall> {
        return ApiCall{.method = "DELETE", .path = session_path(arguments)};
      },
      .present =
          [](const Json& arguments, const Json& answer) {
            return ToolResult{.text = "destroyed session " + arguments.value("session", "") + "; " +
                                      removed_text(answer),
                              .structured = answer};
          },
  };
}

Tool tree() {
  Json node = object_of(
      {{"id", text_field("Handle of the node.")},
       {"name", text_field("May be empty.")},
       {"parent", or_null({{"type", "string"}}, "null: it is the root.")},
       {"kind", text_field("physical: keeps the state; virtual: keeps the commands to replay.")},
       {"unchanged", flag_field("Nothing changed since its parent.")},
       {"created_at", text_field("ISO 8601.")},
       {"bytes", whole_field("Its size on disk.")},
       {"notes", {{"type", "object"}, {"description", "As given to snapshot."}}},
       {"commands", texts_field("Commands since its parent, shortened.")}});
  Json branch = object_of({{"id", text_field("Name of the branch.")},
                           {"node", text_field("Its node: HEAD.")},
                           {"alive", flag_field("Can run commands.")},
                           {"pending", texts_field("Commands since that node, shortened.")}});
  return {
      .name = "tree",
      .title = "Show the tree",
      .description =
          "A session's nodes (snapshots, parents first) and branches. In the text, `<- main +2` "
          "means: branch main is at this node and has run 2 commands since.",
      .hints = {.read_only = true, .idempotent = true},
      .arguments = {session_argument()},
      .output_schema = object_of({{"nodes", list_of(node, "Parents before their children.")},
                                  {"branches", list_of(branch, "The live terminals.")}}),
      .request = [](const Json& arguments) -> Result<ApiCall> {
        return ApiCall{.method = "GET", .path = session_path(arguments) + "/tree"};
      },
      .present =
          [](const Json&, const Json& answer) {
            return ToolResult{.text = tree_text(answer), .structured = short_tree(answer)};
          },
  };
}

Tool diff() {
  Json difference = object_of({{"subject", text_field("file, process, port, environment or cwd.")},
                               {"kind", text_field("added, removed or changed.")},
                               {"name", text_field("Path, command line, address or variable.")},
                               {"before", text_field("Short; may be empty.")},
                               {"after", text_field("Short; may be empty.")},
                               {"patch", text_field("Unified diff of a text file, or empty.")}});
  return {
      .name = "diff",
      .title = "Compare two states",
      .description =
          "Shows the differences between two nodes of a session, or between a node and a branch: "
          "files with patches, processes, listening ports, environment, working directory.",
      .hints = {.read_only = true, .idempotent = true},
      .arguments = {session_argument(),
                    {.name = "from",
                     .description = "The earlier node: id, name, HEAD or HEAD~2.",
                     .required = true},
                    {.name = "to",
                     .description = "The later node. Default: the branch's current state."},
                    branch_argument("The branch to compare, and the branch of HEAD.")},
      .output_schema =
          object_of({{"differences", list_of(difference, "Sorted by subject.")},
                     {"truncated", flag_field("The list is not complete.")},
                     {"unproven", text_field("Why a state may differ from its node's; or empty.")}},
                    {"unproven"}),
      .request = [](const Json& arguments) -> Result<ApiCall> {
        std::string query = "?from=" + client::path_part(arguments.value("from", ""));
        if (arguments.contains("to"))
          query += "&to=" + client::path_part(arguments.value("to", ""));
        query += "&branch=" + client::path_part(arguments.value("branch", ""));
        return ApiCall{.method = "GET", .path = session_path(arguments) + "/diff" + query};
      },
      .present =
          [](const Json&, const Json& answer) {
            return ToolResult{.text = diff_text(answer), .structured = answer};
          },
  };
}

Result<ApiCall> cleanup_request(const Json& arguments) {
  bool of_branch = arguments.contains("remove_branch");
  if (of_branch == arguments.contains("node"))
    return invalid("give either \"node\" or \"remove_branch\"",
                   "tree shows the session's nodes and branches");
  if (!of_branch)
    return ApiCall{.method = "POST",
                   .path = session_path(arguments) + "/cleanup",
                   .body = picked(arguments, {"node", "branch", "force"})};
  return ApiCall{.method = "DELETE",
                 .path = session_path(arguments) + "/branches/" +
                         client::path_part(arguments.value("remove_branch", ""))};
}

Tool cleanup() {
  return {
      .name = "cleanup",
      .title = "Remove nodes or a branch",
      .description =
          "Removes a node and its subtree, or ends one branch. Give either node or "
          "remove_branch.",
      .hints = {.destructive = true, .idempotent = true},
      .arguments = {session_argument(),
                    {.name = "node",
                     .description = "Remove this node and its subtree: id, name, HEAD~2."},
                    {.name = "remove_branch",
                     .description = "End this branch and its processes; its nodes stay."},
                    {.name = "force",
                     .type = ArgumentType::kFlag,
                     .description = "Also end the branches that use removed nodes.",
                     .fallback = false},
                    branch_argument("HEAD in node is this branch's HEAD.")},
      .output_schema = removed_schema(),
      .request = cleanup_request,
      .present =
          [](const Json&, const Json& answer) {
            return ToolResult{.text = removed_text(answer), .structured = answer};
          },
  };
}

}  // namespace

std::vector<Tool> session_tools() {
  return {session_create(), session_list(), session_destroy(), tree(), diff(), cleanup()};
}

}  // namespace sf::cli::mcp
