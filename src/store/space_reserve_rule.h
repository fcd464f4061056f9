// Decides how much of the reserved space a change may use on a full disk. Pure.
#pragma once

#include "control/catalog.h"

namespace sf::store {

enum class ReserveUse {
  kNone,  // the catalog grows: the change fails until there is space
  kHalf,  // a small command or a restore, which a user needs to free space
  kAll,   // a removal, or the record of one
};

ReserveUse reserve_use(const control::Change& change);

}  // namespace sf::store
