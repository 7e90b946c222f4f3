// The steps of a graph in the order in which they run, with the memory of their values: for passes that compute steps again.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/graph/graph.h"

namespace mt {

// Values are numbered: those of the graph have the numbers of the results, those of repeated steps follow. The value of an input or a
// constant has no number, and takes no memory of a run.
class Program {
 public:
  static constexpr int32_t outside = -1;

  struct Node {
    const Graph::Step* step;
    int32_t first;                  // the number of its first result
    std::vector<int32_t> operands;  // in the order of each_ref; outside for inputs and constants
  };
  // Steps that run at once: one, or a fused loop.
  struct Unit {
    std::vector<Node> nodes;
    size_t source;  // the unit of the graph
    bool is_loop() const { return nodes.size() > 1; }
  };

  // Raises an error in the name of `function` if the sizes of a value are unknown.
  Program(const Graph& graph, std::string_view function);

  // The unit in which a value is computed, and those that read it or a view of it, in order.
  struct Life {
    int32_t first = 0;
    std::vector<int32_t> uses = {};
    bool is_kept = false;    // until the end: an output, or what an update writes
    bool in_memory = false;  // not within a loop alone
    int32_t last(size_t units) const { return is_kept ? static_cast<int32_t>(units) : uses.empty() ? first : uses.back(); }
    bool is_available(int32_t unit) const { return in_memory && first < unit && (is_kept || (!uses.empty() && uses.back() >= unit)); }
  };
  struct Memory {
    std::vector<int32_t> bases;  // by value: the one whose memory it shares; outside for views of inputs and constants
    std::vector<Life> lives;     // by base
    std::vector<int64_t> bytes;  // by unit: of all values that are needed while it runs
    int64_t peak() const;
  };
  Memory memory() const;

  size_t values() const { return origins_.size(); }
  int32_t origin(int32_t value) const { return origins_[static_cast<size_t>(value)]; }          // the value of the graph that it equals
  int64_t bytes_of(int32_t value) const { return bytes_[static_cast<size_t>(origin(value))]; }  // elements
  int64_t storage_bytes_of(int32_t base) const { return storage_bytes_[static_cast<size_t>(origin(base))]; }
  // The input or constant of which a value of the graph is a view.
  std::optional<Graph::Ref> lender(int32_t value) const { return lenders_[static_cast<size_t>(origin(value))]; }
  bool is_kept(int32_t value) const { return kept_[static_cast<size_t>(origin(value))]; }

  // A further value that equals one of the graph.
  int32_t repeat(int32_t value);

  // Removes steps whose results nothing uses, except those that write or draw random numbers.
  void remove_dead();

  Graph graph() const;

  std::vector<Unit> units;

 private:
  const Graph* graph_;
  std::vector<int32_t> origins_;                    // by value
  std::vector<int32_t> storages_;                   // by value of the graph: the first value with its storage, or outside
  std::vector<std::optional<Graph::Ref>> lenders_;  // by value of the graph
  std::vector<int64_t> bytes_, storage_bytes_;      // by value of the graph
  std::vector<bool> kept_;                          // by value of the graph
  std::vector<int64_t> inner_bytes_;                // by unit of the graph: of the bodies
};

}  // namespace mt
