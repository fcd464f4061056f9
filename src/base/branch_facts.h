// BranchFacts: the processes of a live branch at one moment. Plain data: the substrate measures it,
// and the control plane bases decisions on it.
#pragma once

#include <cstdint>

namespace sf {

struct BranchFacts {
  std::uint64_t resident_bytes = 0;  // without pages of mapped files: they come back from the files
  std::uint32_t background_processes = 0;
  bool at_prompt = true;  // the shell waits for a command, and no program runs beside it

  // Whether nothing in the branch can act until the next request.
  bool is_quiet() const { return background_processes == 0 && at_prompt; }
  friend bool operator==(const BranchFacts&, const BranchFacts&) = default;
};

}  // namespace sf
