// PrerestorePolicy: which checkpoints' trees are made before anybody wants them, and which give
// way. Pure: knows no keepers, no threads and no time.
#pragma once

#include <list>
#include <optional>
#include <string>
#include <vector>

namespace sf::waypoint {

class PrerestorePolicy {
 public:
  using Checkpoints = std::vector<std::string>;
  enum class Stage { kWanted, kComing, kReady, kRefused };

  // `most`: trees that stand ready at a time.
  explicit PrerestorePolicy(std::size_t most) : most_(most) {}

  // The checkpoint was taken, or gone back to. Says which others are dropped for it.
  Checkpoints expect(const std::string& checkpoint);
  // How often something was expected.
  long turn() const { return turn_; }
  // The tree to make next, which is coming from now on. None if something was expected since that
  // turn: whoever asks again and again without a pause would find keepers and processors taken.
  std::optional<std::string> begin(long turn);
  // What was coming is there. Says what is dropped: perhaps this very one.
  Checkpoints made(const std::string& checkpoint);
  // It could not be made, and is dropped.
  void failed(const std::string& checkpoint);
  // It can never be made: it keeps its place, so that nobody tries again. Says what is dropped.
  Checkpoints refused(const std::string& checkpoint);
  // Somebody goes back to it: it is no longer planned, unless refused. Requires: it is not coming.
  void take(const std::string& checkpoint);
  // The same because nobody ever will.
  void forget(const std::string& checkpoint);

  // Nothing: it is not planned.
  std::optional<Stage> stage(const std::string& checkpoint) const;
  Checkpoints ready() const;

 private:
  struct Tree {
    std::string checkpoint;
    Stage stage = Stage::kWanted;
  };
  using Trees = std::list<Tree>;

  Trees::iterator find(const std::string& checkpoint);
  void drop(Trees::iterator tree);
  Checkpoints drop_surplus();

  static constexpr int kFullTrust = 8;

  std::size_t most_;
  long turn_ = 0;
  Trees trees_;  // expected last, first
  // Falls with each tree that nobody wanted or that could not be made; none left, none made.
  int trust_ = kFullTrust;
};

}  // namespace sf::waypoint
