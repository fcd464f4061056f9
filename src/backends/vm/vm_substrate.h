// VmSubstrate: QEMU virtual machines, kept as internal snapshots: the whole machine, in the
// copy-on-write file of its disk. The root is a disk that is made once from a directory.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backends/hosted/mux_link.h"
#include "backends/hosted/per_sandbox.h"
#include "backends/hosted/substrate.h"
#include "backends/vm/qmp.h"

namespace sf::backends {

struct VmOptions {
  std::string qemu;  // paths of programs
  std::string qemu_img;
  std::string mke2fs;
  std::string kernel;       // its image
  std::string modules;      // a directory with the drivers of its disk and its port
  std::string agent;        // path of statefork-agent
  std::string directory;    // for disks and states
  std::string accelerator;  // empty: detected
};

class VmSubstrate final : public Substrate {
 public:
  explicit VmSubstrate(VmOptions options);

  std::string_view name() const override { return "vm"; }
  control::Preserves preserves() const override { return control::Preserves::everything(); }
  control::CostLine expected_cost() const override { return {900, 250'000}; }
  Status check(const waypoint::BranchConfig& config) const override;

  Status start(const std::string& sandbox, const waypoint::BranchConfig& config) override;
  Result<os::UniqueFd> connect(const std::string& sandbox) override;
  Result<KeptState> keep(const std::string& sandbox, const std::string& state) override;
  Status revive(const std::string& state, const std::string& sandbox,
                const waypoint::BranchConfig& config) override;
  Status end(const std::string& sandbox) override;
  Status remove(const std::string& state) override;
  Result<std::vector<std::string>> sandboxes() override;
  Result<std::vector<std::string>> states() override;

 private:
  std::string sandbox_file(const std::string& sandbox, const std::string& name) const {
    return options_.directory + "/boxes/" + sandbox + "/" + name;
  }
  std::string state_file(const std::string& state) const {
    return options_.directory + "/states/" + state + ".qcow2";
  }
  Status run(const std::vector<std::string>& argv) const;
  Result<std::string> disk_of(const std::string& root);
  Result<std::string> initial_disk();
  // "kvm" if it works. Only a test run can tell; its result is cached until the next boot.
  Result<std::string> accelerator();
  static Status wait_for_end(pid_t pid, const std::string& directory);
  Error unreachable(const std::string& sandbox, Error why) const;
  Status resume(const std::string& sandbox) const;
  Status boot(const std::string& sandbox, const waypoint::BranchConfig& config,
              const std::vector<std::string>& more);

  VmOptions options_;
  PerSandbox<std::unique_ptr<MuxLink>> links_;  // null: not connected yet
  std::mutex try_mutex_;                        // held during the test of the accelerator
  std::mutex disk_mutex_;                       // held while a disk is made
  std::mutex initial_mutex_;
  bool has_initial_disk_ = false;  // guarded by initial_mutex_; made at its first use
};

}  // namespace sf::backends
