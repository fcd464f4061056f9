// Which changes may use the space that is set aside for a full disk, and how much of it. Pure.
#pragma once

#include "control/catalog.h"

namespace sf::store {

enum class ReserveUse {
  kNone,  // makes the catalog grow: must wait until there is room
  kHalf,  // a small command, or a restore: what a user does to make room
  kAll,   // takes something away, or records that it is gone
};

ReserveUse reserve_use(const control::Change& change);

}  // namespace sf::store
