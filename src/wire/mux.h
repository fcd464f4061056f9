// Mux: multiplexes stream connections over one bidirectional stream. One side opens connections,
// the other side connects each of them to its server. Single-threaded.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/result.h"
#include "os/fd.h"
#include "os/poller.h"
#include "wire/mux_frame.h"

namespace sf::wire {

class Mux {
 public:
  // Makes the local end of a connection that the peer opens.
  using Connect = std::function<Result<os::UniqueFd>()>;

  // Requires: two different descriptors (dup), and the poller outlives this.
  Mux(os::Poller& poller, os::UniqueFd in, os::UniqueFd out, Connect connect);
  ~Mux();
  Mux(const Mux&) = delete;
  Mux& operator=(const Mux&) = delete;

  Status start();
  // Tells the peer to close all its connections, which an earlier process on this side may have
  // opened. Until the peer answers, received frames are skipped, since they may be for that
  // process. May be repeated, because a peer that is just starting can lose the request.
  void reset_peer(std::uint32_t number);
  bool is_waiting() const { return awaited_ != 0; }
  // Opens a connection that forwards the bytes of `local` in both directions.
  // Requires: !is_waiting().
  void open(os::UniqueFd local);
  bool closed() const { return closed_; }

 private:
  struct Channel {
    os::UniqueFd local;
    std::string unsent;  // to local
  };

  void send(MuxFrame::Kind kind, std::uint32_t channel, std::string bytes = {});
  void flush();
  void on_stream(std::uint32_t events);
  void take(MuxFrame frame);
  void add(std::uint32_t number, os::UniqueFd local);
  void on_local(std::uint32_t number, std::uint32_t events);
  void flush_local(std::uint32_t number);
  void drop(std::uint32_t number);
  void drop_all();
  void close();
  void choose_events();

  os::Poller& poller_;
  os::UniqueFd in_;
  os::UniqueFd out_;
  Connect connect_;
  MuxReader reader_;
  std::string unsent_;
  std::map<std::uint32_t, Channel> channels_;
  std::uint32_t next_channel_ = 1;
  std::uint32_t awaited_ = 0;  // the number of a reset that the peer has not answered; 0: none
  bool stalled_ = false;       // the stream's queue is full, so local ends are not read
  bool closed_ = false;
};

}  // namespace sf::wire
