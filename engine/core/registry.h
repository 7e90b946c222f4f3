// Every op by name, with what runs it; and the call that carries arguments and results to it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/core/decl.h"
#include "engine/core/tensor.h"

namespace mt {

class Generator;

// One argument of a call. Numbers that are whole and given exactly (int64 beyond 2^53) are integers.
struct Value {
  enum class Type : uint8_t { none, tensor, number, integer, boolean, string, sizes, tensors, dtype, generator };

  Type type = Type::none;
  int32_t count = 0;  // of sizes, tensors, characters
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
  };

  Value() : integer(0) {}
  explicit Value(Tensor& t) : type(Type::tensor), tensor(&t) {}
  explicit Value(double d) : type(Type::number), number(d) {}

  bool is_tensor() const { return type == Type::tensor; }
  bool given() const { return type != Type::none; }
  double as_double() const { return type == Type::integer ? static_cast<double>(integer) : number; }
  int64_t as_int() const { return type == Type::integer ? integer : element_from<int64_t>(number); }
};

struct Op;

// A call of an op: canonical arguments (the signature's order, defaults filled in) and the tensors that receive the results.
struct Call {
  const Op& op;
  std::span<Value> args;
  std::span<Tensor* const> results;
  uint32_t given = 0;  // bit i: result i is the caller's own, else it is fresh and empty
  DType default_dtype = DType::float64;
  Generator* generator = nullptr;
  bool as_number = false;  // in an op that is scalar: one element comes out as a number. Set where no dim is given; the op may change it.

  std::string_view name() const;
  std::string_view argument(int i) const;
  bool has(int i) const { return args[static_cast<size_t>(i)].given(); }
  const Value& arg(int i) const { return args[static_cast<size_t>(i)]; }
  const Tensor& tensor(int i) const { return *args[static_cast<size_t>(i)].tensor; }
  double number(int i) const { return args[static_cast<size_t>(i)].as_double(); }
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
  // A tensor to compute result i in: the result itself, resized, or, where it shares memory with an argument, a new one. Writing done,
  // finish().
  Tensor output(int i, DType dtype, Sizes sizes) const;
  void finish(int i, const Tensor& computed) const;
  void give(int i, Tensor view) const;  // result i becomes this view
  // Raises an error where argument 0 is int64 and the given result a float: torch.exp(x:max(1)) hands over the largest elements and their
  // positions. Torch7 takes no operands of two types.
  void refuse_positions() const;

  template <class... Parts> [[noreturn]] void fail_at(int arg, const Parts&... parts) const { fail(name(), argument(arg), parts...); }
};

using RunFn = void (*)(Call&);

// What a family registers for an op.
struct Row {
  const Decl* decl = nullptr;
  RunFn run = nullptr;
  const void* kernels = nullptr;  // the driver's own, a table by dtype
};

// An order in which arguments may come.
struct Form {
  uint8_t count = 0;
  uint8_t params[Signature::max_params];
  bool method_only = false;
};

struct Op {
  const Decl* decl;
  RunFn run;
  const void* kernels;
  std::vector<Form> forms;
};

class Registry {
 public:
  static Registry& instance();  // filled on first use

  const Op* find(std::string_view name) const;  // by name or alias
  std::span<const Op> ops() const { return ops_; }
  void add(std::span<const Row> rows);

  // Copies src into dst, which has as many elements; any dtypes and strides; overlap must have been dealt with.
  void (*copy)(const Tensor& dst, const Tensor& src) = nullptr;

 private:
  std::vector<Op> ops_;
  std::unordered_map<std::string_view, size_t> by_name_;
};

// Fills a registry with every op of this build; engine/capi defines it, above all families.
void register_all(Registry& registry);

std::vector<Form> parse_forms(const Signature& signature, std::string_view op, std::string_view forms, std::string_view method_forms);

void run_op(Call& call);

inline void copy(const Tensor& dst, const Tensor& src) { Registry::instance().copy(dst, src); }
Tensor to_dtype(const Tensor& x, DType dtype);  // x itself when it has that dtype, else a contiguous copy
Tensor contiguous(const Tensor& x);             // x itself when it is contiguous, else a copy
Tensor clone(const Tensor& x);

}  // namespace mt
