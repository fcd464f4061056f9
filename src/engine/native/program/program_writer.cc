#include "engine/native/program/program_writer.h"

namespace sf::waypoint::native {

std::uint64_t Arena::reserve(std::size_t size, std::size_t alignment) {
  std::size_t at = (used_ + alignment - 1) / alignment * alignment;
  SF_CHECK(at + size <= size_);
  used_ = at + size;
  return base_ + at;
}

Step& ProgramWriter::add(long number, std::initializer_list<Argument> args) {
  Step step{};
  step.number = number;
  step.keep = -1;
  step.subject = static_cast<std::uint32_t>(subjects_.size());
  unsigned i = 0;
  for (const Argument& argument : args) {
    step.args[i] = argument.value;
    if (argument.from_values) step.from_values |= 1U << i;
    ++i;
  }
  return steps_.emplace_back(step);
}

std::uint64_t ProgramWriter::finish(std::uint32_t id, std::uint64_t failure) {
  placed_ = arena_.put(steps_.data(), steps_.size() * sizeof(Step));
  Program program{};
  program.steps = placed_;
  program.count = steps_.size();
  program.values = arena_.reserve(sizeof(std::uint64_t) * static_cast<std::size_t>(values_ + 1));
  program.failure = failure;
  program.id = id;
  return arena_.put_value(program);
}

long ProgramWriter::result(std::size_t step) { return arena_.at<Step>(placed_)[step].result; }

}  // namespace sf::waypoint::native
