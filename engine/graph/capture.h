// Captures the ops that a program runs as a graph, in which no step changes a value: writes in place become new values, and views of
// overwritten memory are taken again.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/graph/control.h"
#include "engine/graph/guard.h"

namespace mt {

// The hook of a caller during a capture. Ops run as usual.
//
// A tensor that exists before the capture and is no input is a constant of the graph, which shares its memory: a run reads the elements
// that it has then. If the program writes to it or to an input, the graph has an update for it. Everything that the program computes
// itself, such as numbers, is as it was during the capture. Ops that would return a number return a tensor with one element.
//
// What the program reads as numbers, and sizes that depend on elements, are refused, or become guards: then the program gets numbers.
class Capture final : public OpHook, public ControlHook {
 public:
  // Returns the line of the program that runs: "train.lua:12".
  using Origin = std::function<std::string()>;
  // pending: calls are noted, and tensors on meta represent tensors on the CPU.
  enum class Reads : uint8_t { refused, guarded, pending };
  // is_any_size: one of several captures of a program with other sizes. A tensor of the program that the capture resizes, and then
  // overwrites without reading it before, belongs to the run, as one that the program creates.
  explicit Capture(Origin origin, Reads reads = Reads::refused, bool is_any_size = false);
  ~Capture();
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  void add_input(std::string name, const Tensor& t);

  void run(Call& call) override;
  void run_control(Call& call, const Control& control) override;
  // Notes a call that was planned on meta. `written`: positions of the tensors that the op overwrote besides its results, among those of
  // the arguments in order, with lists expanded.
  void note(const Call& call, std::span<const int32_t> written, std::string origin);
  // The program made a tensor without an op. Its elements count as 0 until it sets them.
  void note_created(const Tensor& t);
  // The program made a tensor with elements, without an op: each run begins with these elements.
  void note_literal(const Tensor& t);
  bool captures() const override { return true; }

  // ---- bodies of control flow, which run during the capture of a program to be captured themselves (bodies.h)

  // From here on this is the capture of a body: it refuses writes to its inputs, and remembers the elements of memory that existed before.
  void begin_body() { is_body_ = true; }
  // Restores the memory that the body has overwritten.
  void restore() const;
  // Releases all calls. Returns the memory that the body created and that the program holds still.
  std::vector<StoragePtr> release();
  // Adds memory that a body created. It has no elements for this program until it overwrites all of them.
  void note_foreign(std::vector<StoragePtr> storages);
  bool is_foreign(const Tensor& t) const { return foreign_.contains(t.storage()); }

  // The graph of the calls so far. Raises an error for programs that can't be a graph. `guards` receives those of all reads, whose values
  // are the first outputs of the graph.
  Graph finish(std::span<const Tensor> outputs, std::vector<Guard>* guards = nullptr) const;

 private:
  // A call that ran. The values of its arguments are positions in `tensors`.
  struct Event {
    const Op* op;
    std::vector<Graph::Argument> arguments;
    std::vector<Tensor> tensors, results;
    std::vector<Tensor> natural;  // on meta: the results that a step would have; empty: those of the call
    uint32_t given;
    std::vector<int32_t> written;  // positions of tensors that the op overwrote besides its results
    std::string origin;
    std::optional<Guard> guard = std::nullopt;              // of tensors[0]; then there is no call
    std::vector<std::shared_ptr<const Graph>> bodies = {};  // of control flow
    uint32_t resized = 0;                                   // bits of given results with new sizes, or met here first
  };
  struct Named {
    std::string name;
    Tensor tensor;
  };
  class Builder;

  static Event event_of(const Call& call, std::string origin);
  void note_results(const Call& call, Event& event);
  void keep_outside(const Call& call, const Event& event);
  bool is_input(const Tensor& t) const;
  static void name_default_dtype(const Call& call, Event& event);
  static bool needs_natural(const Call& call);
  static void infer_natural(const Call& call, Event& event);
  void add_guard(const Op& op, const Tensor& read, bool sizes);
  // Adds guards for results that the program gets as numbers, or whose sizes depend on elements.
  void guard_results(const Call& call, bool are_numbers);

  Origin origin_;
  Reads reads_;
  bool is_any_size_;
  std::vector<Named> inputs_;
  std::vector<Event> events_;
  std::unordered_set<const Storage*> created_, seen_;  // by calls; all
  struct Literal {
    Tensor tensor, elements;  // what the program made, whose memory stays in use, and a copy
  };
  std::unordered_map<const Storage*, Literal> literals_;
  bool is_body_ = false;
  std::unordered_map<const Storage*, std::pair<Tensor, Tensor>> before_;  // overwritten by a body: all elements, and a copy from before
  // The memory of out arguments. A call may give them other memory, and seen_ would take what is allocated at the former address for this.
  std::vector<StoragePtr> passed_;
  std::vector<StoragePtr> made_;                            // by a body
  std::unordered_map<const Storage*, StoragePtr> foreign_;  // created by bodies of this program
};

}  // namespace mt
