// States that CRIU cannot restore: with `--engine criu` the checkpoint is refused with a reason,
// with `auto` the native engine takes it.
#include <cstdlib>

#include "scenario_test.h"

namespace sf::equivalence {
namespace {

template <typename Engine>
class WithEngine : public OverOneHost<Scenario> {
 protected:
  static void SetUpTestSuite() {
    ::setenv("SF_ENGINE", Engine::kName, 1);
    open_host();
  }
};
struct Criu {
  static constexpr const char* kName = "criu";
};
struct Auto {
  static constexpr const char* kName = "auto";
};
using CriuLimitsTest = WithEngine<Criu>;
using AutoLimitsTest = WithEngine<Auto>;

// Names that were removed and replaced while a process held the old objects.
std::vector<Scenario> replaced_names() {
  return {
      {.name = "WorkingDirectoryMadeAgain",
       .prepare = {"mkdir d; cd d; rmdir ../d; mkdir ../d"},
       .probe = {"readlink /proc/$$/cwd; ls -d /w/d; touch x 2>&1; true"},
       .expect = "/w/d (deleted)\n/w/d\n"},
      {.name = "WorkingDirectoryMadeAgainWithContent",
       .prepare = {"mkdir d; cd d; rmdir ../d; mkdir ../d; echo new >../d/new"},
       .probe = {"readlink /proc/$$/cwd; cat /w/d/new"},
       .expect = "/w/d (deleted)\nnew\n"},
      {.name = "WorkingDirectoryReplacedByAFile",
       .prepare = {"mkdir d; cd d; rmdir ../d; echo new >../d"},
       .probe = {"readlink /proc/$$/cwd; cat /w/d"},
       .expect = "/w/d (deleted)\nnew\n"},
      {.name = "WorkingDirectoryOfAJobMadeAgain",
       .prepare = {"mkdir d; (cd d; exec sleep 1000) & n=$!",
                   "wait-for sh -c '[ $(readlink /proc/$0/cwd) = /w/d ]' $n", "rmdir d; mkdir d"},
       .probe = {"readlink /proc/$n/cwd; ls -d /w/d"},
       .expect = "/w/d (deleted)\n/w/d\n"},
      {.name = "OpenDirectoryMadeAgain",
       .prepare = {"mkdir d; exec 7<d; rmdir d; mkdir d; echo new >d/new"},
       .probe = {"readlink /proc/$$/fd/7; cat d/new"},
       .expect = "/w/d (deleted)\nnew\n"},
      {.name = "DirectoryAboveAnOpenFileReplacedByAFile",
       .prepare = {"mkdir d; echo old >d/f; exec 7<d/f; rm -r d; echo new >d"},
       .probe = {"cat /proc/$$/fd/7 d"},
       .expect = "old\nnew\n"},
      {.name = "DirectoryAboveAProgramReplacedByAFile",
       .prepare = {"mkdir d; cp /bin/sleep d/nap; d/nap 1000 & n=$!",
                   "wait-for sh -c '[ $(readlink /proc/$0/exe) = /w/d/nap ]' $n",
                   "rm -r d; echo new >d"},
       .probe = {"cmp /proc/$n/exe /bin/sleep && cat d"},
       .expect = "new\n"},
  };
}

TEST_P(CriuLimitsTest, StateIsDeclinedByNameAndLeftUntouched) {
  check_declined(host(), GetParam(), "/w/d");
}

TEST_P(AutoLimitsTest, NativeEngineCapturesIt) { check_scenario(host(), GetParam()); }

INSTANTIATE_TEST_SUITE_P(Replaced, CriuLimitsTest, ::testing::ValuesIn(replaced_names()),
                         scenario_name);
INSTANTIATE_TEST_SUITE_P(Replaced, AutoLimitsTest, ::testing::ValuesIn(replaced_names()),
                         scenario_name);

}  // namespace
}  // namespace sf::equivalence
