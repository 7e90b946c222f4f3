// Convolutions of prepared runs, whose weights are constants: Winograd's method with transformed kernels, or oneDNN's kernels with the
// weight, and the images between two of them, in internal layouts.
#include "engine/cpu/packed_conv.h"

#include <cstring>

#include "engine/core/image_blocks.h"
#include "engine/core/parallel.h"
#include "engine/core/placing.h"
#include "engine/cpu/conv.h"
#include "engine/cpu/conv_epilogue.h"
#include "engine/cpu/depthwise.h"
#include "engine/cpu/dnnl_library.h"
#include "engine/cpu/dnnl_packed.h"
#include "engine/cpu/few_channels.h"
#include "engine/cpu/grouped_pointwise.h"
#include "engine/cpu/winograd.h"

namespace mt::cpu {
namespace {

struct WinogradPlan {
  ConvShape shape;
  std::shared_ptr<const WinogradKernels> kernels;
  Operand x, bias, added, y;
  Rectifier relu;

  void visit(OperandVisitor& visitor) {
    for (Operand* const operand : {&x, &bias, &added, &y}) operand->visit(visitor);
  }
};

void run_winograd(const WinogradPlan& p) {
  winograd_conv(p.shape, p.x.data<float>(), *p.kernels, p.bias.data<float>(), {p.added.data<float>(), p.relu}, p.y.data<float>());
}

struct GroupedPlan {
  ConvShape shape;
  Operand x, weight, bias, added, y, scratch;
  Rectifier relu;

  void visit(OperandVisitor& visitor) {
    for (Operand* const operand : {&x, &weight, &bias, &added, &y, &scratch}) operand->visit(visitor);
  }
};

void run_grouped(const GroupedPlan& p) {
  grouped_pointwise(p.shape, p.x.data<float>(), p.weight.data<float>(), p.bias.data<float>(), {p.added.data<float>(), p.relu},
                    p.scratch.data<float>(), p.y.data<float>());
}

struct DnnlPlan {
  std::shared_ptr<const DnnlConvolution> convolution;
  std::shared_ptr<std::unique_ptr<DnnlRun>> bound;  // made by the first run at a place
  Operand x, weight, bias, added, y, scratch;
  Rectifier relu;
  bool own_x = false, own_added = false, own_y = false;  // the operand has the kernel's layout

  void visit(OperandVisitor& visitor) {
    for (Operand* const operand : {&x, &weight, &bias, &added, &y, &scratch}) operand->visit(visitor);
  }
};

// Without reorders, the kernel for channels first is the faster one.
bool runs_depthwise(const DnnlPlan& p) { return !p.own_x && !p.own_y && !p.added && suits_depthwise(p.convolution->shape()); }

void run_depthwise(const DnnlPlan& p) {
  depthwise_conv(DType::float32, ConvPass::forward, p.convolution->shape(), p.x.bytes(), p.weight.bytes(), p.bias.bytes(), p.y.bytes());
  if (!p.relu.is_on) return;
  float* const y = p.y.data<float>();
  parallel_for(p.y.numel(), 32768, [&](int64_t begin, int64_t end) { finish_convolution(y + begin, end - begin, nullptr, p.relu); });
}

void run_dnnl(const DnnlPlan& p) {
  if (runs_depthwise(p)) return run_depthwise(p);
  const DnnlOperands operands{
      p.x.data<float>(), p.bias.data<float>(), p.added.data<float>(), p.y.data<float>(), p.scratch.bytes(), p.own_x, p.own_added, p.own_y};
  std::unique_ptr<DnnlRun>& bound = *p.bound;
  if (bound == nullptr || !(bound->operands() == operands)) bound = dnnl_run(p.convolution, operands);
  bound->run();
}

constexpr Kernel winograd_kernel = kernel<&run_winograd>(), grouped_kernel = kernel<&run_grouped>(), dnnl_kernel = kernel<&run_dnnl>();

std::string key_of(std::string_view method, const DnnlConvolutionKey& key, const Tensor& weight) {
  std::string text(method);
  text.append(reinterpret_cast<const char*>(&key), sizeof key);
  const std::byte* const address = weight.bytes();
  text.append(reinterpret_cast<const char*>(&address), sizeof address);
  return text;
}

bool suits_own_kernel(const ConvShape& s) {
  constexpr int64_t least_work = 100'000, many_taps = 25;
  return s.work() < least_work || (suits_few_channels(ConvPass::forward, s) && s.taps() >= many_taps);
}

std::optional<PackedLaunch> pack(std::string_view op, const ConvPlan& plan, const Operand* added, Rectifier relu,
                                 const PackingContext& context) {
  const ConvShape s = plan.shape.along_rows();
  if (plan.pass != ConvPass::forward || plan.layout != ImageLayout::channels_first || plan.x.dtype() != DType::float32 || s.batch == 0 ||
      !context.is_constant(plan.weight))
    return std::nullopt;
  constexpr int64_t worth_a_thread = 1'000'000;  // multiplications
  const bool adds = added != nullptr && *added;
  const DnnlConvolutionKey key{s,        plan.bias ? 1 : 0, adds ? 1 : 0, relu.is_on ? 1 : 0, s.work() < worth_a_thread ? 1 : num_threads(),
                               relu.most};
  const float* const weight = plan.weight.data<float>();
  const Operand nothing, &added_one = added != nullptr ? *added : nothing;
  if (suits_packed_winograd(s)) {
    const auto kernels =
        context.packed.find<WinogradKernels>(key_of("winograd", key, plan.weight), [&] { return winograd_kernels(s, weight); });
    const WinogradPlan packed{s, kernels, plan.x, plan.bias, added_one, plan.y, relu};
    return PackedLaunch{Launch(op, cpu_device, winograd_kernel, {plan_type<WinogradPlan>, &packed}), {}};
  }
#ifndef MT_WITHOUT_GROUPED_POINTWISE
  if (suits_grouped_pointwise(s)) {
    const Tensor scratch = Tensor::empty(DType::float32, {grouped_pointwise_room(s)});
    const GroupedPlan packed{s, plan.x, plan.weight, plan.bias, added_one, plan.y, scratch, relu};
    return PackedLaunch{Launch(op, cpu_device, grouped_kernel, {plan_type<GroupedPlan>, &packed}), {scratch.storage_ptr()}};
  }
#endif
  if (suits_own_kernel(s)) return std::nullopt;
  const auto convolution =
      context.packed.find<DnnlConvolution>(key_of("oneDNN", key, plan.weight), [&] { return dnnl_convolution(key, weight); });
  if (convolution == nullptr) return std::nullopt;
  const Tensor scratch = Tensor::empty(DType::uint8, {std::max<int64_t>(1, convolution->scratch_bytes())});
  const DnnlPlan packed{
      convolution, std::make_shared<std::unique_ptr<DnnlRun>>(), plan.x, plan.weight, plan.bias, added_one, plan.y, scratch, relu};
  return PackedLaunch{Launch(op, cpu_device, dnnl_kernel, {plan_type<DnnlPlan>, &packed}), {scratch.storage_ptr()}};
}

std::optional<PackedLaunch> pack_conv(const Launch& launch, const PackingContext& context) {
  return pack(launch.op(), *static_cast<const ConvPlan*>(launch.plan()), nullptr, {}, context);
}
std::optional<PackedLaunch> pack_unit(const Launch& launch, const PackingContext& context) {
  const auto& plan = *static_cast<const ConvUnitPlan*>(launch.plan());
  return pack(launch.op(), plan.conv, &plan.added, plan.relu, context);
}

ImageOperand images_in(const Operand& images, const ConvShape& s, bool of_result) {
  return {images.storage(), {s.batch, of_result ? s.out : s.in, of_result ? s.points() : s.image()}};
}

bool is_whole(const Operand& operand) {
  return operand.offset() == 0 && operand.storage()->size == operand.numel() && operand.storage()->dtype == operand.dtype();
}

std::optional<ImageUse> images_of(const Launch& launch) {
  const auto& plan = *static_cast<const DnnlPlan*>(launch.plan());
  if (!is_whole(plan.x) || !is_whole(plan.y) || (plan.added && !is_whole(plan.added))) return std::nullopt;
  const ConvShape& s = plan.convolution->shape();
  const int64_t of_x = plan.convolution->x_block(), of_y = plan.convolution->y_block();
  ImageUse use{{images_in(plan.x, s, false), images_in(plan.y, s, true)}, {of_x, of_y}};
  if (plan.added) {
    use.operands.push_back(images_in(plan.added, s, true));
    use.blocks.push_back(of_y);
  }
  return use;
}

void keep_layout(const Launch& launch, size_t operand, int64_t) {
  auto& plan = *static_cast<DnnlPlan*>(launch.mutable_plan());
  (operand == 0 ? plan.own_x : operand == 1 ? plan.own_y : plan.own_added) = true;
}

// y may hold the summand before the launch, in the layout of the result.
template <class Plan> std::optional<Placing> summand_of(const Launch& launch) {
  const auto& plan = *static_cast<const Plan*>(launch.plan());
  if constexpr (requires { plan.own_y; }) {
    if (plan.own_added != plan.own_y) return std::nullopt;
  }
  return plan.added ? std::optional(Placing{plan.added, plan.y, false}) : std::nullopt;
}

template <class T> void finish(const ConvUnitPlan& plan) {
  T* const y = plan.conv.y.data<T>();
  const T* const added = plan.added.data<T>();
  parallel_for(plan.conv.y.numel(), 32768, [&](int64_t begin, int64_t end) {
    finish_convolution(y + begin, end - begin, added != nullptr ? added + begin : nullptr, plan.relu);
  });
}

}  // namespace

void run_conv_unit(const ConvUnitPlan& plan) {
  run_conv(plan.conv);
  if (plan.added || plan.relu.is_on) (plan.conv.y.dtype() == DType::float32 ? finish<float> : finish<double>)(plan);
}

void add_conv_packing(const Kernel& of_conv, const Kernel& of_unit) {
  add_packing(of_conv, &pack_conv);
  add_packing(of_unit, &pack_unit);
  add_image_kernel(dnnl_kernel, {&images_of, &keep_layout});
  add_placing(dnnl_kernel, &summand_of<DnnlPlan>);
#ifndef MT_WITHOUT_GROUPED_POINTWISE
  add_placing(grouped_kernel, &summand_of<GroupedPlan>);
#endif
}

}  // namespace mt::cpu
