#include "wire/keeper_protocol.h"

#include <concepts>
#include <type_traits>
#include <utility>

#include "wire/message_fields.h"

namespace sf::wire {

// Not in an unnamed namespace: message_fields.h finds them by argument-dependent lookup.
template <typename F, Is<Done> M>
void describe(F& f, M& /*m*/) {
  f.constant("ok", true);
}

template <typename F, Is<PlannedFaults> M>
void describe(F& f, M& m) {
  f.optional("fail_at", m.fail_at);
  f.optional("die_at", m.die_at);
}

template <typename F, Is<WindowSize> M>
void describe(F& f, M& m) {
  f.field("rows", m.rows);
  f.field("cols", m.cols);
}

template <typename F, Is<ExecCall> M>
void describe(F& f, M& m) {
  f.field("timeout_ms", m.request.timeout);
  f.field("max_output", m.request.max_output);
  f.field("raw", m.request.raw);
  f.field("look", m.request.fingerprint);
  f.field("always_look", m.request.always_fingerprint);
  f.field("stream", m.stream);
  f.rest(m.request.command);
}

template <typename F, Is<Observation> M>
void describe(F& f, M& m) {
  f.field("exit_code", m.exit_code);
  f.field("duration_us", m.duration);
  f.field("output_bytes", m.output_bytes);
  f.field("raw_hash", m.raw_hash);
  f.field("timed_out", m.timed_out);
  f.field("truncated", m.truncated);
  f.field("shell_restarted", m.shell_restarted);
  f.field("left_background", m.left_background);
  f.piece("output_size", m.output);
  f.piece("raw_size", m.raw);
  f.piece("background_size", m.background);
}

template <typename F, Is<SideExecCall> M>
void describe(F& f, M& m) {
  f.bytes("argv", m.request.argv);
  f.bytes("env", m.request.env);
  f.bytes("cwd", m.request.cwd);
  f.field("user", m.request.user);
  f.field("timeout_ms", m.request.timeout);
  f.field("max_output", m.request.max_output);
  f.rest(m.request.input);
}

template <typename F, Is<SideObservation> M>
void describe(F& f, M& m) {
  f.field("exit_code", m.exit_code);
  f.field("duration_us", m.duration);
  f.field("timed_out", m.timed_out);
  f.field("truncated", m.truncated);
  f.piece("stdout_size", m.standard_output);
  f.piece("stderr_size", m.standard_error);
}

template <typename F, Is<KeysCall> M>
void describe(F& f, M& m) {
  f.rest(m.bytes);
}

template <typename F, Is<InputCall> M>
void describe(F& f, M& m) {
  f.rest(m.events);
}

template <typename F, Is<TypedKeys> M>
void describe(F& f, M& m) {
  f.constant("ok", true);
  f.field("accepted", m.accepted);
  f.field("waiting", m.waiting);
}

template <typename F, Is<ScreenCall> M>
void describe(F& f, M& m) {
  f.field("scrollback", m.scrollback);
}

template <typename F, Is<ScreenText> M>
void describe(F& f, M& m) {
  f.field("cursor_row", m.cursor_row);
  f.field("cursor_col", m.cursor_col);
  f.field("cursor_visible", m.cursor_visible);
  f.field("alternate_screen", m.alternate_screen);
  f.field("title", m.title);
  f.field("size_rows", m.size.rows);
  f.field("size_cols", m.size.cols);
  f.lines(m.scrollback, m.rows, m.size.rows);
}

template <typename F, Is<ResizeCall> M>
void describe(F& f, M& m) {
  describe(f, m.size);
}

template <typename F, Is<WriteFileCall> M>
void describe(F& f, M& m) {
  f.piece("path_bytes", m.path);
  f.rest(m.content);
}

template <typename F, Is<ReadFileCall> M>
void describe(F& f, M& m) {
  f.field("max_bytes", m.max_bytes);
  f.rest(m.path);
}

template <typename F, Is<FileContent> M>
void describe(F& f, M& m) {
  f.constant("ok", true);
  f.rest(m.bytes);
}

template <typename F, Is<TerminalPiece> M>
void describe(F& f, M& m) {
  if constexpr (std::same_as<F, FieldWriter>) {
    f.field("event", "terminal");
    if (m.repaints) describe(f, *m.repaints);
  } else {
    WindowSize size{0, 0};
    f.optional("rows", size.rows);
    f.optional("cols", size.cols);
    if (size.rows > 0 && size.cols > 0) m.repaints = size;
  }
  f.rest(m.bytes);
}

template <typename F, Is<HelloReply> M>
void describe(F& f, M& m) {
  f.constant("ok", true);
  f.optional("started", m.started);
  f.optional("alive", m.alive);
  f.optional("pid", m.pid);
  f.optional("init", m.init);
  f.optional("shell", m.shell);
  f.optional("holder", m.holder);
  f.optional("at_prompt", m.at_prompt);
  f.optional("rows", m.window.rows);
  f.optional("cols", m.window.cols);
}

template <typename F, Is<LiveReply> M>
void describe(F& f, M& m) {
  f.constant("ok", true);
  f.optional("pid", m.pid);
  f.optional("init", m.init);
  f.optional("rows", m.window.rows);
  f.optional("cols", m.window.cols);
}

template <typename F, Is<StartCall> M>
void describe(F& f, M& m) {
  f.field("config", m.config);
  f.optional("template", m.file_layer);
  f.optional("captures_ahead", m.precaptures);
  describe(f, m.faults);
}

template <typename F, Is<BranchFacts> M>
void describe(F& f, M& m) {
  f.field("resident_bytes", m.resident_bytes);
  f.field("background_processes", m.background_processes);
  f.field("at_prompt", m.at_prompt);
}

template <typename F, Is<RestoreCall> M>
void describe(F& f, M& m) {
  f.field("config", m.config);
  f.field("unit", m.file_layer);
  f.field("image_dir", m.image_dir);
  f.field("engine", m.engine);
  f.field("state", m.state);
  f.field("ahead", m.prerestore);
  f.field("captures_ahead", m.precaptures);
  describe(f, m.faults);
  f.rest(m.terminal);
}

template <typename F, Is<ResumeCall> M>
void describe(F& f, M& m) {
  describe(f, m.faults);
}

template <typename F, Is<CheckpointCall> M>
void describe(F& f, M& m) {
  f.field("image_dir", m.image_dir);
  f.field("unit", m.file_layer);
  f.field("ahead", m.precaptures);
  f.optional("unless", m.unless);
  describe(f, m.faults);
}

template <typename F, Is<CheckpointReply> M>
void describe(F& f, M& m) {
  f.field("state", m.state);
  f.optional("unchanged", m.unchanged);
  f.optional("engine", m.engine);
  f.optional("image_bytes", m.image_bytes);
  f.object("facts", m.facts);
  f.optional("ahead", m.precaptured);
  f.rest(m.terminal);
}

template <typename F, Is<DigestCall> M>
void describe(F& f, M& m) {
  f.field("base", m.base);
  f.field("files", m.limits.files);
  f.field("shell", m.limits.shell);
  f.field("max_files", m.limits.max_files);
  f.field("max_bytes", m.limits.max_bytes);
  f.field("max_time_ms", m.limits.max_time);
}

template <typename F, Is<DigestReply> M>
void describe(F& f, M& m) {
  f.constant("ok", true);
  f.rest(m.text);
}

// Requests without fields.
template <typename F, typename M>
requires(std::is_empty_v<M> && !Is<M, Done>) void describe(F& /*f*/, M& /*m*/) {}

template <typename Message>
Frame to_frame(const Message& message) {
  Frame frame = write_message(message);
  if constexpr (requires { Message::kOperation; }) frame.header["op"] = Message::kOperation;
  return frame;
}

template <typename Message>
Result<Message> from_frame(Frame frame) {
  return read_message<Message>(std::move(frame), "malformed message");
}

#define SF_MESSAGE(Message)                        \
  template Frame to_frame(const Message& message); \
  template Result<Message> from_frame(Frame frame)

SF_MESSAGE(Done);
SF_MESSAGE(ExecCall);
SF_MESSAGE(Observation);
SF_MESSAGE(SideExecCall);
SF_MESSAGE(SideObservation);
SF_MESSAGE(KeysCall);
SF_MESSAGE(InputCall);
SF_MESSAGE(TypedKeys);
SF_MESSAGE(ScreenCall);
SF_MESSAGE(ScreenText);
SF_MESSAGE(ResizeCall);
SF_MESSAGE(WriteFileCall);
SF_MESSAGE(ReadFileCall);
SF_MESSAGE(FileContent);
SF_MESSAGE(WatchCall);
SF_MESSAGE(TerminalPiece);
SF_MESSAGE(HelloCall);
SF_MESSAGE(HelloReply);
SF_MESSAGE(StartCall);
SF_MESSAGE(LiveReply);
SF_MESSAGE(FactsCall);
SF_MESSAGE(BranchFacts);
SF_MESSAGE(HangUpCall);
SF_MESSAGE(RestoreCall);
SF_MESSAGE(ResumeCall);
SF_MESSAGE(CheckpointCall);
SF_MESSAGE(CheckpointReply);
SF_MESSAGE(DigestCall);
SF_MESSAGE(DigestReply);
SF_MESSAGE(EndCall);

#undef SF_MESSAGE

}  // namespace sf::wire
