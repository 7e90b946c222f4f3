// Prepared runs: a graph whose plans are made and whose memory is laid out once, for inputs of fixed sizes.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/packing.h"
#include "engine/graph/executor.h"

namespace mt {

// A run only starts kernels. Values that a run computes lie in one block of memory, by the steps between which they are needed; constants
// are shared with the program. One thread at a time may run an object; several objects of one graph share its constants.
class Prepared {
 public:
  // Runs the graph once with these inputs, which give the dtypes and sizes of all later ones. Writes of this run to constants are undone.
  // Raises the errors of the steps, and one for a step that can't be repeated (see LaunchList). Errors about inputs and constants name
  // `function`, here and below.
  Prepared(std::shared_ptr<const Executor> executor, std::span<const Value> inputs, const RunSettings& settings,
           std::string_view function = "prepare")
      : Prepared(std::move(executor), inputs, settings, std::make_shared<PackedOperands>(), function) {}
  // The same, with packed operands that other prepared runs of the executor share.
  Prepared(std::shared_ptr<const Executor> executor, std::span<const Value> inputs, const RunSettings& settings,
           std::shared_ptr<PackedOperands> packed, std::string_view function = "prepare");
  // Another one, for another thread. Both share constants and packed operands. Raises an error if the object is running.
  std::unique_ptr<Prepared> clone(std::string_view function = "prepare");
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  const std::shared_ptr<const Executor>& executor() const { return executor_; }
  const Graph& graph() const { return executor_->graph(); }
  // The memory from which runs read an input. It keeps its elements until somebody writes there.
  const Tensor& input(size_t i) const { return inputs_[i]; }
  // The memory to which runs write an output; the next run overwrites it. An output that is an input or a constant is that tensor.
  const Tensor& output(size_t i) const { return outputs_[i]; }

  // Marks the object as running, for its lifetime. Raises an error if it is running already.
  class Running;

  // Copies the inputs to their places, unless they are there already, and runs the steps. Raises an error for inputs of other dtypes or
  // sizes, for the place of one input as another one, and if the object is running already. It allocates nothing, except for scratch
  // memory of a few kernels.
  void run(std::span<const Tensor* const> inputs, std::string_view function = "prepare");

  // Runs the steps once with the elements that the inputs have, and returns for each launch the op and its seconds.
  std::vector<std::pair<std::string_view, double>> profile();

  size_t launches() const { return launches_.size(); }
  int64_t bytes() const { return bytes_; }                // of the block
  int64_t needed_bytes() const { return needed_bytes_; }  // the most that values need at one step

 private:
  class Layout;

  bool is_place(size_t i, const Tensor& t) const;
  void check(std::span<const Tensor* const> inputs, std::string_view function) const;
  void touch_written() const;

  std::shared_ptr<const Executor> executor_;
  std::shared_ptr<PackedOperands> packed_;
  std::vector<Launch> launches_;
  std::vector<StoragePtr> storages_;  // of all operands
  std::vector<Tensor> inputs_, outputs_, written_;
  int64_t bytes_ = 0, needed_bytes_ = 0;
  std::atomic<bool> is_running_{false};
};

class Prepared::Running {
 public:
  Running(Prepared& prepared, std::string_view function);
  ~Running() { prepared_.is_running_.store(false, std::memory_order_release); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  void run(std::span<const Tensor* const> inputs);  // see Prepared::run

 private:
  Prepared& prepared_;
  std::string_view function_;
};

}  // namespace mt
