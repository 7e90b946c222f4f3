#include "engine/graph/fused/reduction.h"

#include <algorithm>
#include <utility>

#include "engine/core/arguments.h"
#include "engine/core/parallel.h"
#include "engine/cpu/reduce_source.h"
#include "engine/graph/fused/plan.h"
#include "engine/ops/softmax.h"

namespace mt {
namespace {

// What the kernel of the running call reads, and its answer.
struct Running {
  const FusedPlan& elements;
  const Tensor& x;  // on meta, in place of the elements
  const Op& op;
  bool done = false;

  // Whether the plan reads these elements, not a copy in another dtype or layout.
  bool is_read(const Tensor& operand) const { return operand.storage() == x.storage() && operand.same_geometry(x); }
};
thread_local Running* running = nullptr;

void run_reduce(const void* given, const void*) {
  const ReducePlan& plan = *static_cast<const ReducePlan*>(given);
  if (!running->is_read(plan.x)) return;
  const cpu::ElementSource source{
      [](const void* elements, int64_t first, int64_t n, std::byte* to) { static_cast<const FusedPlan*>(elements)->compute(first, n, to); },
      &running->elements};
  running->done = cpu::run_reduce_from(source, plan, *static_cast<const cpu::ReduceKernels*>(running->op.kernel.data));
}

// Rows are computed into the result, if it has as many elements, and softmax replaces them there.
void run_softmax(const void* given, const void*) {
  const SoftmaxPlan& plan = *static_cast<const SoftmaxPlan*>(given);
  const int last = plan.x.dim() - 1;
  if (plan.dim != last || !running->is_read(plan.x)) return;
  constexpr int64_t part = 8192;  // elements that are computed at once
  const int64_t n = plan.x.size(last), rows = plan.x.numel() / n, together = std::max<int64_t>(part / n, 1);
  const bool in_place = plan.out.numel() == plan.x.numel();
  const FusedPlan& elements = running->elements;
  const Kernel kernel = running->op.kernel;
  parallel_for((rows + together - 1) / together, std::max<int64_t>(1, 32768 / (n * together)), [&](int64_t begin, int64_t end) {
    Tensor buffer;
    for (int64_t block = begin; block < end; ++block) {
      const int64_t row = block * together, count = std::min(together, rows - row);
      Tensor out = plan.out;
      out.set_geometry(plan.out.offset() + row * (in_place ? n : 1), Shape{count, in_place ? n : 1}, Shape{in_place ? n : 1, 1});
      if (in_place)
        buffer = out;
      else if (buffer.dim() == 0 || buffer.size(0) != count)
        buffer = Tensor::empty(out.dtype(), {count, n});
      elements.compute(row * n, count * n, buffer.bytes());
      const SoftmaxPlan some{buffer, {}, out, 1};
      kernel.run(&some, kernel.data);
    }
  });
  running->done = true;
}

Kernel reading_kernel(const Kernel& kernel) {
  if (kernel.plan == plan_id<ReducePlan>) return {&run_reduce, nullptr, kernel.plan};
  if (kernel.plan == plan_id<SoftmaxPlan>) return {&run_softmax, nullptr, kernel.plan};
  return {};
}

}  // namespace

FusedReduction::FusedReduction(FusedProgram program, const Op& op, std::vector<Value> arguments)
    : loop_(std::move(program)), op_(op), arguments_(std::move(arguments)) {
  MT_ASSERT(loop_.program().outputs().size() == 1);
  const Kernel kernel = reading_kernel(op.kernel);
  if (kernel.run == nullptr) return;
  planner_ = op;
  planner_->kernel = kernel;
}

bool FusedReduction::accepts(const Op& op) { return reading_kernel(op.kernel).run != nullptr; }

bool FusedReduction::run(const FusedLoop::Run& run, bool as_number) const {
  if (try_run(run, as_number)) return true;
  Tensor elements;
  Tensor* const outputs[] = {&elements};
  loop_.run({run.inputs, run.numbers, outputs, 0, run.hook});
  call(op_, elements, run, as_number, unresolved_device);
  return false;
}

// The op's planning function runs on sizes alone; the kernel of planner_ reads the elements.
bool FusedReduction::try_run(const FusedLoop::Run& run, bool as_number) const {
  constexpr int64_t few = 8192;  // softmax gains nothing by reading so few elements at once
  if (!planner_ || is_recording()) return false;
  if (op_.kernel.plan == plan_id<SoftmaxPlan> && std::ranges::all_of(run.inputs, [](const Tensor* t) { return t->numel() < few; })) {
    return false;
  }
  Shape shape;
  const auto plan = loop_.plan({run.inputs, run.numbers, {}, 0, run.hook}, shape);
  if (plan == nullptr) return false;
  Tensor x = Tensor::empty(loop_.program().dtype({FusedProgram::Ref::Of::result, loop_.program().outputs()[0]}), shape, meta_device);
  if (x.numel() == 0) return false;
  for (size_t o = 0; o < run.outputs.size(); ++o) {  // a result that shares memory with an input
    for (const Tensor* const input : run.inputs) {
      if ((run.given >> o & 1) != 0 && may_overlap(*run.outputs[o], *input)) return false;
    }
  }
  Running now{*plan, x, op_};
  Running* const outer = std::exchange(running, &now);
  try {
    call(*planner_, x, run, as_number, cpu_device);
  } catch (...) {
    running = outer;
    throw;
  }
  running = outer;
  for (size_t o = 0; !now.done && o < run.outputs.size(); ++o) {
    if ((run.given >> o & 1) == 0) *run.outputs[o] = Tensor();
  }
  return now.done;
}

void FusedReduction::call(const Op& op, Tensor& x, const FusedLoop::Run& run, bool as_number, DeviceId device) const {
  const Signature& signature = op.decl->signature;
  std::vector<Value> args = {Value(x)};
  for (int i = 1; i < signature.count; ++i) {
    Value& value = args.emplace_back();
    if (static_cast<size_t>(i) <= arguments_.size()) value = arguments_[static_cast<size_t>(i) - 1];
    if (!value.given()) set_default(value, signature.params[i]);
  }
  Call one{op, args, run.outputs, run.given};
  one.hook = run.hook;
  one.as_number = as_number;
  one.device = device;
  run_op(one);
}

}  // namespace mt
