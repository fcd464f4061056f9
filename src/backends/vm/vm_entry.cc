#include "backends/backend_entry.h"
#include "backends/hosted/hosted_backend.h"
#include "backends/hosted/tool_search.h"
#include "backends/vm/vm_substrate.h"
#include "os/file.h"

namespace sf::backends {
namespace {

constexpr const char* kDefaultGuest = "/opt/statefork/vm";  // vmlinuz, modules/

Result<VmOptions> find_all(const HostContext& around) {
  SF_TRY(check_agent(around));
  VmOptions options;
  SF_TRY_ASSIGN(options.qemu,
                find_program("qemu-system-x86_64", "apt-get install qemu-system-x86"));
  SF_TRY_ASSIGN(options.qemu_img, find_program("qemu-img", "apt-get install qemu-utils"));
  SF_TRY_ASSIGN(options.mke2fs, find_program("mke2fs", "apt-get install e2fsprogs"));
  const std::string guest = around.tools.vm_guest.empty() ? kDefaultGuest : around.tools.vm_guest;
  options.kernel = guest + "/vmlinuz";
  options.modules = guest + "/modules";
  if (!os::exists(options.kernel) || !os::exists(options.modules))
    return fail(ErrorCode::kNotFound, "no guest kernel in " + guest,
                "put vmlinuz and its virtio modules there (docs/backends.md), or set "
                "STATEFORK_VM_GUEST");
  options.agent = around.agent;
  options.directory = around.state_dir + "/vm";
  options.accelerator = around.tools.vm_accelerator;
  return options;
}

Status usable(const HostContext& around) {
  SF_TRY(find_all(around));
  return Ok{};
}

Result<std::unique_ptr<control::Backend>> make(const HostContext& around) {
  SF_TRY_ASSIGN(VmOptions options, find_all(around));
  const std::string records = options.directory + "/records";
  return std::unique_ptr<control::Backend>(
      std::make_unique<HostedBackend>(std::make_unique<VmSubstrate>(std::move(options)), records));
}

}  // namespace

BackendEntry vm_entry() {
  return {.name = "vm",
          .summary = "QEMU virtual machines; a snapshot holds the whole machine",
          .preserves = control::Preserves::everything(),
          .usable = usable,
          .make = make};
}

}  // namespace sf::backends
