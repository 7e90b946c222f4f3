// Tensors of the C interface: creating, sharing, inspecting and copying them.
#include <cstring>
#include <string>

#include "engine/capi/handle.h"
#include "engine/core/mutex.h"
#include "engine/core/registry.h"

using mt::Dim;
using mt::DType;
using mt::fail;
using mt::Shape;
using mt::Sizes;
using mt::Status;
using mt::Tensor;
using mt::capi::give;
using mt::capi::guard;
using mt::capi::take;

namespace mt::capi {

mt_tensor* give(Tensor tensor) {
  const Block block = allocate(sizeof(mt_tensor));
  auto* handle = new (block.data) mt_tensor;
  handle->size_class = block.size_class;
  handle->tensor = std::move(tensor);
  // A view: two threads may use its handle and the other one.
  if (Storage* storage = handle->tensor.storage(); storage != nullptr && !storage->is_unique()) storage->share_between_threads();
  return handle;
}

}  // namespace mt::capi

namespace {

DType checked_dtype(const char* function, mt_dtype dtype) {
  if (dtype < 0 || dtype >= mt::dtype_count) fail<Status::dtype>(function, "dtype", dtype, ", expected 0..", mt::dtype_count - 1);
  if constexpr (mt::built_dtypes != mt::all_dtypes) {
    if (!mt::built_dtypes.contains(static_cast<DType>(dtype))) mt::refuse_dtype(static_cast<DType>(dtype));
  }
  return static_cast<DType>(dtype);
}

Sizes checked_sizes(const char* function, const char* argument, int32_t ndim, const int64_t* sizes) {
  if (ndim < 0 || ndim > mt::max_dims) fail<Status::range>(function, "ndim", ndim, ", expected 0..", mt::max_dims);
  if (ndim > 0 && sizes == nullptr) fail(function, argument, "NULL, expected an address");
  return {sizes, static_cast<size_t>(ndim)};
}

mt_tensor* create(const char* function, mt::DeviceId device, mt_dtype dtype, int32_t ndim, const int64_t* sizes, mt_tensor** out) {
  take(out, function, "out");
  return give(Tensor::empty(checked_dtype(function, dtype), checked_sizes(function, "sizes", ndim, sizes), device));
}

void check_bytes(const char* function, const Tensor& x, size_t bytes, const void* data) {
  const size_t expected = static_cast<size_t>(x.numel()) * static_cast<size_t>(size_of(x.dtype()));
  if (bytes != expected) fail<Status::shape>(function, "bytes", bytes, ", the elements of ", x.dtype(), " ", x.sizes(), " have ", expected);
  if (bytes > 0 && data == nullptr) fail(function, "data", "NULL, expected an address");
}

}  // namespace

mt_status mt_tensor_create(mt_dtype dtype, int32_t ndim, const int64_t* sizes, mt_tensor** out) {
  return guard([&] { *out = create("mt_tensor_create", mt::cpu_device, dtype, ndim, sizes, out); });
}

mt_status mt_tensor_create_on(const char* device, mt_dtype dtype, int32_t ndim, const int64_t* sizes, mt_tensor** out) {
  return guard([&] {
    constexpr const char* name = "mt_tensor_create_on";
    const mt::DeviceId id = mt::find_device(name, "device", &take(device, name, "device"));
    *out = create(name, id, dtype, ndim, sizes, out);
  });
}

mt_status mt_tensor_borrow(mt_dtype dtype, void* data, int64_t count, int32_t ndim, const int64_t* sizes, const int64_t* strides,
                           void (*release)(void*), void* context, mt_tensor** out) {
  return guard([&] {
    constexpr const char* name = "mt_tensor_borrow";
    take(out, name, "out");
    const DType type = checked_dtype(name, dtype);
    if (count < 0) fail<Status::range>(name, "count", count, ", expected 0 or more");
    if (count > 0 && data == nullptr) fail(name, "data", "NULL, expected an address");
    if (reinterpret_cast<uintptr_t>(data) % static_cast<uintptr_t>(size_of(type)) != 0) {
      fail(name, "data", "the address is no multiple of an element's ", size_of(type), " bytes");
    }
    const Sizes shape = checked_sizes(name, "sizes", ndim, sizes);
    if (mt::checked_product(name, shape) > count && ndim > 0 && strides == nullptr) {
      fail<Status::shape>(name, "sizes", shape, ", expected at most ", count, " elements");
    }
    Shape steps(shape);
    if (strides != nullptr) {
      steps = Shape(Sizes(strides, shape.size()));
      for (int i = 0; i < ndim; ++i) {
        if (strides[i] < 0) fail<Status::range>(name, "strides", "stride ", strides[i], " of dimension ", Dim{i}, " is negative");
      }
    } else if (ndim > 0) {
      mt::contiguous_strides(shape, &steps[0]);
    }
    // Sets the callback last: after an earlier failure the caller still owns the memory.
    mt::Storage* const storage = mt::Storage::borrow(type, data, count, nullptr, nullptr);
    mt_tensor* handle = give(Tensor::over(mt::StoragePtr::adopt(storage), 0, shape, steps));
    storage->release_external = release;
    storage->external_context = release != nullptr ? context : nullptr;
    *out = handle;
  });
}

mt_tensor* mt_tensor_retain(mt_tensor* x) {
  if (x == nullptr) return x;
  x->references.fetch_add(1, std::memory_order_relaxed);
  if (x->tensor.storage() != nullptr) x->tensor.storage()->share_between_threads();
  return x;
}

void mt_tensor_release(mt_tensor* x) {
  if (x == nullptr || x->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  const uint8_t size_class = x->size_class;
  x->~mt_tensor();
  mt::release({x, size_class});
}

mt_dtype mt_tensor_dtype(const mt_tensor* x) { return x != nullptr ? static_cast<mt_dtype>(x->tensor.dtype()) : -1; }
const char* mt_dtype_name(mt_dtype dtype) {
  return dtype >= 0 && dtype < mt::dtype_count ? mt::info(static_cast<DType>(dtype)).name.data() : nullptr;
}
int32_t mt_tensor_ndim(const mt_tensor* x) { return x != nullptr ? x->tensor.dim() : 0; }
int64_t mt_tensor_count(const mt_tensor* x) { return x != nullptr ? x->tensor.numel() : 0; }
int32_t mt_tensor_is_contiguous(const mt_tensor* x) { return x != nullptr && x->tensor.is_contiguous() ? 1 : 0; }
const int64_t* mt_tensor_sizes(const mt_tensor* x) { return x != nullptr ? x->tensor.sizes().data() : nullptr; }
const int64_t* mt_tensor_strides(const mt_tensor* x) { return x != nullptr ? x->tensor.strides().data() : nullptr; }
const char* mt_tensor_device(const mt_tensor* x) {
  const char* name = nullptr;
  if (x == nullptr) return name;
  (void)guard([&] {
    static mt::ThreadMutex lock;
    static std::string names[mt::max_devices];  // terminated by NUL
    const std::lock_guard locked(lock);
    std::string& known = names[x->tensor.device()];
    if (known.empty()) known = mt::device_name(x->tensor.device());
    name = known.c_str();
  });
  return name;
}

void* mt_tensor_data(const mt_tensor* x) {
  if (x == nullptr) return nullptr;
  if (x->tensor.device() == mt::cpu_device) return x->tensor.bytes();
  (void)guard(
      [&] { fail("mt_tensor_data", "x", "it is on ", mt::device_name(x->tensor.device()), "; mt_tensor_to brings it to the CPU"); });
  return nullptr;
}

mt_status mt_tensor_read(const mt_tensor* x, size_t bytes, void* data) {
  return guard([&] {
    const Tensor& from = take(x, "mt_tensor_read", "x").tensor;
    check_bytes("mt_tensor_read", from, bytes, data);
    if (bytes == 0) return;
    const Tensor whole = contiguous(from);
    if (whole.device() == mt::cpu_device)
      std::memcpy(data, whole.bytes(), bytes);
    else
      mt::device(whole.device()).read(data, whole.bytes(), bytes);
  });
}

mt_status mt_tensor_write(mt_tensor* x, size_t bytes, const void* data) {
  return guard([&] {
    const Tensor& to = take(x, "mt_tensor_write", "x").tensor;
    check_bytes("mt_tensor_write", to, bytes, data);
    if (to.overlaps_itself()) fail("mt_tensor_write", "x", "two of its indices name one element");
    if (bytes == 0) return;
    const Tensor whole = to.is_contiguous() ? to : Tensor::empty(to.dtype(), to.sizes());
    if (whole.device() == mt::cpu_device)
      std::memcpy(whole.bytes(), data, bytes);
    else
      mt::device(whole.device()).write(whole.bytes(), data, bytes);
    if (!to.is_contiguous()) copy(to, whole);
    to.touch();
  });
}

mt_status mt_tensor_clone(const mt_tensor* x, mt_tensor** out) {
  return guard([&] {
    take(out, "mt_tensor_clone", "out");
    *out = give(clone(take(x, "mt_tensor_clone", "x").tensor));
  });
}

mt_status mt_tensor_to(const mt_tensor* x, const char* device, mt_tensor** out) {
  return guard([&] {
    constexpr const char* name = "mt_tensor_to";
    take(out, name, "out");
    const Tensor& from = take(x, name, "x").tensor;
    const mt::DeviceId to = mt::find_device(name, "device", &take(device, name, "device"));
    *out = give(to == from.device() ? clone(from) : to_device(from, to));
  });
}

mt_status mt_tensor_narrow(const mt_tensor* x, int32_t dim, int64_t first, int64_t length, mt_tensor** out) {
  if (out == nullptr) return guard([&] { take(out, "mt_tensor_narrow", "out"); });
  const mt_value args[] = {mt_value_tensor(const_cast<mt_tensor*>(x)), mt_value_integer(dim), mt_value_integer(first),
                           mt_value_integer(length)};
  mt_tensor* view = nullptr;
  const mt_status status = mt_call("narrow", args, 4, 1, &view);
  if (status == MT_OK) *out = view;
  return status;
}
