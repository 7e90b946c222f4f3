#include "cuda/fused/arguments.h"

#include <algorithm>
#include <cstring>

#include "cuda/offsets.h"
#include "cuda/runtime/driver.h"

namespace mt::cuda {
namespace {

class Bytes {
 public:
  explicit Bytes(size_t most) { bytes_.reserve(most); }

  template <class T> void add(const T& value) { add(&value, sizeof value); }
  void add(const void* from, size_t size) {
    const auto* const first = static_cast<const std::byte*>(from);
    bytes_.insert(bytes_.end(), first, first + size);
  }
  void pad(size_t to) { bytes_.resize((bytes_.size() + to - 1) / to * to); }
  std::vector<std::byte> finish() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

// The number of packs: 0 if an address is no multiple of the size of its pack.
int64_t packs_of(const FusedLaunch& launch, const FusedForm& form) {
  const int width = elements_per_pack(*launch.program);
  for (int i = 0; i < launch.operands.tensors; ++i) {
    if ((form.single >> i & 1) != 0) continue;
    const auto pack = static_cast<size_t>(width * size_of(launch.program->dtype_of_tensor(i)));
    if (reinterpret_cast<uintptr_t>(launch.operands.addresses[i]) % pack != 0) return 0;
  }
  return launch.operands.n / width;
}

// As in Offsets of cuda/offsets.h.
void add_layout(Bytes& bytes, const FusedOperands& operands, const FusedForm& form) {
  const Geometry& g = operands.geometry;
  const auto from = [&](int d) { return g.dim() - 1 - d; };  // the last dimension first
  for (int k = 0; k < operands.tensors; ++k) {
    for (int d = 0; d < form.dims; ++d) bytes.add(from(d) < 0 ? int64_t{0} : g.stride(k, from(d)));
  }
  for (int d = 0; d < form.dims; ++d) {
    const int64_t size = from(d) < 0 ? 1 : g.size(from(d));
    form.wide ? bytes.add(WideDivisor(size)) : bytes.add(Divisor(static_cast<uint32_t>(size)));
  }
}

}  // namespace

size_t argument_bytes(const FusedProgram& program, const FusedForm& form) {
  const size_t tensors = static_cast<size_t>(program.tensors()), dims = static_cast<size_t>(form.dims);
  const size_t words = (dims == 0 ? 2 : 1) + tensors + program.number_operands().size() + tensors * dims;
  const size_t bytes = words * 8 + dims * (form.wide ? sizeof(WideDivisor) : sizeof(Divisor));
  return (bytes + 7) / 8 * 8;
}

std::vector<std::byte> fused_arguments(const FusedLaunch& launch, const FusedForm& form) {
  const FusedOperands& operands = launch.operands;
  Bytes bytes(argument_bytes(*launch.program, form));
  bytes.add(operands.n);
  if (form.dims == 0) bytes.add(packs_of(launch, form));
  for (int i = 0; i < operands.tensors; ++i) bytes.add(driver::reachable(operands.data(i)));
  for (int i = 0; i < operands.number_count; ++i) {
    const DType computed = launch.program->number_operands()[static_cast<size_t>(i)].dtype;
    bytes.add(operands.numbers[i].bytes, static_cast<size_t>(std::max(size_of(computed), is_float(computed) ? 4 : 1)));
    bytes.pad(8);
  }
  if (form.dims > 0) add_layout(bytes, operands, form);
  bytes.pad(8);
  return bytes.finish();
}

int64_t threads_for(const FusedLaunch& launch, const FusedForm& form) {
  if (form.dims > 0) return launch.operands.n;
  const int64_t packs = packs_of(launch, form);
  return packs + (launch.operands.n - packs * elements_per_pack(*launch.program));
}

}  // namespace mt::cuda
