#include "agent/relay.h"

#include "os/poller.h"
#include "os/socket.h"
#include "wire/mux.h"

namespace sf::agent {

Status run_relay(os::UniqueFd in, os::UniqueFd out, const std::string& socket_path) {
  SF_TRY_ASSIGN(os::Poller poller, os::Poller::create());
  wire::Mux mux(poller, std::move(in), std::move(out),
                [&socket_path] { return os::connect_unix(socket_path); });
  SF_TRY(mux.start());
  while (!mux.closed()) SF_TRY(poller.run_once(Deadline::never()));
  return Ok{};
}

}  // namespace sf::agent
