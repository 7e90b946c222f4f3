// Calls of any op with arguments derived from its signature; a recipe chooses sizes and dtypes. That works for nine ops in ten.
#pragma once

#include <algorithm>
#include <deque>
#include <vector>

#include "engine/core/arguments.h"
#include "engine/core/registry.h"

namespace mt::test {

// Sizes and dtype of a call's first tensor and of the others, and whether optional arguments are passed.
struct Recipe {
  Shape first, others;
  DType dtype, others_dtype;
  bool all = false;
};

inline std::vector<Recipe> recipes() {
  std::vector<Recipe> list;
  for (const DType dtype : {DType::float64, DType::float32, DType::int64, DType::uint8, DType::boolean, DType::float16}) {
    list.push_back({{3, 4}, {3, 4}, dtype, dtype});
    list.push_back({{5}, {5}, dtype, dtype});
  }
  for (const DType dtype : {DType::float64, DType::float32}) {
    const DType index = DType::int64;
    const Recipe some[] = {{{4, 4}, {4, 4}, dtype, dtype},
                           {{2, 3, 4, 4}, {2, 3, 4, 4}, dtype, dtype},
                           {{3, 4}, {4}, dtype, dtype},
                           {{3, 4}, {4, 3}, dtype, dtype},
                           {{2, 3, 4, 4}, {5, 3, 2, 2}, dtype, dtype},
                           {{2, 3, 4}, {2, 4, 3}, dtype, dtype},
                           {{3, 4}, {3}, dtype, index},
                           {{3, 4}, {3, 4}, dtype, index},
                           {{3, 4}, {3, 4}, dtype, DType::uint8},
                           {{3}, {4}, dtype, dtype},
                           {{2, 3, 4, 4}, {3}, dtype, dtype},
                           {{2, 3, 8}, {5, 3, 2}, dtype, dtype},
                           {{2, 3, 8}, {3, 5, 2}, dtype, dtype},
                           {{2, 3, 4, 4}, {3, 5, 2, 2}, dtype, dtype},
                           {{2, 3, 4, 4, 4}, {5, 3, 2, 2, 2}, dtype, dtype},
                           {{2, 3, 4, 4, 4}, {3, 5, 2, 2, 2}, dtype, dtype},
                           {{2, 4, 4}, {2, 4, 4}, dtype, dtype},
                           {{4, 4}, {2, 4, 4}, dtype, dtype},
                           {{3, 8}, {3, 2}, dtype, dtype},
                           {{0, 4}, {0, 4}, dtype, dtype},
                           {{}, {}, dtype, dtype}};
    list.insert(list.end(), std::begin(some), std::end(some));
  }
  const size_t n = list.size();
  for (size_t i = 0; i < n; ++i) {
    list.push_back(list[i]);
    list.back().all = true;
  }
  return list;
}

// Returns ones, with twos on the diagonal of matrices. They are valid as positions, as masks and for decompositions: without full rank,
// rounding would decide whether a matrix counts as singular.
inline Tensor tensor_of(DType dtype, Sizes sizes, DeviceId device) {
  const Tensor t = Tensor::empty(dtype, sizes, device);
  fill(t, element_as(Value(1.0), dtype));
  const int last = t.dim() - 1;
  if (!is_float(dtype) || last < 1) return t;
  Shape outer(sizes), strides(t.strides());
  outer[last - 1] = std::min(t.size(last - 1), t.size(last));
  outer.erase(last);
  strides.erase(last);
  strides[last - 1] = t.stride(last - 1) + t.stride(last);
  Tensor diagonals = t;
  diagonals.set_geometry(t.offset(), outer, strides);
  fill(diagonals, element_as(Value(2.0), dtype));
  return t;
}

class Arguments {
 public:
  Arguments(const Signature& signature, const Recipe& recipe, DeviceId device) : recipe_(recipe), device_(device) {
    for (int i = 0; i < signature.count; ++i) values_.push_back(value_of(signature.params[i]));
  }
  std::span<Value> values() { return values_; }
  std::deque<Tensor>& tensors() { return tensors_; }  // in the order of the arguments

 private:
  Tensor& next_tensor() {
    const bool first = tensors_.empty();
    tensors_.push_back(tensor_of(first ? recipe_.dtype : recipe_.others_dtype, first ? recipe_.first : recipe_.others, device_));
    return tensors_.back();
  }

  Value value_of(const Param& p) {
    Value value;
    if (p.optional && (p.has_default || !recipe_.all)) {
      set_default(value, p);
      if (value.type == Value::Type::number && p.takes(kind_int | kind_index | kind_dim)) make_whole(value, "meta_test", p.name);
      return value;
    }
    if (p.takes(kind_tensor)) return Value(next_tensor());
    if (p.takes(kind_tensors)) {
      list_ = {&next_tensor(), &next_tensor()};
      value.type = Value::Type::tensors;
      value.tensors = list_.data();
      value.count = static_cast<int32_t>(list_.size());
    } else if (p.takes(kind_sizes)) {
      value.type = Value::Type::sizes;
      value.sizes = recipe_.first.size() > 0 ? &recipe_.first[0] : nullptr;
      value.count = recipe_.first.size();
    } else if (p.takes(kind_number)) {
      value = Value(1.0);
    } else if (p.takes(kind_int | kind_index | kind_dim)) {
      value.type = Value::Type::integer;
      value.integer = p.takes(kind_int) ? 1 : 0;
    } else if (p.takes(kind_boolean)) {
      value.type = Value::Type::boolean;
      value.boolean = true;
    } else if (p.takes(kind_dtype)) {
      value.type = Value::Type::dtype;
      value.dtype = DType::float32;
    } else if (p.takes(kind_string)) {
      value.type = Value::Type::string;
      value.string = "";
    }
    return value;
  }

  Recipe recipe_;
  DeviceId device_;
  std::deque<Tensor> tensors_;
  std::vector<Tensor*> list_;
  std::vector<Value> values_;
};

}  // namespace mt::test
