#include "engine/engine_choice.h"

#include "os/directory_tree.h"
#include "os/file.h"

namespace sf::waypoint {
namespace {

class ChosenEngine : public ProcessEngine {
 public:
  ChosenEngine(std::unique_ptr<ProcessEngine> native, std::unique_ptr<ProcessEngine> criu)
      : native_(std::move(native)), criu_(std::move(criu)) {}

  void warm_up() override {
    native_->warm_up();
    if (criu_wanted_) {
      criu_->warm_up();
    } else {
      criu_->stand_down();
    }
  }

  void expect_criu() override { criu_->expect_criu(); }
  bool release_async_threads() override { return native_->release_async_threads(); }

  Result<Captured> capture(const CaptureRequest& request) override {
    criu_wanted_ = request.engine == EngineChoice::kCriu;
    if (request.hold) return capture_held(request);
    if (request.engine == EngineChoice::kNative) return native_->capture(request);
    if (request.engine == EngineChoice::kCriu) return criu_->capture(request);
    bool begun = false;  // the files are captured: no other engine may try
    CaptureRequest first = request;
    first.while_stopped = [&] {
      begun = true;
      return request.while_stopped();
    };
    auto taken = native_->capture(first);
    if (taken || begun || taken.error().code == ErrorCode::kNoSpace) return taken;
    criu_wanted_ = true;
    SF_TRY(empty(request.image_dir));
    auto second = criu_->capture(request);
    if (second || second.error().code != ErrorCode::kUnsupported) return second;
    Error error = std::move(second).error();
    error.message += "; the native engine: " + taken.error().message;
    return error;
  }

  Result<RestoredTree> restore(const RestoreRequest& request) override {
    bool native = request.engine == kNativeName;
    criu_wanted_ = !native;
    return native ? native_->restore(request) : criu_->restore(request);
  }

 private:
  // The capture is speculative, so no other engine tries if this one fails.
  Result<Captured> capture_held(CaptureRequest request) {
    if (request.engine == EngineChoice::kCriu)
      return fail(ErrorCode::kUnsupported, "CRIU cannot hold a tree stopped");
    request.engine = EngineChoice::kNative;
    return native_->capture(request);
  }

  static Status empty(const std::string& dir) {
    SF_TRY_ASSIGN(auto names, os::list_directory(dir));
    for (const std::string& name : names) SF_TRY(os::remove_tree(dir + "/" + name));
    return Ok{};
  }

  std::unique_ptr<ProcessEngine> native_;
  std::unique_ptr<ProcessEngine> criu_;
  bool criu_wanted_ = false;  // used by the last call, so probably by the next one too
};

}  // namespace

std::unique_ptr<ProcessEngine> make_chosen_engine(std::unique_ptr<ProcessEngine> native,
                                                  std::unique_ptr<ProcessEngine> criu) {
  return std::make_unique<ChosenEngine>(std::move(native), std::move(criu));
}

}  // namespace sf::waypoint
