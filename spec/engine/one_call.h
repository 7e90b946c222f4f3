// A call of any op with its own tensors, other elements for them, and the comparison of tensors bit by bit.
#pragma once

#include <cstring>
#include <vector>

#include "engine/core/generator.h"
#include "spec/engine/every_op.h"

namespace mt::test {

// Changes the elements that tensor_of wrote to other valid ones. Positions and masks stay: other values would change their meaning.
inline void change(const Tensor& t) {
  if (t.storage() == nullptr || !is_float(t.dtype())) return;
  for (int64_t i = 0; i < t.storage()->size; ++i) {
    write_element(t, i, element_as(Value(1 + 0.125 * static_cast<double>((7 * i + 3) % 11)), t.dtype()));
  }
}

inline bool same_bits(const Tensor& a, const Tensor& b) {
  if (!a.same_sizes(b) || a.dtype() != b.dtype()) return false;
  const Tensor x = contiguous(on_host(a)), y = contiguous(on_host(b));
  return x.numel() == 0 || std::memcmp(x.bytes(), y.bytes(), static_cast<size_t>(x.numel() * size_of(x.dtype()))) == 0;
}

// A call of an op by a recipe, and its tensors.
struct OneCall {
  Generators generators{1};
  Arguments arguments;
  std::vector<Tensor> made;
  std::vector<Tensor*> results;
  Call call;

  OneCall(const Op& op, const Recipe& recipe, DeviceId device = cpu_device)
      : arguments(op.decl->signature, recipe, device),
        made(static_cast<size_t>(op.decl->signature.result_count)),
        call{op, arguments.values(), results} {
    generators.own = Generator(Philox(1));
    for (Tensor& t : made) results.push_back(&t);
    call.results = results;
    call.generators = &generators;
    call.default_device = device;
  }
};

}  // namespace mt::test
