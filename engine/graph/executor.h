// Runs graphs. Rules of the tape, formulas of modules, captured and parsed graphs all run here; a front end only converts operands.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/graph/fused_steps.h"
#include "engine/graph/graph.h"

namespace mt {

// The properties of a caller that its calls of ops need (see Call).
struct RunSettings {
  OpHook* hook = nullptr;
  DType default_dtype = DType::float64;
  DeviceId default_device = cpu_device;
  Generators* generators = nullptr;
  bool names_steps = false;            // errors name steps without an origin, too
  std::string_view program = "graph";  // for errors
  bool names_lines = false;            // errors are those of the ops, followed by the line that called the op
};

// Where an output goes.
struct Destination {
  Tensor* given = nullptr;  // if not null, receives the output
  Tensor* sum = nullptr;    // else, if the op can accumulate, scale times the output is added to it, and `added` is set
  double scale = 1;
  bool added = false;
};

class Control;
class ObservingHook;

// A checked graph in the form that runs.
class Executor {
 public:
  // Raises an error if the graph is invalid.
  explicit Executor(Graph graph);
  Executor(Executor&&) noexcept = default;

  const Graph& graph() const { return *graph_; }
  size_t results() const { return results_; }
  bool reads(size_t input) const { return is_read_[input]; }  // whether a step or an output uses it

  // Runs the steps on which the `wanted` outputs depend (bit i: output i; outputs from 31 on share bit 31). `inputs` has a value for each
  // input, with numbers as in Graph::Input; Value::Type::none: absent. The kinds of the inputs must fit: a front end checks them.
  // `results` has empty tensors for all results; results that no output needs are released after their last use. `destinations`, if not
  // null, has an element for each output. Updates are not executed: see update(). Raises the errors of the ops, preceded by the step if
  // that has an origin.
  void run(const RunSettings& settings, std::span<const Value> inputs, Tensor* results, Destination* destinations = nullptr,
           uint32_t wanted = ~uint32_t{0}) const;

  // Writes the updates after a run, in order.
  void update(const RunSettings& settings, std::span<const Value> inputs, Tensor* results) const;

  // The tensor of an output after a run; the tensor of an input or constant for an output that is one.
  Tensor& output(size_t i, std::span<const Value> inputs, Tensor* results) const { return tensor(graph_->outputs[i], inputs, results); }
  // The same, but a copy if an earlier output is the same value: its reader may change one of them.
  Tensor separate_output(size_t i, std::span<const Value> inputs, Tensor* results) const;

 private:
  // An argument that differs from run to run.
  struct Patch {
    enum class From : uint8_t { result, tensor_input, input, values, size, sizes, sizes_of };
    From from;
    uint8_t param;
    int32_t index;  // of the result or input
    const Graph::Argument* argument;
  };
  struct Step {
    const Op* op = nullptr;
    bool times = false;
    bool may_overwrite = false;  // a strided_scatter that is the last reader of its first argument, a result
    int32_t first = 0;
    uint32_t serves = 0;                      // bit i: output i depends on it
    uint32_t first_patch = 0, patch_end = 0;  // in patches_
    int32_t fused = -1;                       // the loop that begins with this step, in fused_
    const ValueType* into = nullptr;
    uint32_t first_release = 0, release_end = 0;  // in releases_: results that no later step reads
    std::vector<Value> values = {};               // defaults and constant arguments
    std::shared_ptr<const Control> control = {};  // of control flow
  };

  Tensor& tensor(Graph::Ref ref, std::span<const Value> inputs, Tensor* results) const;
  void note_uses();
  void note_loops();
  void run_steps(const RunSettings& settings, ObservingHook* hook, std::span<const Value> inputs, Tensor* results,
                 Destination* destinations, uint32_t wanted) const;
  void run_observed(const RunSettings& settings, ObservingHook& hook, std::span<const Value> inputs, Tensor* results,
                    Destination* destinations, uint32_t wanted) const;
  size_t run_loop_observed(ObservingHook& hook, const FusedSteps& loop, std::span<const Value> inputs, Tensor* results) const;
  size_t run_loop(const FusedSteps& loop, std::span<const Value> inputs, Tensor* results) const;
  void run_control(const Step& step, const RunSettings& settings, std::span<Value> args, Tensor* results) const;
  void run_step(const Step& step, const RunSettings& settings, std::span<const Value> inputs, Tensor* results,
                Destination* destinations) const;

  std::unique_ptr<Graph> graph_;
  std::vector<Step> steps_;
  std::vector<FusedSteps> fused_;
  std::vector<Patch> patches_;
  std::vector<int32_t> releases_;
  std::vector<bool> is_read_;  // by input
  size_t results_ = 0;
};

// Raises an error unless the inputs of a run have the kinds, dtypes and sizes that the graph declares.
void check_inputs(const Graph& graph, std::span<const Value> inputs, std::string_view function = "graph");

// Empty tensors for the results of a run.
class GraphResults {
 public:
  explicit GraphResults(const Executor& executor) : count_(executor.results()) {
    if (count_ > few) {
      many_ = std::make_unique<Tensor[]>(count_);
    } else {
      std::uninitialized_default_construct_n(tensors(), count_);
    }
  }
  ~GraphResults() {
    if (many_ == nullptr) std::destroy_n(tensors(), count_);
  }
  GraphResults(const GraphResults&) = delete;
  GraphResults& operator=(const GraphResults&) = delete;
  Tensor* tensors() { return many_ != nullptr ? many_.get() : reinterpret_cast<Tensor*>(room_); }

 private:
  static constexpr size_t few = 32;
  size_t count_;
  std::unique_ptr<Tensor[]> many_;
  alignas(Tensor) std::byte room_[sizeof(Tensor) * few];
};

}  // namespace mt
