// Results of the substrates benchmark. Plain data.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace sf::bench {

enum class State { kMemory, kFiles };  // kind of data that the workload holds

struct Point {  // one backend with one size and kind of state
  std::string backend;
  State state = State::kMemory;
  int megabytes = 0;
  std::vector<double> snapshot_ms;
  std::vector<double> to_base_ms;  // restore of the state before the workload
  std::vector<double> restore_ms;  // restore of the state with the workload
  std::uint64_t bytes_kept = 0;    // size of one snapshot
  std::string failure;             // why the measurement stopped early
};

struct Tax {  // duration of commands inside a backend
  std::string backend;
  std::map<std::string, std::vector<double>> ms;  // by kind of command
  std::string failure;
};

struct Depth {  // a chain of snapshots with a small change before each
  std::string backend;
  std::map<int, std::vector<double>> snapshot_ms;  // by number of the node
  std::string failure;                             // with the number of the failing node
};

struct Width {  // concurrent forks of one node
  std::string backend;
  std::map<int, std::vector<double>> all_ms;        // by number of forks
  std::map<int, std::vector<double>> memory_bytes;  // of the host, per fork
  std::string failure;
};

struct Results {
  std::vector<std::string> facts;  // one line each: machine, date, versions
  std::vector<Point> points;
  std::vector<Tax> taxes;
  std::vector<Depth> depths;
  std::vector<Width> widths;
};

std::string to_json_text(const Results& results);
std::string to_markdown(const Results& results);
// Four panels: snapshot and restore, each by size of memory and of files.
std::string to_svg(const Results& results);

}  // namespace sf::bench
