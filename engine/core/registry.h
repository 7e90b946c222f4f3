// The registry of ops by name, with their functions; and calls, which carry arguments and results.
#pragma once

#include <array>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/core/decl.h"
#include "engine/core/device.h"
#include "engine/core/image_layout.h"
#include "engine/core/kernel.h"
#include "engine/core/recorder.h"
#include "engine/core/tensor.h"

namespace mt {

class Generator;
struct Generators;

// One argument of a call. Exact integers (int64, also beyond 2^53) have the type integer. A number that fits neither in a double nor in an
// int64, such as a complex one, is an element, whose dtype is in `count`.
struct Value {
  enum class Type : uint8_t { none, tensor, number, integer, boolean, string, sizes, generator, tensors, dtype, element };

  Type type = Type::none;
  bool distinct = false;  // of tensors: they are known to be different objects
  int32_t count = 0;      // of sizes, tensors, characters
  union {
    Tensor* tensor;
    double number;
    int64_t integer;
    bool boolean;
    const char* string;
    const int64_t* sizes;
    Tensor* const* tensors;
    DType dtype;
    Generator* generator;
    const ScalarValue* element;
  };

  Value() : integer(0) {}
  explicit Value(Tensor& t) : type(Type::tensor), tensor(&t) {}
  explicit Value(double d) : type(Type::number), number(d) {}
  static Value of_element(DType its_dtype, const ScalarValue& element) {
    Value value;
    value.type = Type::element;
    value.count = static_cast<int32_t>(its_dtype);
    value.element = &element;
    return value;
  }

  bool is_tensor() const { return type == Type::tensor; }
  bool given() const { return type != Type::none; }
  // Of a number or an integer. Ops that accept an element read it by as<T>().
  double as_double() const { return type == Type::integer ? static_cast<double>(integer) : number; }
  int64_t as_int() const { return type == Type::integer ? integer : element_from<int64_t>(number); }
  // A number as an element: integers truncate toward zero and wrap.
  template <class T> T as() const {
    if constexpr (has_complex_dtypes) {
      if (type == Type::element) return element_as<T>();
    }
    return type == Type::integer ? convert_element<T>(integer) : element_from<T>(number);
  }

 private:
  template <class T> T element_as() const {
    return dispatch<complex_dtypes>(static_cast<DType>(count), [this]<class From>(std::type_identity<From>) -> T {
      if constexpr (converts<T, From>)
        return convert_element<T>(element->template as<From>());
      else
        refuse_conversion(dtype_of<From>, dtype_of<T>);
    });
  }
};

[[noreturn]] void refuse_complex_number();  // for an op that computes with real numbers

// A number of a call, as a field of plans.
class Number {
 public:
  Number() = default;
  Number(double number) : number_(number) {}  // NOLINT: implicit
  explicit Number(const Value& value) : is_integer_(value.type == Value::Type::integer) {
    if (value.type == Value::Type::element) [[unlikely]]
      refuse_complex_number();
    if (is_integer_)
      integer_ = value.integer;
    else
      number_ = value.number;
  }

  double as_double() const { return is_integer_ ? static_cast<double>(integer_) : number_; }
  // As an element: integers are exact, other numbers truncate.
  template <class T> T as() const { return is_integer_ ? static_cast<T>(integer_) : element_from<T>(number_); }
  operator Value() const;  // NOLINT: implicit

 private:
  bool is_integer_ = false;
  union {
    double number_ = 0;
    int64_t integer_;
  };
};

// A number as an element: integers truncate toward zero and wrap.
ScalarValue element_as(const Value& value, DType dtype);
// The same as a tensor of one element.
Tensor one_element(const Value& value, DType dtype, DeviceId device);

struct Op;
struct Call;

// A hook between callers and ops, for a Lua state or a thread: it captures or measures calls, and runs them by plan_op.
class OpHook {
 public:
  virtual void run(Call& call) = 0;
  // Whether results are part of a graph that is run again: then elements are not read as numbers.
  virtual bool captures() const { return false; }
  // Whether the hook receives the op `read` before elements are read as numbers.
  virtual bool sees_reads() const { return captures(); }
  // Computes the elements of results that are pending (engine/core/pending.h). Raises the first error of their ops.
  virtual void compute_pending() {}
  // The bytes of pending results since the last call of this function: a quarter counts as soon as there is a result, since a result that
  // nobody needs gets no memory, and the rest when it is computed.
  virtual int64_t take_new_bytes() { return 0; }

 protected:
  ~OpHook() = default;
};

// Requirements on the memory in which a result is computed.
struct OutputOptions {
  ImageLayout layout = ImageLayout::channels_first;  // of a new result
  bool dense = false;                                // no gaps: contiguous, or channels last if `layout` is that
  std::optional<DType> computed_in = std::nullopt;   // a dtype other than the result's: finish() converts
};

// A call of an op: canonical arguments (the signature's order, defaults filled in) and the tensors that receive the results.
struct Call {
  const Op& op;
  std::span<Value> args;
  std::span<Tensor* const> results;
  uint32_t given = 0;  // bit i: result i is an out argument; otherwise it is new and empty
  DType default_dtype = DType::float64;
  Generators* generators = nullptr;  // of the caller, for ops that draw
  bool as_number = false;            // for scalar ops: return one element as a number. Set if no dim is given; the op may change it.

  OpHook* hook = nullptr;
  DeviceId default_device = cpu_device;  // of new tensors
  DeviceId device = unresolved_device;   // of its tensors, where the op runs. Callers may set it; otherwise plan_op does.

  std::string_view name() const;
  std::string_view argument(int i) const;
  bool has(int i) const { return args[static_cast<size_t>(i)].given(); }
  const Value& arg(int i) const { return args[static_cast<size_t>(i)]; }
  const Tensor& tensor(int i) const { return *args[static_cast<size_t>(i)].tensor; }
  double number(int i) const {
    const Value& value = args[static_cast<size_t>(i)];
    if (value.type == Value::Type::element) [[unlikely]]
      refuse_complex_number();
    return value.as_double();
  }
  int64_t integer(int i) const { return args[static_cast<size_t>(i)].as_int(); }
  bool boolean(int i) const { return args[static_cast<size_t>(i)].boolean; }
  std::string_view string(int i) const {
    return {args[static_cast<size_t>(i)].string, static_cast<size_t>(args[static_cast<size_t>(i)].count)};
  }
  Sizes sizes(int i) const { return {args[static_cast<size_t>(i)].sizes, static_cast<size_t>(args[static_cast<size_t>(i)].count)}; }
  std::span<Tensor* const> tensors(int i) const {
    return {args[static_cast<size_t>(i)].tensors, static_cast<size_t>(args[static_cast<size_t>(i)].count)};
  }
  // Argument i as a dimension of something with ndim dimensions, from 0; negative ones count from the last.
  int dim(int i, int ndim) const;

  bool is_given(int result) const { return (given >> result & 1) != 0; }
  Tensor& result(int i) const { return *results[static_cast<size_t>(i)]; }
  // Returns a tensor in which to compute result i: the resized result, or a new tensor if the result shares memory with an argument or has
  // another layout than the options require. Call finish() after writing.
  Tensor output(int i, DType dtype, Sizes sizes, const OutputOptions& options = {}) const;
  void finish(int i, const Tensor& computed) const;
  Tensor empty(DType dtype, Sizes sizes) const { return Tensor::empty(dtype, sizes, device); }  // scratch memory where the op runs
  // Runs the op's kernel with a plan on the device of the call, after all checks.
  template <class Plan> void launch(const Plan& plan) const;
  // The same with a plan of these fields. GCC clears a temporary plan in braces before it sets the fields; it does not clear this one.
  template <class Plan, class... Fields> void launch(Fields&&... fields) const;
  void give(int i, Tensor view) const;  // result i becomes this view
  // Raises an error if argument 0 is int64 and the out argument is a float tensor: torch.exp(x:max(1)) passes the largest elements and
  // their positions. Torch7 rejects operands of two types.
  void refuse_positions() const;

  template <Status status = Status::invalid, class... Parts> [[noreturn]] void fail_at(int arg, const Parts&... parts) const {
    fail<status>(name(), argument(arg), parts...);
  }

 private:
  void launch_recorded(PlanId id, const PlanRef& plan) const;
  void launch_elsewhere(PlanId id, const PlanRef& plan) const;
};

// Checks a call, creates its results and launches the op's kernel, from sizes, dtypes and numbers alone, without reading elements.
using PlanFn = void (*)(Call&);

// Adds scale times the op's only result to result 0 of the call, a sum that shares no memory with arguments. Returns false, and changes
// nothing, if the op can't do that for this call: the caller then computes the result and adds it.
using AccumulateFn = bool (*)(const Call& call, double scale);

// A family's entry for an op. An op without a kernel only changes geometry, or copies and fills: it runs on every device.
struct Row {
  const Decl* decl = nullptr;
  PlanFn plan = nullptr;
  Kernel kernel = {};  // the CPU's
  AccumulateFn accumulate = nullptr;
  bool by_element = false;  // computed element by element, from broadcast tensors
};

// An order in which callers may pass arguments.
struct Form {
  uint8_t count = 0;
  uint8_t params[Signature::max_params];
  bool method_only = false;
};

struct Op {
  const Decl* decl;
  PlanFn plan;
  Kernel kernel;                // the CPU's
  Kernel* elsewhere = nullptr;  // by device; null if no other device has one
  std::vector<Form> forms;
  AccumulateFn accumulate = nullptr;
  bool broadcasts = false;       // tensors of different sizes are expanded to a common one
  std::string_view family = {};  // the name of its file; empty for composed ops and those of libraries
};

template <class Plan> [[gnu::always_inline]] inline void Call::launch(const Plan& plan) const {
  static_assert(is_plan<Plan>, "a plan holds numbers and operands: no pointers, references or spans");
  if (is_recording()) [[unlikely]]
    return launch_recorded(plan_id<Plan>, {plan_type<Plan>, &plan});
  if (device == cpu_device) [[likely]] {
    MT_ASSERT(op.kernel.plan == plan_id<Plan>);
    op.kernel.run(&plan, op.kernel.data);
  } else {
    launch_elsewhere(plan_id<Plan>, {plan_type<Plan>, &plan});
  }
}

namespace detail {

template <class Plan> struct Built {
  template <class... Fields> [[gnu::always_inline]] explicit Built(Fields&&... fields) : plan{std::forward<Fields>(fields)...} {}
  Plan plan;
};

}  // namespace detail

template <class Plan, class... Fields> [[gnu::always_inline]] inline void Call::launch(Fields&&... fields) const {
  const detail::Built<Plan> built(std::forward<Fields>(fields)...);
  launch(built.plan);
}

class Registry {
 public:
  static Registry& instance();  // filled on first use

  const Op* find(std::string_view name) const;  // by name or alias
  std::span<const Op> ops() const { return ops_; }
  void add(std::string_view family, std::span<const Row> rows);
  // Adds a kernel of a device other than the CPU. Raises an error if there is no op with this name, or if its plan has another type.
  void add_kernel(std::string_view op, DeviceId device, const Kernel& kernel);

 private:
  std::vector<Op> ops_;
  std::deque<std::array<Kernel, max_devices>> elsewhere_;  // of ops with kernels on other devices
  std::unordered_map<std::string_view, size_t> by_name_;
};

// Fills a registry with every op of this build; engine/capi defines it, above all families.
void register_all(Registry& registry);

std::vector<Form> parse_forms(const Signature& signature, std::string_view op, std::string_view forms, std::string_view method_forms);

void plan_op(Call& call);

// Raises an error if a call has a tensor, number or name of a restricted dtype, and the op does not declare it. Views accept every dtype.
void check_restricted(const Call& call);

// Whether a call may have one: a quick test, because few calls do.
inline bool may_be_restricted(const Call& call) {
  for (const Value& v : call.args) {
    if (v.is_tensor() ? restricted_dtypes.contains(v.tensor->dtype()) : v.type >= Value::Type::tensors) return true;
  }
  for (size_t r = 0; r < call.results.size(); ++r) {
    if (call.is_given(static_cast<int>(r)) && restricted_dtypes.contains(call.results[r]->dtype())) return true;
  }
  return false;
}

// Runs an op. Every front end and all composed ops use this function.
inline void run_op(Call& call) {
  if constexpr (restricted_dtypes != DTypeSet()) {
    if (may_be_restricted(call)) [[unlikely]]
      check_restricted(call);
  }
  if (call.hook != nullptr) [[unlikely]]
    return call.hook->run(call);
  if (call.device == cpu_device) [[likely]]
    return call.op.plan(call);
  plan_op(call);
}

Tensor to_dtype(const Tensor& x, DType dtype);  // x itself if it has that dtype, else a contiguous copy
Tensor contiguous(const Tensor& x);             // x itself if it is contiguous, else a copy
Tensor clone(const Tensor& x);

}  // namespace mt
