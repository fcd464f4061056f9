// Walks through the fields of the native engine's images together with the rows of
// waypoint/speculation/fingerprint_coverage.h.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "engine/native/archive.h"
#include "waypoint/speculation/fingerprint_coverage.h"

namespace sf::waypoint {

template <typename T>
concept HasRows = requires(const T* type) {
  rows_of(type);
};

template <typename T>
struct Element {
  using Type = T;
};
template <typename T>
struct Element<std::vector<T>> {
  using Type = T;
};

// Calls `visit(path, row, field)` for each field that `saved` writes, in that order, and for the
// fields of nested structs. `row` is the SavedField of the table, or a null pointer if there is
// none.
template <typename S, typename Visit>
class ImageWalk {
 public:
  ImageWalk(S& saved, std::string path, Visit& visit)
      : saved_(saved), path_(std::move(path)), visit_(visit) {
    saved.fields(*this);
  }

  template <typename T>
  ImageWalk& operator()(T& field) {
    const SavedField<S>* found = nullptr;
    for (const SavedField<S>& row : kRows)
      if (row.in(saved_) == static_cast<const void*>(&field)) found = &row;
    ++position_;
    const std::string path =
        path_ + "." + (found ? std::string(found->name) : "field " + std::to_string(position_));
    visit_(path, found, field);
    if (!found || found->sight != Sight::kInside) return *this;
    using Inner = typename Element<T>::Type;
    if constexpr (!HasRows<Inner>) {
      visit_(path + ": no rows", static_cast<const SavedField<S>*>(nullptr), field);
    } else if constexpr (std::is_same_v<T, Inner>) {
      ImageWalk<Inner, Visit>(field, path, visit_);
    } else {
      for (std::size_t i = 0; i < field.size(); ++i)
        ImageWalk<Inner, Visit>(field[i], path + "[" + std::to_string(i) + "]", visit_);
    }
    return *this;
  }

 private:
  static constexpr auto kRows = rows_of(static_cast<const S*>(nullptr));
  S& saved_;
  std::string path_;
  Visit& visit_;
  int position_ = 0;
};

template <typename S, typename Visit>
void walk_image(S& saved, Visit visit) {
  ImageWalk<S, Visit>(saved, "", visit);
}

}  // namespace sf::waypoint
