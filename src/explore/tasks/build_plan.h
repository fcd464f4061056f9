// BuildPlan: what a Dockerfile does, as steps that each lead from one state of a session to the
// next. Pure.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "explore/tasks/dockerfile.h"

namespace sf::explore {

struct CopySource {
  std::string from;     // in the context; may have wildcards. Empty: `content`
  std::string content;  // of a here-document
  std::string name;     // how a here-document's file is called
};

struct BuildStep {
  std::string title;    // as people know it: "RUN make"
  std::string command;  // run in the session's shell, after the files are there; may be empty
  std::vector<CopySource> sources;
  std::string target;  // absolute: where they go
  bool into_directory = false;
  bool unpacks = false;  // ADD: archives are unpacked
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

// What the image that is built on brings along.
struct ImageDefaults {
  std::map<std::string, std::string> env;
  std::string workdir = "/";
  std::string user;
};

// The image of the first FROM, before anything else is known.
Result<std::string> base_image(const std::vector<Instruction>& instructions);
// kUnsupported names the line and what to do instead.
Result<BuildPlan> plan_build(const std::vector<Instruction>& instructions,
                             const ImageDefaults& defaults);

// What makes the agent's shell as the image says: environment and directory.
std::string entering_command(const BuildPlan& plan);

}  // namespace sf::explore
