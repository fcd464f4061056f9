// Operations: the table of a server's request handlers, by operation name. keeper_protocol.h
// defines the requests and replies. Example (src/waypoint/keeper/keeper.cc):
//
//   operations_.add(this, &Keeper::resume);
//   ...
//   if (operations_.knows(frame)) return operations_.serve(client, std::move(frame));
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "base/result.h"
#include "wire/keeper_protocol.h"
#include "wire/keeper_server.h"

namespace sf::waypoint {

class Operations {
 public:
  // The handler replies now or later. Requires: `owner` outlives this.
  template <typename Owner, typename Call>
  void add(Owner* owner, Status (Owner::*handler)(const ClientPtr&, Call)) {
    handlers_[Call::kOperation] = [owner, handler](const ClientPtr& client,
                                                   wire::Frame frame) -> Status {
      auto call = wire::from_frame<Call>(std::move(frame));
      if (!call) return invalid(call.error().message);
      return (owner->*handler)(client, std::move(*call));
    };
  }

  bool knows(const wire::Frame& frame) const { return handlers_.contains(name_of(frame)); }
  // If it returns an error, the caller must send it. kInvalidArgument: the request is unknown or
  // malformed.
  Status serve(const ClientPtr& client, wire::Frame frame) const {
    const auto found = handlers_.find(name_of(frame));
    if (found == handlers_.end()) return invalid("unknown request " + name_of(frame));
    return found->second(client, std::move(frame));
  }

 private:
  static std::string name_of(const wire::Frame& frame) {
    const auto name = frame.header.find("op");
    return name != frame.header.end() && name->is_string() ? name->get<std::string>() : "";
  }

  std::map<std::string, std::function<Status(const ClientPtr&, wire::Frame)>> handlers_;
};

template <typename Reply>
Status answer(const ClientPtr& client, const Reply& reply) {
  client->send(wire::to_frame(reply));
  return Ok{};
}

}  // namespace sf::waypoint
