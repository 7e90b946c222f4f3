// Tensors of other libraries in the same process: DLPack's structures, version 1 and those before it (https://dmlc.github.io/dlpack).
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/core/tensor.h"

namespace mt::dlpack {

struct Device {
  int32_t type, number;
};
enum : int32_t { cpu = 1, cuda = 2, cuda_host = 3 };  // types of devices; cuda_host is memory of the CPU

struct ElementType {
  uint8_t code, bits;
  uint16_t lanes;
};

struct Array {
  void* data;
  Device device;
  int32_t ndim;
  ElementType dtype;
  int64_t* shape;
  int64_t* strides;  // in elements; null means row-major
  uint64_t byte_offset;
};

// DLManagedTensor, the structure without a version.
struct Unversioned {
  Array array;
  void* context;
  void (*deleter)(Unversioned*);
};

// DLManagedTensorVersioned.
struct Versioned {
  uint32_t major, minor;
  void* context;
  void (*deleter)(Versioned*);
  uint64_t flags;
  Array array;
};
inline constexpr uint64_t read_only = 1, is_copied = 2;  // flags
inline constexpr uint32_t major_version = 1, minor_version = 1;

// What happens to memory that a tensor can't share: memory that may not be written to, negative strides, misaligned elements.
enum class Copy : int32_t { if_needed, never, always };

// A structure over the elements of x, in memory that stays valid until its deleter is called, by any thread: the storage may then be gone
// or have grown. Raises an error for a tensor on a device that DLPack doesn't have.
template <class Managed> Managed* exported(std::string_view function, const Tensor& x);

// A tensor over the elements of a structure. It then belongs to the tensor's storage, which calls the deleter in the thread that drops the
// last reference; a copy calls it at once. After an error it still belongs to the caller.
template <class Managed> Tensor imported(std::string_view function, Managed* managed, Copy copy);

}  // namespace mt::dlpack
