// What a run of the substrates benchmark found. Plain data.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace sf::bench {

enum class State { kMemory, kFiles };  // what the workload holds

struct Point {  // one backend with one size of one kind of state
  std::string backend;
  State state = State::kMemory;
  int megabytes = 0;
  std::vector<double> snapshot_ms;
  std::vector<double> to_base_ms;  // restore of the session as it was before the workload
  std::vector<double> restore_ms;  // and back
  std::uint64_t bytes_kept = 0;    // of one snapshot
  std::string failure;             // why there is nothing more
};

struct Tax {  // what commands take inside
  std::string backend;
  std::map<std::string, std::vector<double>> ms;  // by what they do
  std::string failure;
};

struct Depth {  // a chain of snapshots, each after a small change
  std::string backend;
  std::map<int, std::vector<double>> snapshot_ms;  // by the node's number
  std::string failure;                             // and at which node
};

struct Width {  // live forks of one node
  std::string backend;
  std::map<int, std::vector<double>> all_ms;        // by how many, made at once
  std::map<int, std::vector<double>> memory_bytes;  // of the host, for each of them
  std::string failure;
};

struct Results {
  std::vector<std::string> facts;  // lines: machine, date, versions
  std::vector<Point> points;
  std::vector<Tax> taxes;
  std::vector<Depth> depths;
  std::vector<Width> widths;
};

std::string to_json_text(const Results& results);
std::string to_markdown(const Results& results);
// Four panels: snapshot and restore, over memory and over files.
std::string to_svg(const Results& results);

}  // namespace sf::bench
