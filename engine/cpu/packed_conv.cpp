// Convolutions of prepared runs, whose weights are constants: Winograd's method with transformed kernels, or oneDNN's kernels with the
// weight, and the images between two of them, in internal layouts.
#include "engine/cpu/packed_conv.h"

#include <cstring>
#include <unordered_map>

#include "engine/core/parallel.h"
#include "engine/cpu/conv.h"
#include "engine/cpu/conv_epilogue.h"
#include "engine/cpu/dnnl_library.h"
#include "engine/cpu/dnnl_packed.h"
#include "engine/cpu/few_channels.h"
#include "engine/cpu/winograd.h"

namespace mt::cpu {
namespace {

struct WinogradPlan {
  ConvShape shape;
  std::shared_ptr<const WinogradKernels> kernels;
  Operand x, bias, added, y;
  bool relu;

  void visit(OperandVisitor& visitor) {
    for (Operand* const operand : {&x, &bias, &added, &y}) operand->visit(visitor);
  }
};

void run_winograd(const WinogradPlan& p) {
  winograd_conv(p.shape, p.x.data<float>(), *p.kernels, p.bias.data<float>(), {p.added.data<float>(), p.relu}, p.y.data<float>());
}

struct DnnlPlan {
  std::shared_ptr<const DnnlConvolution> convolution;
  std::shared_ptr<std::unique_ptr<DnnlRun>> bound;  // made by the first run at a place
  Operand x, bias, added, y, scratch;
  bool own_x = false, own_added = false, own_y = false;  // the operand has the kernel's layout

  void visit(OperandVisitor& visitor) {
    for (Operand* const operand : {&x, &bias, &added, &y, &scratch}) operand->visit(visitor);
  }
};

void run_dnnl(const DnnlPlan& p) {
  const DnnlOperands operands{
      p.x.data<float>(), p.bias.data<float>(), p.added.data<float>(), p.y.data<float>(), p.scratch.bytes(), p.own_x, p.own_added, p.own_y};
  std::unique_ptr<DnnlRun>& bound = *p.bound;
  if (bound == nullptr || !(bound->operands() == operands)) bound = dnnl_run(p.convolution, operands);
  bound->run();
}

constexpr Kernel winograd_kernel = kernel<&run_winograd>(), dnnl_kernel = kernel<&run_dnnl>();

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

std::optional<PackedLaunch> pack(std::string_view op, const ConvPlan& plan, const Operand* added, bool relu,
                                 const PackingContext& context) {
  const ConvShape& s = plan.shape;
  if (plan.pass != ConvPass::forward || plan.layout != ImageLayout::channels_first || plan.x.dtype() != DType::float32 || s.batch == 0 ||
      !context.is_constant(plan.weight))
    return std::nullopt;
  constexpr int64_t worth_a_thread = 1'000'000;  // multiplications
  const bool adds = added != nullptr && *added;
  const DnnlConvolutionKey key{s, plan.bias ? 1 : 0, adds ? 1 : 0, relu ? 1 : 0, s.work() < worth_a_thread ? 1 : num_threads()};
  const float* const weight = plan.weight.data<float>();
  const Operand nothing, &added_one = added != nullptr ? *added : nothing;
  if (suits_packed_winograd(s)) {
    const auto kernels =
        context.packed.find<WinogradKernels>(key_of("winograd", key, plan.weight), [&] { return winograd_kernels(s, weight); });
    const WinogradPlan packed{s, kernels, plan.x, plan.bias, added_one, plan.y, relu};
    return PackedLaunch{Launch(op, cpu_device, winograd_kernel, {plan_type<WinogradPlan>, &packed}), {}};
  }
  if (suits_own_kernel(s)) return std::nullopt;
  const auto convolution =
      context.packed.find<DnnlConvolution>(key_of("oneDNN", key, plan.weight), [&] { return dnnl_convolution(key, weight); });
  if (convolution == nullptr) return std::nullopt;
  const Tensor scratch = Tensor::empty(DType::uint8, {std::max<int64_t>(1, convolution->scratch_bytes())});
  const DnnlPlan packed{convolution, std::make_shared<std::unique_ptr<DnnlRun>>(), plan.x, plan.bias, added_one, plan.y, scratch};
  return PackedLaunch{Launch(op, cpu_device, dnnl_kernel, {plan_type<DnnlPlan>, &packed}), {scratch.storage_ptr()}};
}

std::optional<PackedLaunch> pack_conv(const Launch& launch, const PackingContext& context) {
  return pack(launch.op(), *static_cast<const ConvPlan*>(launch.plan()), nullptr, false, context);
}
std::optional<PackedLaunch> pack_unit(const Launch& launch, const PackingContext& context) {
  const auto& plan = *static_cast<const ConvUnitPlan*>(launch.plan());
  return pack(launch.op(), plan.conv, &plan.added, plan.relu, context);
}

// The uses of a storage by launches.
struct Uses {
  const DnnlPlan* writer = nullptr;
  std::vector<DnnlPlan*> readers, adders;
  bool others = false;  // it is also used in another way
};

bool covers(const Operand& operand) {
  return operand.offset() == 0 && operand.storage()->size == operand.numel() && operand.storage()->dtype == operand.dtype();
}

// Results that only further convolutions of oneDNN read keep the layout of its kernels.
void keep_layouts(std::span<const Launch> launches, const PackingContext& context) {
  std::unordered_map<const Storage*, Uses> uses;
  for (const Launch& launch : launches) {
    if (launch.kernel().run == dnnl_kernel.run) {
      auto& plan = *static_cast<DnnlPlan*>(launch.mutable_plan());
      Uses& written = uses[plan.y.storage()];
      written.others = written.others || written.writer != nullptr || !covers(plan.y);
      written.writer = &plan;
      uses[plan.x.storage()].readers.push_back(&plan);
      if (plan.added) uses[plan.added.storage()].adders.push_back(&plan);
    } else {
      launch.each_storage([&](const Storage* storage) { uses[storage].others = true; });
    }
  }
  for (const auto& [storage, use] : uses) {
    if (use.writer == nullptr || use.others || context.kept.count(storage) != 0 || !use.writer->convolution->has_own_layout()) continue;
    const auto& from = *use.writer->convolution;
    const auto reads = [&](const DnnlPlan* plan) { return covers(plan->x) && from.continues(*plan->convolution, false); };
    const auto adds = [&](const DnnlPlan* plan) { return covers(plan->added) && from.continues(*plan->convolution, true); };
    if (!std::ranges::all_of(use.readers, reads) || !std::ranges::all_of(use.adders, adds)) continue;
    const_cast<DnnlPlan*>(use.writer)->own_y = true;
    for (DnnlPlan* const plan : use.readers) plan->own_x = true;
    for (DnnlPlan* const plan : use.adders) plan->own_added = true;
  }
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
  if (plan.added || plan.relu) (plan.conv.y.dtype() == DType::float32 ? finish<float> : finish<double>)(plan);
}

void add_conv_packing(const Kernel& of_conv, const Kernel& of_unit) {
  add_packing(of_conv, &pack_conv);
  add_packing(of_unit, &pack_unit);
  add_packing_end(&keep_layouts);
}

}  // namespace mt::cpu
