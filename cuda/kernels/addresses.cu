#include "cuda/kernels/addresses.h"

#include "cuda/launch.h"

namespace mt::cuda {
namespace {

struct FillAddressesKernel {
  void** addresses;
  std::byte* first;
  int64_t step, n;
  MT_DEVICE void operator()(Thread& t) const {
    for (int64_t i = t.global_index(); i < n; i += t.global_threads()) addresses[i] = first + i * step;
  }
};

}  // namespace

void fill_addresses(Stream stream, void** addresses, std::byte* first, int64_t step, int64_t count) {
  launch_each(stream, count, FillAddressesKernel{addresses, first, step, count});
}

}  // namespace mt::cuda
