// Requests and replies between manager and keeper: rejected with a reason, or kept by a round trip.
#include "wire/keeper_protocol.h"

#include "input.h"

namespace sf::fuzz {
namespace {

template <typename... Messages>
void check_messages(const wire::Frame& frame) {
  const auto check = [&]<typename Message>(std::type_identity<Message>) {
    auto message = wire::from_frame<Message>(frame);
    if (!message) return check_clear(message.error(), ErrorCode::kCorrupt);
    const wire::Frame written = wire::to_frame(*message);
    auto again = wire::from_frame<Message>(written);
    SF_CHECK(again.ok());
    const wire::Frame last = wire::to_frame(*again);
    SF_CHECK(last.header == written.header && last.payload == written.payload);
  };
  (check(std::type_identity<Messages>()), ...);
}

}  // namespace

void keeper_protocol(std::string_view input) {
  Input in(input);
  wire::Frame frame;
  frame.header = wire::Json::parse(in.until('\0'), nullptr, false);
  frame.payload = in.rest();
  check_messages<wire::ExecCall, Observation, wire::SideExecCall, SideObservation, wire::KeysCall,
                 TypedKeys, wire::ScreenCall, wire::ResizeCall, wire::WriteFileCall,
                 wire::ReadFileCall, TerminalPiece, wire::HelloReply, wire::LiveReply,
                 wire::StartCall, BranchFacts, wire::RestoreCall, wire::CheckpointCall,
                 wire::CheckpointReply, wire::DigestCall>(frame);
}

}  // namespace sf::fuzz
