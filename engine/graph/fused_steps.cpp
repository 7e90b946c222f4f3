#include "engine/graph/fused_steps.h"

#include <algorithm>

#include "engine/ops/pointwise.h"

namespace mt {
namespace {

using Argument = Graph::Argument;
using Ref = Graph::Ref;

bool is_plain(const Graph::Step& step) { return !step.times && !step.into && step.writes.empty(); }

bool is_number(const Argument& argument) {
  return argument.type == Argument::Type::immediate && kinds_of(argument.immediate) == number_kinds;  // a complex number is another kind
}

}  // namespace

bool is_fusible(const Graph::Step& step) {
  return step.op->plan == &plan_pointwise && is_plain(step) && std::ranges::all_of(step.arguments, [](const Argument& argument) {
           const bool is_value = argument.type == Argument::Type::value && !argument.negative;
           return argument.type == Argument::Type::none || is_value || is_number(argument);
         });
}

bool is_fusible_end(const Graph::Step& step) {
  if (!FusedReduction::accepts(*step.op) || !is_plain(step) || step.arguments.empty()) return false;
  if (step.arguments[0].type != Argument::Type::value || step.arguments[0].negative) return false;
  return std::all_of(step.arguments.begin() + 1, step.arguments.end(), [](const Argument& argument) {
    return argument.type == Argument::Type::none || argument.type == Argument::Type::immediate;
  });
}

struct FusedSteps::Loop {
  std::vector<DType> dtypes;
  std::unique_ptr<FusedLoop> loop;  // null: there is none for these dtypes
  std::unique_ptr<FusedReduction> reduction;
  Loop* next = nullptr;
};

FusedSteps::FusedSteps(const Graph& graph, size_t first, size_t end) : graph_(&graph), first_(first), end_(end) {
  const Graph::Step& last = graph.steps[end - 1];
  if (!is_fusible(last)) {
    reduction_ = &last;
    --end_;
  }
  const int32_t begin = graph.steps[first].first, after = graph.steps[end_ - 1].first + 1;
  const auto is_inside = [&](Ref ref) { return ref.of == Ref::Of::result && ref.index >= begin && ref.index < after; };
  const auto need = [&](Ref ref) {
    if (is_inside(ref) && std::ranges::find(needed_, ref.index) == needed_.end()) needed_.push_back(ref.index);
  };
  for (size_t i = first; i < end_; ++i) {
    for (const Argument& argument : graph.steps[i].arguments) {
      each_ref(argument, [&](Ref ref) {
        if (!is_inside(ref) && std::ranges::find(operands_, ref) == operands_.end()) operands_.push_back(ref);
      });
    }
  }
  for (size_t i = end_; i < graph.steps.size(); ++i) {
    for (const Argument& argument : graph.steps[i].arguments) each_ref(argument, need);
    std::ranges::for_each(graph.steps[i].writes, need);
  }
  std::ranges::for_each(graph.outputs, need);
  for (const Graph::Update& update : graph.updates) need(update.value);
  if (needed_.empty()) need({Ref::Of::result, after - 1});
}

FusedSteps::FusedSteps(FusedSteps&& other) noexcept
    : graph_(other.graph_),
      first_(other.first_),
      end_(other.end_),
      reduction_(other.reduction_),
      operands_(std::move(other.operands_)),
      needed_(std::move(other.needed_)),
      loops_(other.loops_.exchange(nullptr)) {}

FusedSteps::~FusedSteps() {
  for (Loop* loop = loops_.load(); loop != nullptr;) delete std::exchange(loop, loop->next);
}

std::unique_ptr<FusedSteps::Loop> FusedSteps::make(std::span<const DType> dtypes) const {
  auto made = std::make_unique<Loop>();
  made->dtypes.assign(dtypes.begin(), dtypes.end());
  FusedProgram program;
  for (const DType dtype : dtypes) program.input(dtype);
  std::vector<FusedProgram::Ref> values;  // of the steps
  for (size_t i = first_; i < end_; ++i) {
    const Graph::Step& step = graph_->steps[i];
    std::vector<FusedProgram::Argument> arguments;
    for (const Argument& argument : step.arguments) {
      if (argument.type == Argument::Type::none) {
        arguments.emplace_back();
      } else if (argument.type == Argument::Type::immediate) {
        arguments.emplace_back(argument.immediate);
      } else {
        const auto operand = std::ranges::find(operands_, argument.value);
        const bool is_operand = operand != operands_.end();
        const auto at = static_cast<int32_t>(is_operand ? operand - operands_.begin() : argument.value.index - graph_->steps[first_].first);
        arguments.emplace_back(is_operand ? FusedProgram::Ref{FusedProgram::Ref::Of::input, at} : values[static_cast<size_t>(at)]);
      }
    }
    const auto value = program.step(*step.op, arguments);
    if (!value) return made;
    values.push_back(*value);
  }
  for (const int32_t result : needed_) program.output(values[static_cast<size_t>(result - graph_->steps[first_].first)]);
  if (reduction_ != nullptr && needed_.size() == 1) {
    std::vector<Value> arguments;
    for (size_t i = 1; i < reduction_->arguments.size(); ++i) arguments.push_back(reduction_->arguments[i].immediate);
    made->reduction = std::make_unique<FusedReduction>(program, *reduction_->op, std::move(arguments));
  }
  made->loop = std::make_unique<FusedLoop>(std::move(program));
  if (!made->loop->is_possible()) made->loop.reset();
  return made;
}

const FusedSteps::Loop& FusedSteps::loop_for(std::span<const DType> dtypes) const {
  Loop* first = loops_.load(std::memory_order_acquire);
  for (const Loop* loop = first; loop != nullptr; loop = loop->next) {
    if (std::ranges::equal(loop->dtypes, dtypes)) return *loop;
  }
  Loop* const made = make(dtypes).release();
  made->next = first;
  while (!loops_.compare_exchange_weak(made->next, made, std::memory_order_acq_rel)) {
  }
  return *made;
}

bool FusedSteps::accepts(std::span<const DType> dtypes) const { return loop_for(dtypes).loop != nullptr; }

std::string FusedSteps::name() const {
  std::string text = "fused:";
  for (size_t i = first_; i < end_; ++i) text = concat(text, i > first_ ? ", " : " ", graph_->steps[i].op->decl->name);
  return reduction_ != nullptr ? concat(text, ", ", reduction_->op->decl->name) : text;
}

size_t FusedSteps::run(std::span<Tensor* const> operands, Tensor* results) const {
  DType dtypes[FusedSchedule::max_tensors];
  if (operands.size() > std::size(dtypes) || needed_.size() > std::size(dtypes)) return 0;
  for (size_t i = 0; i < operands.size(); ++i) dtypes[i] = operands[i]->dtype();
  const Loop& loop = loop_for({dtypes, operands.size()});
  if (loop.loop == nullptr) return 0;
  Tensor* outputs[std::max<size_t>(FusedSchedule::max_tensors, Signature::max_results)];
  if (loop.reduction != nullptr) {
    const auto count = static_cast<size_t>(reduction_->results());
    for (size_t r = 0; r < count; ++r) outputs[r] = &results[reduction_->first + static_cast<int32_t>(r)];
    if (loop.reduction->try_run({operands, {}, {outputs, count}})) return end_ - first_ + 1;
  }
  for (size_t i = 0; i < needed_.size(); ++i) outputs[i] = &results[needed_[i]];
  return loop.loop->try_run({operands, {}, {outputs, needed_.size()}}) ? end_ - first_ : 0;
}

}  // namespace mt
