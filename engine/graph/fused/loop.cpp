#include "engine/graph/fused/loop.h"

#include <algorithm>

#include "engine/core/asynchronous.h"
#include "engine/core/fused_device.h"
#include "engine/core/geometry.h"
#include "engine/graph/fused/plan.h"
#include "engine/ops/pointwise_number.h"

namespace mt {

// The shape of all outputs, and their layout.
struct FusedLoop::Result {
  Shape shape;
  ImageLayout layout = ImageLayout::channels_first;
};

namespace {

using Ref = FusedProgram::Ref;

// The shape of a step's result, by the rules of elementwise ops. Nothing if the op would raise an error, or pair elements of tensors of
// different shapes.
std::optional<Shape> shape_of(const FusedProgram::Step& step, std::span<const Shape> inputs, std::span<const Shape> results) {
  std::optional<Shape> shape;
  for (const Ref operand : step.operands) {
    if (!operand.is_tensor()) continue;
    const Shape& one = (operand.of == Ref::Of::input ? inputs : results)[static_cast<size_t>(operand.index)];
    if (one.size() == 0) return std::nullopt;
    if (!shape) {
      shape = one;
    } else if (!std::ranges::equal(Sizes(*shape), Sizes(one))) {
      if (checked_product(step.op->decl->name, *shape) == checked_product(step.op->decl->name, one)) return std::nullopt;
      Shape common = shape->size() >= one.size() ? *shape : one;
      for (int i = 1; i <= std::min(shape->size(), one.size()); ++i) {
        const int64_t a = (*shape)[shape->size() - i], b = one[one.size() - i];
        if (a != b && a != 1 && b != 1) return std::nullopt;
        common[common.size() - i] = a == 1 ? b : a;
      }
      shape = common;
    }
  }
  return shape;
}

ImageLayout layout_of(const FusedProgram::Step& step, const Shape& shape, std::span<Tensor* const> inputs, std::span<const Shape> results,
                      std::span<const ImageLayout> layouts) {
  for (const Ref operand : step.operands) {
    if (!operand.is_tensor()) continue;
    const auto i = static_cast<size_t>(operand.index);
    const bool is_input = operand.of == Ref::Of::input;
    if (!std::ranges::equal(is_input ? inputs[i]->sizes() : Sizes(results[i]), Sizes(shape))) continue;
    return is_input ? layout_of(*inputs[i]) : layouts[i];
  }
  return ImageLayout::channels_first;
}

// The shape and layout of the results when tensors differ in shape, or one isn't contiguous. Nothing unless one loop over that shape
// computes all steps, those that no output reads too.
template <class Result> std::optional<Result> general_result(const FusedProgram& program, std::span<Tensor* const> inputs) {
  std::vector<Shape> given, shapes;
  std::vector<ImageLayout> layouts;
  for (const Tensor* const t : inputs) given.emplace_back(t->sizes());
  for (const FusedProgram::Step& step : program.steps()) {
    const std::optional<Shape> shape = shape_of(step, given, shapes);
    if (!shape) return std::nullopt;
    layouts.push_back(layout_of(step, *shape, inputs, shapes, layouts));
    shapes.push_back(*shape);
  }
  const auto first = static_cast<size_t>(program.outputs()[0]);
  for (const int32_t output : program.outputs()) {
    const auto o = static_cast<size_t>(output);
    if (!std::ranges::equal(Sizes(shapes[o]), Sizes(shapes[first])) || layouts[o] != layouts[first]) return std::nullopt;
  }
  for (const Tensor* const t : inputs) {
    if (!broadcasts_to(t->sizes(), shapes[first])) return std::nullopt;
  }
  return Result{shapes[first], layouts[first]};
}

bool is_number(const Value& value) { return value.type == Value::Type::number || value.type == Value::Type::integer; }

// Whether writing an output at once could change an input that is still to be read, or another output.
bool overlaps(const Tensor& output, size_t index, const FusedLoop::Run& run, uint32_t read_later, Sizes shape) {
  for (size_t i = 0; i < run.inputs.size(); ++i) {
    const Tensor& input = *run.inputs[i];
    if (!may_overlap(input, output)) continue;
    const bool same_place = input.same_geometry(output) && std::ranges::equal(output.sizes(), shape);
    if (!same_place || (read_later >> i & 1) != 0) return true;
  }
  for (size_t o = 0; o < run.outputs.size(); ++o) {
    if (o != index && (run.given >> o & 1) != 0 && may_overlap(*run.outputs[o], output)) return true;
  }
  return output.overlaps_itself();
}

}  // namespace

FusedLoop::FusedLoop(FusedProgram program)
    : program_(std::make_shared<const FusedProgram>(std::move(program))), schedule_(schedule(*program_)) {}

bool FusedLoop::run(const Run& run) const {
  if (try_run(run)) return true;
  run_one_by_one(run);
  return false;
}

// Nothing if the loop can't run.
std::optional<FusedLoop::Result> FusedLoop::result_of(const Run& run) const {
  if (schedule_ == nullptr || run.hook != nullptr || run.inputs.empty()) return std::nullopt;
  const Tensor& first = *run.inputs[0];
  const DeviceId device = first.device();
  if (device != cpu_device && fused_device(device) == nullptr) return std::nullopt;
  bool alike = first.dim() > 0;
  for (size_t i = 0; i < run.inputs.size(); ++i) {
    const Tensor& input = *run.inputs[i];
    if (input.dtype() != program_->inputs()[i] || input.device() != device || input.dim() == 0) return std::nullopt;
    alike = alike && input.is_contiguous() && input.same_sizes(first);
  }
  for (size_t o = 0; o < run.outputs.size(); ++o) {
    const Tensor& output = *run.outputs[o];
    if ((run.given >> o & 1) != 0 && (output.dtype() != schedule_->dtypes[o] || output.device() != device)) return std::nullopt;
  }
  if (!std::ranges::all_of(run.numbers, is_number)) return std::nullopt;
  if (alike) return Result{Shape(first.sizes())};
  return general_result<Result>(*program_, run.inputs);
}

void FusedLoop::find_numbers(const Run& run, ScalarValue* numbers) const {
  std::ranges::copy(schedule_->constants, numbers);
  for (const FusedProgram::NumberOperand& number : program_->number_operands()) {
    if (number.ref.of == Ref::Of::number) set_pointwise_number(*numbers, run.numbers[static_cast<size_t>(number.ref.index)], number.dtype);
    ++numbers;
  }
}

std::unique_ptr<const FusedPlan> FusedLoop::plan(const Run& run, Shape& shape) const {
  const std::optional<Result> result = result_of(run);
  if (!result || result->layout != ImageLayout::channels_first || schedule_->outputs != 1) return nullptr;
  if (run.inputs[0]->device() != cpu_device) return nullptr;
  shape = result->shape;
  const Tensor output = Tensor::empty(schedule_->dtypes[0], shape, meta_device);
  const Tensor* tensors[FusedSchedule::max_tensors] = {&output};
  std::copy(run.inputs.begin(), run.inputs.end(), tensors + 1);
  ScalarValue numbers[FusedSchedule::max_numbers];
  find_numbers(run, numbers);
  return std::make_unique<const FusedPlan>(schedule_, std::span(tensors, run.inputs.size() + 1),
                                           std::span(numbers, schedule_->constants.size()));
}

// Returns false if the device has no kernel for it.
bool FusedLoop::launch(DeviceId device, std::span<const Tensor* const> tensors, std::span<const ScalarValue> numbers) const {
  if (device != cpu_device) return launch_fused({program_, device, {schedule_->outputs, tensors, numbers}});
  const FusedPlan plan(schedule_, tensors, numbers);
  static constexpr Kernel kernel = mt::kernel<&mt::run_fused>();
  if (is_recording()) {
    const RecordedStep step("fused", cpu_device, kernel, {plan_type<FusedPlan>, &plan});
    plan.run();
  } else {
    plan.run();
  }
  return true;
}

bool FusedLoop::try_run(const Run& run) const {
  const std::optional<Result> result = result_of(run);
  if (!result) return false;
  const FusedSchedule& s = *schedule_;
  const DeviceId device = run.inputs[0]->device();
  const bool on_cpu = device == cpu_device;
  const OpOnDevice scope(device, "fused");
  const Tensor* tensors[FusedSchedule::max_tensors];
  Tensor separate[FusedSchedule::max_tensors];  // outputs that are copied after the loop
  for (size_t o = 0; o < run.outputs.size(); ++o) {
    Tensor& output = *run.outputs[o];
    tensors[o] = &output;
    if ((run.given >> o & 1) == 0) {
      output = empty_images(s.dtypes[o], result->shape, result->layout, device);
    } else if (overlaps(output, o, run, on_cpu ? s.read_later[o] : 0, result->shape)) {
      separate[o] = Tensor::empty(s.dtypes[o], result->shape, device);
      tensors[o] = &separate[o];
    } else {
      output.resize(s.steps.back().op->decl->name, result->shape);
    }
  }
  std::copy(run.inputs.begin(), run.inputs.end(), tensors + run.outputs.size());
  if (tensors[0]->numel() > 0) {
    ScalarValue numbers[FusedSchedule::max_numbers];
    find_numbers(run, numbers);
    if (!launch(device, {tensors, static_cast<size_t>(s.tensors())}, {numbers, s.constants.size()})) {
      for (size_t o = 0; o < run.outputs.size(); ++o) {
        if ((run.given >> o & 1) == 0) *run.outputs[o] = Tensor();
      }
      return false;
    }
  }
  for (size_t o = 0; o < run.outputs.size(); ++o) {
    Tensor& output = *run.outputs[o];
    if (tensors[o] == &separate[o]) {
      output.resize(s.steps.back().op->decl->name, result->shape);
      if (output.numel() > 0) copy(output, separate[o]);
    }
    if ((run.given >> o & 1) != 0) output.touch();
  }
  return true;
}

void FusedLoop::run_one_by_one(const Run& run) const {
  std::vector<Tensor> made(program_->steps().size());
  for (size_t s = 0; s < made.size(); ++s) {
    const FusedProgram::Step& step = program_->steps()[s];
    std::vector<Value> args;
    for (const Ref operand : step.operands) {
      const auto i = static_cast<size_t>(operand.index);
      switch (operand.of) {
        case Ref::Of::input:
          args.emplace_back(*run.inputs[i]);
          break;
        case Ref::Of::result:
          args.emplace_back(made[i]);
          break;
        case Ref::Of::number:
          args.push_back(run.numbers[i]);
          break;
        case Ref::Of::constant:
          args.push_back(program_->constants()[i]);
      }
    }
    Tensor* const results[] = {&made[s]};
    Call call{*step.op, args, results};
    call.hook = run.hook;
    run_op(call);
  }
  for (size_t o = 0; o < run.outputs.size(); ++o) {
    const auto s = static_cast<size_t>(program_->outputs()[o]);
    Tensor& output = *run.outputs[o];
    if ((run.given >> o & 1) == 0) {
      output = made[s];
      continue;
    }
    const std::string_view op = program_->steps()[s].op->decl->name;
    if (output.dtype() != made[s].dtype()) fail<Status::dtype>(op, "output", output.dtype(), ", expected ", made[s].dtype());
    output.resize(op, made[s].sizes());
    if (output.numel() > 0) copy(output, made[s]);
    output.touch();
  }
}

}  // namespace mt
