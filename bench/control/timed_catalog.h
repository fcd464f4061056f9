// TimedCatalog: wraps a catalog and measures every append under the name of its operation.
#pragma once

#include "control/catalog.h"
#include "latencies.h"

namespace sf::bench {

class TimedCatalog final : public control::Catalog {
 public:
  TimedCatalog(control::Catalog& catalog, Latencies& latencies)
      : catalog_(catalog), latencies_(latencies) {}

  Status append(const control::Change& change) override {
    return latencies_.measure("append " + change.operation,
                              [&] { return catalog_.append(change); });
  }

 private:
  control::Catalog& catalog_;
  Latencies& latencies_;
};

}  // namespace sf::bench
