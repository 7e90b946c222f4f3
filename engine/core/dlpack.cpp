#include "engine/core/dlpack.h"

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include "engine/core/device.h"
#include "engine/core/stay_loaded.h"

namespace mt::dlpack {
namespace {

// DLPack's code of each kind of number. Floats have 2, except those that share their number of bits with others.
enum : uint8_t {
  code_int = 0,
  code_uint = 1,
  code_float = 2,
  code_bfloat = 4,
  code_complex = 5,
  code_bool = 6,
  code_e4m3fn = 10,
  code_e5m2 = 12
};

ElementType element_type(DType dtype) {
  const auto code = [&]() -> uint8_t {
    if (dtype == DType::bfloat16) return code_bfloat;
#ifndef MT_WITHOUT_FURTHER_DTYPES
    if (dtype == DType::float8_e4m3fn) return code_e4m3fn;
    if (dtype == DType::float8_e5m2) return code_e5m2;
#endif
    switch (kind_of(dtype)) {
      case NumberKind::boolean:
        return code_bool;
      case NumberKind::unsigned_integer:
        return code_uint;
      case NumberKind::signed_integer:
        return code_int;
      case NumberKind::real:
        return code_float;
      case NumberKind::complex:
        return code_complex;
    }
    broken_invariant("a kind of numbers", __FILE__, __LINE__);
  };
  return {code(), static_cast<uint8_t>(8 * size_of(dtype)), 1};
}

DType dtype_of_elements(std::string_view function, ElementType type) {
  if (type.lanes != 1) fail<Status::dtype>(function, "dtype", int64_t{type.lanes}, " lanes, expected 1");
  for (int i = 0; i < dtype_count; ++i) {
    const auto dtype = static_cast<DType>(i);
    const ElementType own = element_type(dtype);
    if (own.code != type.code || own.bits != type.bits) continue;
    if (!built_dtypes.contains(dtype)) refuse_dtype(dtype);
    return dtype;
  }
  fail<Status::dtype>(function, "dtype", "code ", int64_t{type.code}, " with ", int64_t{type.bits},
                      " bits, expected bool, integers or floats of 8 to 64 bits, or complex numbers of 64 or 128");
}

constexpr std::string_view cuda_name = "cuda:";  // of the plug-in's devices, which count from 1

Device device_of(std::string_view function, DeviceId id) {
  if (id == cpu_device) return {cpu, 0};
  const std::string_view name = device_name(id);
  if (!name.starts_with(cuda_name)) fail<Status::unsupported>(function, "x", "it is on ", name, ", expected the CPU or a CUDA device");
  return {cuda, std::stoi(std::string(name.substr(cuda_name.size()))) - 1};
}

DeviceId device_id(std::string_view function, Device device) {
  if (device.type == cpu || device.type == cuda_host) return cpu_device;
  if (device.type != cuda) fail<Status::unsupported>(function, "device", "type ", int64_t{device.type}, ", expected 1 (CPU) or 2 (CUDA)");
  const std::optional<DeviceId> id = device.number < 0 ? std::nullopt : device_called(concat(cuda_name, int64_t{device.number} + 1));
  if (!id) fail<Status::unsupported>(function, "device", "CUDA device ", int64_t{device.number}, ", expected one of ", device_names());
  return *id;
}

// Waits for what a device was asked to do with memory so far.
void wait_for(DeviceId id, const void* data) {
  std::byte first;
  if (id != cpu_device && data != nullptr) device(id).read(&first, data, 1);
}

template <class Managed> struct Export {
  Managed managed;
  Tensor tensor;  // has the sizes and strides of the structure
};

// The elements of a structure as a tensor describes them, and what prevents sharing.
struct Description {
  DType dtype;
  DeviceId device;
  Shape sizes, strides;  // strides may be negative
  int64_t count;
  std::byte* first;                // element 0, 0, ...; null without elements
  int64_t below = 0, above = 0;    // elements that are reached before and after it
  std::string_view obstacle = "";  // to sharing
};

void describe_strides(std::string_view function, const Array& array, Description& d) {
  d.strides = d.sizes;
  if (d.count == 0 || array.strides == nullptr) {
    contiguous_strides(d.sizes, d.strides.size() > 0 ? &d.strides[0] : nullptr);
    if (d.count > 0) d.above = d.count - 1;
    return;
  }
  for (int i = 0; i < d.sizes.size(); ++i) {
    const int64_t stride = d.sizes[i] == 1 ? 1 : array.strides[i];
    int64_t reach;
    int64_t& end = stride < 0 ? d.below : d.above;
    if (__builtin_mul_overflow(d.sizes[i] - 1, stride, &reach) || __builtin_add_overflow(end, reach, &end))
      fail<Status::shape>(function, "strides", Sizes(array.strides, static_cast<size_t>(array.ndim)), " with sizes ", Sizes(d.sizes),
                          " don't fit in 64 bits");
    if (stride < 0) d.obstacle = "it has a negative stride";
    d.strides[i] = stride;
  }
}

// Checks that the elements lie in the address space.
void describe_memory(std::string_view function, const Array& array, Description& d) {
  if (d.count == 0) return;
  if (array.data == nullptr) fail(function, "data", "NULL, expected an address");
  const auto width = static_cast<int64_t>(size_of(d.dtype));
  const auto data = reinterpret_cast<uintptr_t>(array.data);
  uintptr_t first, end;
  int64_t before, after;
  if (__builtin_add_overflow(data, array.byte_offset, &first)) fail<Status::range>(function, "byte_offset", "it passes the end of memory");
  if (__builtin_mul_overflow(d.below, width, &before) || __builtin_mul_overflow(d.above, width, &after) ||
      __builtin_add_overflow(after, width, &after) || after > INT64_MAX / 2 || uintptr_t{0} - static_cast<uintptr_t>(before) > first ||
      __builtin_add_overflow(first, after, &end))
    fail<Status::shape>(function, "sizes", Sizes(d.sizes), " with strides ", Sizes(d.strides), " pass the end of memory");
  d.first = reinterpret_cast<std::byte*>(first);
  if (first % static_cast<uintptr_t>(width) != 0) d.obstacle = "its address is no multiple of an element's size";
}

Description describe(std::string_view function, const Array& array, uint64_t flags) {
  Description d{};
  d.device = device_id(function, array.device);
  d.dtype = dtype_of_elements(function, array.dtype);
  if (array.ndim < 0 || array.ndim > max_dims) fail<Status::range>(function, "ndim", int64_t{array.ndim}, ", expected 0..", max_dims);
  if (array.ndim > 0 && array.shape == nullptr) fail(function, "shape", "NULL, expected an address");
  const int64_t one = 1;  // a number becomes a tensor of one element
  d.sizes = array.ndim > 0 ? Shape(Sizes(array.shape, static_cast<size_t>(array.ndim))) : Shape(Sizes(&one, 1));
  d.count = checked_product(function, d.sizes);
  Array counted = array;
  if (array.ndim == 0) counted.strides = nullptr;
  describe_strides(function, counted, d);
  describe_memory(function, array, d);
  if ((flags & read_only) != 0) d.obstacle = "it may only be read";
  return d;
}

// Copies elements at any strides and addresses in row-major order; returns the end of the copy.
std::byte* copy_elements(std::byte* to, const std::byte* from, Sizes sizes, Sizes strides, size_t width) {
  const auto step = strides[0] * static_cast<int64_t>(width);
  if (sizes.size() == 1 && strides[0] == 1) {
    const size_t bytes = static_cast<size_t>(sizes[0]) * width;
    std::memcpy(to, from, bytes);
    return to + bytes;
  }
  for (int64_t i = 0; i < sizes[0]; ++i) {
    if (sizes.size() > 1) {
      to = copy_elements(to, from + i * step, sizes.subspan(1), strides.subspan(1), width);
    } else {
      std::memcpy(to, from + i * step, width);
      to += width;
    }
  }
  return to;
}

void call_deleter(auto* managed) noexcept {
  if (managed->deleter != nullptr) managed->deleter(managed);
}

Tensor copied(std::string_view function, const Description& d) {
  if (d.device == cpu_device) {
    Tensor made = Tensor::empty(d.dtype, d.sizes);
    if (d.count > 0) copy_elements(made.bytes(), d.first, d.sizes, d.strides, static_cast<size_t>(size_of(d.dtype)));
    return made;
  }
  if (d.below < 0 || reinterpret_cast<uintptr_t>(d.first) % static_cast<uintptr_t>(size_of(d.dtype)) != 0)
    fail<Status::unsupported>(function, "copy", d.obstacle, ", and it is on ", device_name(d.device));
  Storage* const source = Storage::borrow(
      d.dtype, d.first, d.count > 0 ? d.above + 1 : 0, [](void*) {}, nullptr, d.device);
  const Tensor view = Tensor::over(StoragePtr::adopt(source), 0, d.sizes, d.strides);
  Tensor made = Tensor::empty(d.dtype, d.sizes, d.device);
  copy(made, view);
  wait_for(d.device, made.bytes());
  return made;
}

}  // namespace

template <class Managed> Managed* exported(std::string_view function, const Tensor& x) {
  const Device device = device_of(function, x.device());
  auto made = std::make_unique<Export<Managed>>();
  Storage* const storage = x.storage();
  if (storage != nullptr) storage->share_between_threads();
  const StoragePtr held = StoragePtr::adopt(storage != nullptr ? storage->lend() : Storage::create(x.dtype(), 0));
  held->share_between_threads();
  const int64_t zero = 0, one = 1;
  const bool is_plain = x.dim() == 0;  // a tensor without dimensions has no elements
  made->tensor = Tensor(x.dtype(), x.device());
  made->tensor.set_storage(held, x.offset(), is_plain ? Sizes(&zero, 1) : x.sizes(), is_plain ? Sizes(&one, 1) : x.strides());
  made->tensor.interpret_as(x.dtype());
  const Tensor& t = made->tensor;
  void* const data = t.numel() > 0 ? t.bytes() : nullptr;
  wait_for(t.device(), data);
  stay_loaded();
  Managed& managed = made->managed;
  managed.array = {data,
                   device,
                   static_cast<int32_t>(t.dim()),
                   element_type(t.dtype()),
                   const_cast<int64_t*>(t.sizes().data()),
                   const_cast<int64_t*>(t.strides().data()),
                   0};
  managed.context = made.get();
  managed.deleter = [](Managed* self) { delete static_cast<Export<Managed>*>(self->context); };
  if constexpr (std::is_same_v<Managed, Versioned>) {
    managed.major = major_version;
    managed.minor = minor_version;
    managed.flags = 0;
  }
  return &made.release()->managed;
}

template <class Managed> Tensor imported(std::string_view function, Managed* managed, Copy copy) {
  if (managed == nullptr) fail(function, "managed", "NULL, expected an address");
  uint64_t flags = 0;
  if constexpr (std::is_same_v<Managed, Versioned>) {
    if (managed->major != major_version)
      fail<Status::unsupported>(function, "version", int64_t{managed->major}, ".", int64_t{managed->minor}, ", expected ",
                                int64_t{major_version}, ".x");
    flags = managed->flags;
  }
  const Description d = describe(function, managed->array, flags);
  if (copy == Copy::never && !d.obstacle.empty()) fail(function, "copy", "never, but the memory can't be shared: ", d.obstacle);
  if (copy == Copy::always || !d.obstacle.empty()) {
    Tensor made = copied(function, d);
    call_deleter(managed);
    return made;
  }
  struct Lender {
    Managed* managed;
    DeviceId device;
    const void* data;
    static void release(void* self) {
      const std::unique_ptr<Lender> own(static_cast<Lender*>(self));
      try {
        wait_for(own->device, own->data);
      } catch (...) {  // an error of the device's work has been or will be raised by the call that waits for it
      }
      call_deleter(own->managed);
    }
  };
  auto lender = std::make_unique<Lender>(Lender{managed, d.device, d.first});
  Storage* const storage = Storage::borrow(
      d.dtype, d.first, d.count > 0 ? d.above + 1 : 0, [](void*) {}, nullptr, d.device);
  Tensor made = Tensor::over(StoragePtr::adopt(storage), 0, d.sizes, d.strides);
  storage->share_between_threads();
  storage->external_context = lender.release();  // last: after an earlier failure the structure is still the caller's
  storage->release_external = &Lender::release;
  return made;
}

template Unversioned* exported<Unversioned>(std::string_view, const Tensor&);
template Versioned* exported<Versioned>(std::string_view, const Tensor&);
template Tensor imported<Unversioned>(std::string_view, Unversioned*, Copy);
template Tensor imported<Versioned>(std::string_view, Versioned*, Copy);

}  // namespace mt::dlpack
