// Ops of libraries with a plan and kernels: the library's view of a call, and checks of its results.
#include <algorithm>
#include <array>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/mutex.h"
#include "engine/core/parallel.h"
#include "engine/extension/op.h"

namespace mt {
namespace {

// A running call; its functions find it by its base, which the library receives.
struct Running : mt_kernel_call {
  ThreadMutex lock;
  std::exception_ptr failure;  // of a range of parallel_for, to be raised after the kernel has returned
  char text[MT_OP_MESSAGE] = "";
};

int32_t run_parallel(const mt_kernel_call* call, int64_t n, int64_t grain, void (*body)(void*, int64_t, int64_t), void* context) {
  auto& running = static_cast<Running&>(*const_cast<mt_kernel_call*>(call));
  try {
    if (body == nullptr) throw std::invalid_argument("its kernel gives parallel_for no body");
    parallel_for(n, std::max<int64_t>(grain, 1), [&](int64_t begin, int64_t end) { body(context, begin, end); });
    return 0;
  } catch (...) {
    const std::lock_guard guard(running.lock);
    running.failure = std::current_exception();
    return 1;
  }
}

// Calls a function of a library, which reports errors only as a message.
template <class F> void call_library(std::string_view op, const Running& running, F&& f) {
  const char* refusal = guard_library(op, [&] {
    const char* text = f();
    if (running.failure) std::rethrow_exception(running.failure);
    return text;
  });
  if (refusal != nullptr) fail(op, "", std::string_view(refusal).substr(0, MT_OP_MESSAGE));
}

mt_op_tensor seen(const Tensor& t) {
  return {nullptr, static_cast<mt_dtype>(t.dtype()), t.dim(), t.numel(), t.sizes().data(), t.strides().data()};
}

// The dtypes that follow from the arguments by an op's rule.
struct Types {
  std::optional<DType> common;  // of all tensors; none: unchanged
  DType result;                 // of the results, unless the plan sets another one
  DType computed;               // of the kernel that runs
  std::optional<DType> result_computed;
};

template <class Each> void each_tensor(const Call& call, Each&& each) {
  for (int i = 0; i < static_cast<int>(call.args.size()); ++i) {
    const Value& v = call.arg(i);
    if (v.is_tensor()) each(i, *v.tensor);
    for (int k = 0; v.type == Value::Type::tensors && k < v.count; ++k) each(i, *v.tensors[k]);
  }
}

Types types_of(const Call& call, const ExtensionOp& op) {
  std::optional<DType> promoted, first;
  int where = 0;
  each_tensor(call, [&](int i, const Tensor& t) {
    if (!first) where = i;
    first = first.value_or(t.dtype());
    promoted = promoted ? promote(*promoted, t.dtype()) : t.dtype();
  });
  if (op.own.result == Rule::custom) {
    const DType dtype = first.value_or(call.default_dtype);
    return {std::nullopt, dtype, dtype, std::nullopt};
  }
  DType dtype = promoted.value_or(call.default_dtype);
  if (op.own.result == Rule::float_result) dtype = float_for(dtype);
  const std::optional<DType> computed = computed_in(op, dtype);
  if (!computed || (dtype == DType::boolean && op.own.result != Rule::mask)) {
    const std::string_view expected = tensors_of(op.own.dtypes & number_dtypes);
    if (!first) fail(call.name(), "", dtype, " is the default type, expected ", expected);
    call.fail_at(where, dtype, ", expected ", expected);
  }
  if (op.own.result == Rule::mask) return {*computed, DType::uint8, *computed, std::nullopt};
  if (op.own.result == Rule::index) return {*computed, DType::int64, *computed, std::nullopt};
  return {*computed, dtype, *computed, *computed};
}

mt_op_arg argument_of(const Value& v) {
  mt_op_arg arg{};
  switch (v.type) {
    case Value::Type::number:
    case Value::Type::integer:
      arg.kind = v.type == Value::Type::number ? MT_NUMBER : MT_INTEGER;
      arg.number = v.as_double();
      arg.integer = v.as_int();
      break;
    case Value::Type::boolean:
      arg.kind = MT_BOOLEAN;
      arg.integer = v.boolean ? 1 : 0;
      arg.number = static_cast<double>(arg.integer);
      break;
    case Value::Type::string:
      arg.kind = MT_STRING;
      arg.string = v.string;
      arg.count = v.count;
      break;
    case Value::Type::sizes:
      arg.kind = MT_SIZES;
      arg.sizes = v.sizes;
      arg.count = v.count;
      break;
    default:
      break;
  }
  return arg;
}

// Checks the output of a plan.
void check_plan(const Call& call, const mt_op_plan& plan, DType expected) {
  for (int r = 0; r < static_cast<int>(call.results.size()); ++r) {
    const auto& result = plan.results[r];
    const auto wrong = [&](const auto&... parts) { fail(call.name(), call.op.decl->signature.results[r], "its plan says ", parts...); };
    if (result.dtype < 0 || result.dtype >= dtype_count) wrong("dtype ", result.dtype, ", expected 0..", dtype_count - 1);
    if (call.op.decl->result != Rule::custom && result.dtype != static_cast<mt_dtype>(expected))
      wrong(static_cast<DType>(result.dtype), ", its rule ", expected);
    if (result.ndim < 0 || result.ndim > max_dims) wrong(result.ndim, " dimensions, expected 0..", max_dims);
    checked_product(call.name(), {result.sizes, static_cast<size_t>(result.ndim)});
  }
  if (plan.scratch_bytes < 0) fail(call.name(), "", "its plan asks for ", plan.scratch_bytes, " bytes");
}

// The arguments in the library's form.
struct Arguments {
  std::vector<Tensor> tensors;
  std::vector<mt_op_tensor> seen;
  mt_op_arg list[MT_OP_MAX_ARGS];

  Arguments(const Call& call, const Types& types, bool strided) {
    size_t count = 0, next = 0;
    each_tensor(call, [&](int, const Tensor&) { ++count; });
    tensors.reserve(count);  // so that pointers in `seen` stay valid
    each_tensor(call, [&](int, const Tensor& t) {
      const Tensor typed = types.common ? to_dtype(t, *types.common) : t;
      tensors.push_back(strided ? typed : contiguous(typed));
    });
    for (const Tensor& t : tensors) seen.push_back(mt::seen(t));
    for (size_t i = 0; i < call.args.size(); ++i) {
      const Value& v = call.args[i];
      list[i] = argument_of(v);
      const bool several = v.type == Value::Type::tensors;
      if (!several && !v.is_tensor()) continue;
      list[i].kind = several ? MT_TENSORS : MT_TENSOR;
      list[i].count = several ? v.count : 1;
      list[i].tensors = seen.data() + next;
      next += static_cast<size_t>(list[i].count);
    }
  }
};

// Calls the library's plan.
mt_op_plan planned(const Call& call, const Types& types, const Arguments& arguments, Running& running) {
  const auto& op = static_cast<const ExtensionOp&>(call.op);
  static_cast<mt_kernel_call&>(running) = {arguments.list, nullptr, nullptr, running.text, &run_parallel, 0};
  mt_op_plan plan{};
  for (auto& result : plan.results) {
    result.dtype = static_cast<mt_dtype>(types.result);
    if (arguments.tensors.empty()) continue;
    const Sizes sizes = arguments.tensors[0].sizes();
    result.ndim = static_cast<int32_t>(sizes.size());
    std::ranges::copy(sizes, result.sizes);
  }
  if (op.is_view()) std::ranges::copy(arguments.tensors[0].strides(), plan.view_strides);
  call_library(call.name(), running, [&] { return op.declared.plan(&running, &plan); });
  check_plan(call, plan, types.result);
  return plan;
}

// The plan for a kernel: operands, and copies of all other arguments. The library's view of them is created when the kernel runs.
class ExtensionPlan {
 public:
  ExtensionPlan(const Call& call, mt_op_kernel_fn kernel, const Arguments& arguments, std::span<const Tensor> results,
                const Tensor& scratch, double scale = 0)
      : op_(call.name()),
        kernel_(kernel),
        tensors_(arguments.tensors.begin(), arguments.tensors.end()),
        results_(results.begin(), results.end()),
        scratch_(scratch),
        scale_(scale),
        arg_count_(call.args.size()) {
    for (size_t i = 0; i < arg_count_; ++i) {
      const mt_op_arg& arg = args_[i] = arguments.list[i];
      if (arg.kind == MT_STRING) text_.append(arg.string, static_cast<size_t>(arg.count));
      if (arg.kind == MT_SIZES) sizes_.insert(sizes_.end(), arg.sizes, arg.sizes + arg.count);
    }
  }

  void run() const;
  void visit(OperandVisitor& visitor) {
    for (std::vector<Operand>* const list : {&tensors_, &results_}) {
      for (Operand& operand : *list) operand.visit(visitor);
    }
    scratch_.visit(visitor);
  }

 private:
  std::string_view op_;  // of a declaration, which is never freed, like the kernel
  mt_op_kernel_fn kernel_;
  std::vector<Operand> tensors_, results_;
  Operand scratch_;
  double scale_;
  size_t arg_count_;
  std::array<mt_op_arg, MT_OP_MAX_ARGS> args_;  // whose pointers are unused
  std::string text_;                            // of strings, one after the other
  std::vector<int64_t> sizes_;
};

void ExtensionPlan::run() const {
  std::vector<mt_op_tensor> tensors, results;
  const auto show = [](const std::vector<Operand>& operands, std::vector<mt_op_tensor>& list) {
    for (const Operand& operand : operands)
      list.push_back(seen(operand)), list.back().data = operand.numel() > 0 ? operand.bytes() : nullptr;
  };
  show(tensors_, tensors);
  show(results_, results);
  std::array<mt_op_arg, MT_OP_MAX_ARGS> args;
  const mt_op_tensor* next_tensor = tensors.data();
  const char* next_text = text_.data();
  const int64_t* next_sizes = sizes_.data();
  for (size_t i = 0; i < arg_count_; ++i) {
    mt_op_arg& arg = args[i] = args_[i];
    const auto take = [count = arg.count](auto& next) { return std::exchange(next, next + count); };
    if (arg.kind == MT_TENSOR || arg.kind == MT_TENSORS) arg.tensors = take(next_tensor);
    if (arg.kind == MT_STRING) arg.string = take(next_text);
    if (arg.kind == MT_SIZES) arg.sizes = take(next_sizes);
  }
  Running running;
  static_cast<mt_kernel_call&>(running) = {args.data(), results.data(), scratch_.bytes(), running.text, &run_parallel, scale_};
  call_library(op_, running, [&] { return kernel_(&running); });
}

void run_kernel(const ExtensionPlan& plan) { plan.run(); }

// Checks the first and last position in x's storage of a view's elements; raises an error if the view exceeds x's storage.
void check_view(const Call& call, const Tensor& x, int64_t first, Sizes sizes, Sizes strides) {
  const auto wrong = [&](const auto&... parts) { fail(call.name(), call.op.decl->signature.results[0], "its plan says ", parts...); };
  const int64_t room = x.storage() != nullptr ? x.storage()->size : 0;
  int64_t last = first;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (strides[d] < 0) wrong("stride ", strides[d], ", expected 0 or more");
    if (sizes[d] == 0) return;
    int64_t reach;
    if (__builtin_mul_overflow(sizes[d] - 1, strides[d], &reach) || __builtin_add_overflow(last, reach, &last))
      wrong("strides beyond all memory");
  }
  if (first < 0 || last >= room) wrong("elements ", first + 1, " to ", last + 1, " of a storage of ", room);
}

}  // namespace

void plan_extension_view(Call& call) {
  const Types types{std::nullopt, call.tensor(0).dtype(), call.tensor(0).dtype(), std::nullopt};
  const Arguments arguments(call, types, true);
  Running running;
  const mt_op_plan plan = planned(call, types, arguments, running);
  const Tensor& x = call.tensor(0);
  const auto ndim = static_cast<size_t>(plan.results[0].ndim);
  const Sizes sizes(plan.results[0].sizes, ndim), strides(plan.view_strides, ndim);
  int64_t first;
  if (__builtin_add_overflow(x.offset(), plan.view_first, &first)) fail(call.name(), "", "the view in its plan begins beyond all memory");
  check_view(call, x, first, sizes, strides);
  Tensor view = x;
  view.set_geometry(first, sizes, strides);
  call.give(0, std::move(view));
}

bool accumulate_extension(const Call& call, double scale) {
  const auto& op = static_cast<const ExtensionOp&>(call.op);
  Tensor& sum = call.result(0);
  const DType dtype = sum.dtype();
  const mt_op_kernel_fn kernel = op.adding[static_cast<size_t>(dtype)];
  if (kernel == nullptr || call.hook != nullptr || sum.device() != cpu_device || !sum.is_contiguous()) return false;
  const Types types = types_of(call, op);
  if (types.computed != dtype || types.result != dtype) return false;
  Arguments arguments(call, types, (op.declared.flags & MT_OP_STRIDED) != 0);
  Running running;
  const mt_op_plan plan = planned(call, types, arguments, running);
  if (!std::ranges::equal(Sizes(plan.results[0].sizes, static_cast<size_t>(plan.results[0].ndim)), sum.sizes())) return false;
  if (sum.numel() == 0) return true;
  const Tensor scratch = plan.scratch_bytes > 0 ? call.empty(DType::uint8, Shape{plan.scratch_bytes}) : Tensor();
  ExtensionPlan(call, kernel, arguments, {&sum, 1}, scratch, scale).run();
  sum.touch();
  return true;
}

void plan_extension(Call& call) {
  const auto& op = static_cast<const ExtensionOp&>(call.op);
  const bool strided = (op.declared.flags & MT_OP_STRIDED) != 0;
  const Types types = types_of(call, op);
  Arguments arguments(call, types, strided);
  Running running;
  const mt_op_plan plan = planned(call, types, arguments, running);

  Tensor results[Signature::max_results];
  const auto count = call.results.size();
  bool any = false;
  for (size_t r = 0; r < count; ++r) {
    const auto& said = plan.results[r];
    const Sizes sizes(said.sizes, static_cast<size_t>(said.ndim));
    results[r] =
        call.output(static_cast<int>(r), static_cast<DType>(said.dtype), sizes, {.dense = !strided, .computed_in = types.result_computed});
    any = any || results[r].numel() > 0;
  }
  if (any) {
    const DType computed =
        arguments.tensors.empty() ? types.result_computed.value_or(static_cast<DType>(plan.results[0].dtype)) : types.computed;
    const mt_op_kernel_fn kernel = op.kernels[static_cast<size_t>(computed)];
    if (kernel == nullptr)
      fail(call.name(), arguments.tensors.empty() ? "" : call.argument(0), computed, ", expected a dtype with a kernel");
    const Tensor scratch = plan.scratch_bytes > 0 ? call.empty(DType::uint8, Shape{plan.scratch_bytes}) : Tensor();
    call.launch(ExtensionPlan(call, kernel, arguments, {results, count}, scratch));
  }
  for (size_t r = 0; r < count; ++r) call.finish(static_cast<int>(r), results[r]);
}

Kernel extension_kernel() { return kernel<&run_kernel>(); }

}  // namespace mt
