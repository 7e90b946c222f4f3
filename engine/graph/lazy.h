// Lazy calls: ops return pending results (engine/core/pending.h), whose elements are computed later, all together, as a graph with fused
// loops.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/graph/executor.h"

namespace mt {

// The hook of a caller whose ops are lazy. It defers calls that compute new tensors of the CPU, and writes to pending results. All other
// calls run at once, after the pending ones on which they depend: views of computed tensors, writes to them, random numbers, sizes that
// depend on elements, elements that become numbers, and ops on other devices.
class LazyCalls final : public OpHook {
 public:
  // A line of a program. The text lives as long as the caller of LazyCalls.
  struct Line {
    const std::string* file = nullptr;
    int number = 0;
  };
  // Returns the line that runs.
  explicit LazyCalls(std::function<Line()> line);
  ~LazyCalls();
  LazyCalls(const LazyCalls&) = delete;
  LazyCalls& operator=(const LazyCalls&) = delete;

  void run(Call& call) override;
  bool sees_reads() const override { return true; }
  // Computes all pending results that somebody holds. If an op fails, those that don't depend on it are computed before its error is
  // raised; the others lose their elements.
  void compute_pending() override;
  int64_t take_new_bytes() override { return std::exchange(bytes_, 0); }
  // The same at the end of a scope; pointers to elements that the program got in the scope are forgotten.
  void end_scope();

  size_t calls() const { return calls_.size(); }  // deferred
  int64_t pending_bytes() const;
  size_t plans() const { return plans_.size(); }  // sequences of calls that are remembered

 private:
  // A deferred call. Its tensors are those of the arguments, with lists expanded, then the results; they and its values lie one after the
  // other in tensors_ and values_.
  struct Deferred {
    const Op* op;
    uint32_t given;
    size_t first_value, first_tensor, first_written;
    Line line;
  };
  // The storage of a pending result, or a tensor that was computed before the deferred calls read it.
  struct Known {
    Tensor tensor;           // on meta; of a pending storage all elements
    Tensor computed;         // the tensor that `tensor` represents; without storage for a pending one
    size_t next = none;      // another part of the same computed storage
    int64_t references = 0;  // of deferred calls to a pending storage
    bool is_pending() const { return computed.storage() == nullptr; }
  };
  static constexpr size_t none = ~size_t{0};
  class OnMeta;
  class Attempt;

  const Known* find_pending(const Tensor& t) const;
  size_t find_or_add(const Tensor& t);
  bool can_defer(const Call& call) const;
  bool defer(Call& call);
  void append_tensor(const Tensor& t, size_t known);
  void append_call(const Call& call, std::span<const size_t> known);
  void note(const Call& call, std::vector<Tensor> arguments, std::span<const size_t> known, std::span<const int32_t> written);
  void add_tensor(Tensor t, size_t known);
  void note_exposed(const Tensor& t);
  std::vector<size_t> needed() const;
  std::string key_of(std::span<const size_t> outputs) const;
  Graph graph_of(std::span<const size_t> outputs) const;
  std::shared_ptr<const Executor> plan_for(std::span<const size_t> outputs);
  void compute(const Executor& executor, std::span<const size_t> outputs);
  void compute_apart(std::span<const size_t> outputs);
  void forget();

  const std::function<Line()> line_;
  std::vector<Deferred> calls_;
  std::vector<Value> values_;  // those of tensors, sizes and texts have no pointers
  std::vector<Tensor> tensors_;
  std::vector<int32_t> written_;
  std::vector<int64_t> sizes_;
  std::string characters_;
  std::deque<Known> known_;
  std::unordered_map<const Storage*, size_t> by_storage_;  // positions in known_
  std::vector<StoragePtr> exposed_;                        // whose elements the program may write through pointers
  std::string key_;                                        // describes the deferred calls
  int64_t bytes_ = 0;                                      // for take_new_bytes()
  RunSettings settings_;
  // By the key: the optimised graph, or null for calls that ran once without the passes.
  std::unordered_map<std::string, std::shared_ptr<const Executor>> plans_;
};

}  // namespace mt
