// Arrays of the addresses of consecutive matrices, for library functions that process many matrices at once.
#pragma once

#include "cuda/scratch.h"

namespace mt::cuda {

// Sets addresses[i] = first + i * step, with the step in bytes.
void fill_addresses(Stream stream, void** addresses, std::byte* first, int64_t step, int64_t count);

// An array of addresses in device memory. It and its entries are addresses as kernels use them. Steps are in elements.
template <class T> class Addresses {
 public:
  Addresses(Stream stream, T* first, int64_t step, int64_t count) : memory_(stream, count) {
    fill_addresses(stream, reinterpret_cast<void**>(memory_.data()), reinterpret_cast<std::byte*>(driver::reachable(first)),
                   step * static_cast<int64_t>(sizeof(T)), count);
  }
  T** data() const { return memory_.data(); }

 private:
  const Scratch<T*> memory_;
};

}  // namespace mt::cuda
