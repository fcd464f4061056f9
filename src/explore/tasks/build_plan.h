// BuildPlan: a Dockerfile as steps, each of which leads from one state of a session to the next.
// Pure.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "explore/tasks/dockerfile.h"

namespace sf::explore {

struct CopySource {
  std::string from;     // in the context; may have wildcards; empty: `content`
  std::string content;  // of a here-document
  std::string name;     // file name of the here-document
};

struct BuildStep {
  std::string title;    // shown to users: "RUN make"
  std::string command;  // run in the session's shell after the files are copied; may be empty
  std::vector<CopySource> sources;
  std::string target;  // absolute path
  bool into_directory = false;
  bool unpacks = false;  // ADD extracts archives
  std::string chown;     // USER[:GROUP], by name or number
  std::string chmod;
};

struct BuildPlan {
  std::string from;  // the image
  std::vector<BuildStep> steps;
  std::map<std::string, std::string> env;
  std::string workdir = "/";
  std::string user;  // empty: root
  std::vector<std::string> entrypoint;
};

// Settings of the base image.
struct ImageDefaults {
  std::map<std::string, std::string> env;
  std::string workdir = "/";
  std::string user;
};

// The image of the first FROM. Needs no settings of the image.
Result<std::string> base_image(const std::vector<Instruction>& instructions);
// kUnsupported names the line and an alternative.
Result<BuildPlan> plan_build(const std::vector<Instruction>& instructions,
                             const ImageDefaults& defaults);

// The command that gives the agent's shell the image's environment and directory.
std::string entering_command(const BuildPlan& plan);

}  // namespace sf::explore
