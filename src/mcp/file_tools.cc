// Tools for the files of a live branch: read_file, write_file.
#include <utility>

#include "base/request_limits.h"
#include "client/api_client.h"
#include "mcp/output_schema.h"
#include "mcp/tool.h"
#include "mcp/tool_text.h"
#include "wire/base64.h"

namespace sf::cli::mcp {
namespace {

using enum ArgumentType;

constexpr std::uint64_t kMaxReturned = 16U << 20U;  // bytes; as base64 they fit into a message
constexpr std::uint64_t kDefaultRead = 256U << 10U;

Argument path_argument() {
  return {.name = "path", .description = "Absolute path in the session.", .required = true};
}

std::string file_path(const Json& arguments) {
  return branch_path(arguments) + "/files?path=" + client::path_part(arguments.value("path", ""));
}

// Cuts between characters, so that the slice is valid UTF-8.
std::string text_slice(const std::string& bytes, std::size_t offset, std::size_t length) {
  if (offset >= bytes.size()) return "";
  std::string slice = bytes.substr(offset, length);
  if (offset + slice.size() == bytes.size()) return slice;
  std::size_t end = slice.size();
  for (int i = 0; i < 3 && end > 0 && !wire::is_utf8(slice.substr(0, end)); ++i) --end;
  if (end > 0 && wire::is_utf8(slice.substr(0, end))) slice.resize(end);
  return slice;
}

ToolResult present_read(const Json& arguments, const Json& answer) {
  const auto& bytes = answer.get_ref<const std::string&>();
  auto offset = arguments.at("offset").get<std::size_t>();
  std::string slice = text_slice(bytes, offset, arguments.at("max_bytes").get<std::size_t>());
  bool is_text = wire::is_utf8(slice);
  Json structured = {{"path", arguments.at("path")},
                     {"bytes", bytes.size()},
                     {"offset", offset},
                     {"returned_bytes", slice.size()},
                     {"encoding", is_text ? "utf-8" : "base64"},
                     {"content", is_text ? slice : wire::to_base64(slice)},
                     {"truncated", offset + slice.size() < bytes.size()}};
  std::string text = file_text(structured);
  return {.text = std::move(text), .structured = std::move(structured)};
}

Tool read_file() {
  return {
      .name = "read_file",
      .title = "Read a file",
      .description = "Reads a file of a branch without running a command.",
      .hints = {.read_only = true, .idempotent = true},
      .arguments = {session_argument(),
                    path_argument(),
                    branch_argument(),
                    {.name = "offset",
                     .type = kWhole,
                     .description = "Bytes to skip at the beginning.",
                     .fallback = 0},
                    {.name = "max_bytes",
                     .type = kWhole,
                     .description = "Maximum number of bytes to return.",
                     .fallback = kDefaultRead,
                     .minimum = 1,
                     .maximum = kMaxReturned}},
      .output_schema =
          object_of({{"path", text_field("The requested path.")},
                     {"bytes", whole_field("Size of the whole file.")},
                     {"offset", whole_field("Offset of the content in the file.")},
                     {"returned_bytes", whole_field("Size of the content, before any encoding.")},
                     {"encoding", text_field("utf-8, or base64 if it is not text.")},
                     {"content", text_field("The file, or the requested part.")},
                     {"truncated", flag_field("The file has more bytes.")}}),
      .way = Way::kReadBytes,
      .takes_turns = true,
      .request = [](const Json& arguments) -> Result<ApiCall> {
        return ApiCall{.method = "GET", .path = file_path(arguments)};
      },
      .present = present_read,
  };
}

Result<ApiCall> write_request(const Json& arguments) {
  auto content = arguments.at("content").get<std::string>();
  if (arguments.at("encoding") == "base64") {
    auto decoded = wire::from_base64(content);
    if (!decoded) return std::move(decoded).error().while_doing("\"content\"");
    content = std::move(*decoded);
  }
  if (content.size() > kMaxFileWrite)
    return invalid("the file is larger than " + std::to_string(kMaxFileWrite >> 20U) + " MiB",
                   "write it in parts and join them with exec_command");
  return ApiCall{.method = "PUT", .path = file_path(arguments), .bytes = std::move(content)};
}

Tool write_file() {
  return {
      .name = "write_file",
      .title = "Write a file",
      .description = "Writes a file of a branch; replaces an existing file.",
      .hints = {.destructive = true, .idempotent = true},
      .arguments = {session_argument(),
                    path_argument(),
                    {.name = "content", .description = "The whole file.", .required = true},
                    {.name = "encoding",
                     .type = kWord,
                     .description = "Encoding of content; base64 if it is not text.",
                     .fallback = Json("utf-8"),
                     .words = {"utf-8", "base64"}},
                    branch_argument()},
      .output_schema = object_of(
          {{"path", text_field("The written path.")}, {"bytes", whole_field("Its new size.")}}),
      .way = Way::kWriteBytes,
      .takes_turns = true,
      .request = write_request,
      .present =
          [](const Json& arguments, const Json& answer) {
            return ToolResult{.text = "wrote " + answer.at("bytes").dump() + " bytes to " +
                                      arguments.value("path", ""),
                              .structured = answer};
          },
  };
}

}  // namespace

std::vector<Tool> file_tools() { return {read_file(), write_file()}; }

}  // namespace sf::cli::mcp
