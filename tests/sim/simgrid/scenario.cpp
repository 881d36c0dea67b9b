#include "tests/sim/simgrid/scenario.hpp"

#include <istream>
#include <limits>
#include <ostream>

namespace corecast::test {
namespace {

template <typename T>
void write(std::ostream& stream, const T& value) {
  stream << value << ' ';
}

void write(std::ostream& stream, const Drawn& draw) {
  stream << draw.resource << ' ' << draw.amount << ' ';
}

template <typename T>
void write_all(std::ostream& stream, const std::vector<T>& values) {
  stream << values.size() << ' ';
  for (const T& value : values) write(stream, value);
}

void write(std::ostream& stream, const Task& task) {
  stream << '\n'
         << task.dispatch_s << ' ' << task.serial_s << ' ' << task.fork_s << ' ' << task.parallel_s << ' ';
  stream << task.threads << ' ';
  write_all(stream, task.draws);
  write_all(stream, task.after);
}

template <typename T>
void read(std::istream& stream, T& value) {
  stream >> value;
}

void read(std::istream& stream, Drawn& draw) {
  stream >> draw.resource >> draw.amount;
}

template <typename T>
void read_all(std::istream& stream, std::vector<T>& values) {
  std::size_t count = 0;
  stream >> count;
  values.clear();
  while (stream && values.size() < count) read(stream, values.emplace_back());
}

void read(std::istream& stream, Task& task) {
  stream >> task.dispatch_s >> task.serial_s >> task.fork_s >> task.parallel_s >> task.threads;
  read_all(stream, task.draws);
  read_all(stream, task.after);
}

}  // namespace

std::ostream& operator<<(std::ostream& stream, const Scenario& scenario) {
  stream.precision(std::numeric_limits<double>::max_digits10);
  stream << static_cast<int>(scenario.way) << ' ' << scenario.fixed_order << ' ' << scenario.slots << ' ';
  stream << scenario.hand_over_s << ' ' << scenario.cpus << ' ';
  write_all(stream, scenario.capacities);
  stream << scenario.tasks.size() << ' ';
  for (const Task& task : scenario.tasks) write(stream, task);
  return stream << '\n';
}

std::istream& operator>>(std::istream& stream, Scenario& scenario) {
  int way = 0;
  stream >> way >> scenario.fixed_order >> scenario.slots >> scenario.hand_over_s >> scenario.cpus;
  scenario.way = static_cast<Way>(way);
  read_all(stream, scenario.capacities);
  std::size_t count = 0;
  stream >> count;
  scenario.tasks.clear();
  while (stream && scenario.tasks.size() < count) read(stream, scenario.tasks.emplace_back());
  return stream;
}

}  // namespace corecast::test
