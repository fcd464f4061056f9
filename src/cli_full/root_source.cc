#include "cli_full/root_source.h"

#include "cli_full/progress_line.h"
#include "os/file.h"
#include "roots/source_kind.h"

namespace sf::cli {
namespace {

bool is_for_daemon(const std::string& root) {
  if (root.empty() || root.starts_with("image:")) return true;
  if (root.front() != '/') return false;
  return !os::exists(root) || (os::is_directory(root) && !roots::is_image_layout(root));
}

}  // namespace

Result<roots::RootImage> root_from(const std::string& source, const DaemonLocation& location,
                                   Progress progress) {
  if (is_for_daemon(source)) return roots::RootImage{source, {}, {}};
  ProgressLine line;
  roots::PrepareOptions options;
  options.cache_dir = location.state_dir + "/roots";
  if (progress == Progress::kShown)
    options.progress = [&line](const roots::ProgressStep& step) { line.show(step); };
  return prepare_root(source, options);
}

}  // namespace sf::cli
