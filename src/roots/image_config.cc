#include "roots/image_config.h"

#include <nlohmann/json.hpp>

#include "roots/json_members.h"
#include "roots/sha256.h"

namespace sf::roots {

using wire::Json;

Result<ImageDescription> parse_image_description(std::string_view text) {
  const std::string what = "the image's configuration";
  SF_TRY_ASSIGN(Json json, parse_json(text, what));
  JsonMembers image(json, what);
  JsonMembers config(image.object("config"), what + ", \"config\"");
  JsonMembers rootfs(image.object("rootfs"), what + ", \"rootfs\"");
  ImageDescription made;
  made.platform = {image.text("os"), image.text("architecture")};
  made.config = {config.texts("Env"), config.text("WorkingDir"), config.text("User"),
                 config.texts("Entrypoint"), config.texts("Cmd")};
  made.diff_ids = rootfs.texts("diff_ids");
  SF_TRY(image.done());
  SF_TRY(config.done());
  SF_TRY(rootfs.done());
  if (made.diff_ids.empty())
    return fail(ErrorCode::kUnsupported, what + " names no layers",
                "it may not be the image of a file system");
  for (const std::string& id : made.diff_ids) SF_TRY(digest_digits(id));
  return made;
}

Json to_json(const ImageConfig& config) {
  return {{"env", config.env},
          {"working_dir", config.working_dir},
          {"user", config.user},
          {"entrypoint", config.entrypoint},
          {"cmd", config.cmd}};
}

Result<ImageConfig> image_config_from_json(const Json& json) {
  JsonMembers members(json, "\"config\"");
  ImageConfig config{members.texts("env"), members.text("working_dir"), members.text("user"),
                     members.texts("entrypoint"), members.texts("cmd")};
  SF_TRY(members.done());
  return config;
}

}  // namespace sf::roots
