// A tensor: a typed, strided view of a storage. A plain value whose copies share the storage.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>

#include "engine/core/dtype.h"
#include "engine/core/storage.h"

namespace mt {

inline constexpr int inline_dims = 8, max_dims = 64;

enum TensorFlags : uint16_t { flag_tracked = 1 };  // the Lua tape follows this tensor

int64_t checked_product(std::string_view op, Sizes sizes);  // raises an error if it overflows or a size is negative

class Operand;

// Compiled Lua loops read the fields (lua/torch/index/element.lua): keep their offsets.
class Tensor {
 public:
  Tensor() {}  // NOLINT: no dimension, no storage; `= default` would let Tensor() clear all bytes
  explicit Tensor(DType dtype, DeviceId device = cpu_device) : dtype_(dtype), device_(device) {}
  Tensor(const Tensor& other) : Tensor() { assign(other); }
  Tensor(Tensor&& other) noexcept { steal(other); }
  Tensor(Operand&& other) = delete;  // an operand does not count its storage: copy it
  Tensor& operator=(const Tensor& other) {
    if (this != &other) *this = Tensor(other);
    return *this;
  }
  Tensor& operator=(Tensor&& other) noexcept;
  ~Tensor() {
    if (ndim_ > inline_dims) delete[] heap();
  }

  // Uninitialised, contiguous.
  static Tensor empty(DType dtype, Sizes sizes, DeviceId device = cpu_device);
  static Tensor empty(DType dtype, std::initializer_list<int64_t> sizes, DeviceId device = cpu_device) {
    return empty(dtype, Sizes(sizes.begin(), sizes.size()), device);
  }
  static Tensor over(StoragePtr storage, int64_t offset, Sizes sizes, Sizes strides);  // checked against the storage's size

  DType dtype() const { return dtype_; }
  DeviceId device() const { return storage_ ? storage_->device : device_; }  // of the elements, which may be allocated later
  int dim() const { return ndim_; }
  Sizes sizes() const { return {dims(), static_cast<size_t>(ndim_)}; }
  Sizes strides() const { return {dims() + stride_base(), static_cast<size_t>(ndim_)}; }
  int64_t size(int dim) const { return dims()[dim]; }
  int64_t stride(int dim) const { return dims()[stride_base() + dim]; }
  int64_t offset() const { return offset_; }
  int64_t numel() const {  // 0 without dimensions
    if (ndim_ == 0) return 0;
    const int64_t* d = dims();
    auto n = static_cast<uint64_t>(d[0]);  // may wrap around before a size of 0
    for (int i = 1; i < ndim_; ++i) n *= static_cast<uint64_t>(d[i]);
    return static_cast<int64_t>(n);
  }
  bool is_contiguous() const { return ndim_ == 1 ? dims_[inline_dims] == 1 || dims_[0] <= 1 : is_row_major(); }
  bool same_sizes(const Tensor& other) const {
    if (ndim_ != other.ndim_) return false;
    const int64_t *a = dims(), *b = other.dims();
    for (int i = 0; i < ndim_; ++i) {
      if (a[i] != b[i]) return false;
    }
    return true;
  }
  bool same_geometry(const Tensor& other) const;
  bool overlaps_itself() const;  // two indices refer to one element, as after expand

  Storage* storage() const { return storage_.get(); }
  const StoragePtr& storage_ptr() const { return storage_; }
  std::byte* bytes() const { return storage_ ? storage_->data + offset_ * size_of(dtype_) : nullptr; }
  template <class T> T* data() const { return reinterpret_cast<T*>(bytes()); }
  void touch() const {
    if (storage_) storage_->touch();
  }

  bool tracked() const { return (flags_ & flag_tracked) != 0; }
  void set_tracked(bool on) { flags_ = static_cast<uint16_t>(on ? flags_ | flag_tracked : flags_ & ~flag_tracked); }

  // Which tensor of a call this is or is a view of, from 1, while the call is recorded (engine/core/recording.h); else 0.
  static constexpr int most_positions = 0x7fff;
  uint16_t position() const { return static_cast<uint16_t>(flags_ >> position_shift); }
  void set_position(int position) { flags_ = static_cast<uint16_t>((flags_ & flag_tracked) | position << position_shift); }

  // Torch7's resize: does nothing if the sizes are equal; otherwise makes the tensor contiguous at its offset, and grows the storage.
  void resize(std::string_view op, Sizes sizes);
  // Rebinds geometry within the present storage; the caller has checked that it fits.
  void set_geometry(int64_t offset, Sizes sizes, Sizes strides);
  void set_storage(StoragePtr storage, int64_t offset, Sizes sizes, Sizes strides);
  // Becomes slice i, counted from 0, of the first dimension of another tensor, which has 2 to inline_dims dimensions; this one has at most
  // inline_dims. The op `select` does the same for any tensors.
  void become_slice(const Tensor& of, int64_t i) {
    copy_numbers(of);
    offset_ += i * of.dims_[inline_dims];
    ndim_ = of.ndim_ - 1;
    for (int d = 0; d < ndim_; ++d) {
      dims_[d] = of.dims_[d + 1];
      dims_[inline_dims + d] = of.dims_[inline_dims + d + 1];
    }
    storage_ = of.storage_;
  }
  void set_type(DType dtype, DeviceId device) {  // of a tensor without storage
    dtype_ = dtype;
    device_ = device;
  }
  // Reads the elements of its storage as those of another dtype: complex numbers as their parts, or parts as complex numbers. The caller
  // has set a geometry that counts elements of this dtype.
  void interpret_as(DType dtype) { dtype_ = dtype; }
  // An empty tensor becomes a new, contiguous one of this dtype with the sizes of `like`, on its device.
  void create_like(const Tensor& like, DType dtype);
  void clear() noexcept {  // no dimension, no storage
    device_ = device();
    storage_ = StoragePtr();
    if (ndim_ > inline_dims) delete[] heap();
    ndim_ = 0;
  }

 protected:
  // For an operand of a plan, whose storage others hold.
  struct Uncounted {};
  Tensor(const Tensor& other, Uncounted) { assign_uncounted(other); }
  void assign_uncounted(const Tensor& other) {
    forget_storage();
    if (ndim_ <= inline_dims && other.ndim_ <= inline_dims) [[likely]] {
      ndim_ = other.ndim_;
      copy_dims(other.dims_);
      copy_numbers(other);
    } else {
      copy_geometry(other);
    }
    storage_ = StoragePtr::adopt(other.storage());
  }
  void bind_uncounted(Storage* storage, int64_t offset) {
    forget_storage();
    storage_ = StoragePtr::adopt(storage);
    offset_ = offset;
  }
  void forget_storage() noexcept { storage_.forget(); }

 private:
  static constexpr int position_shift = 1;

  int64_t* heap() const {
    int64_t* p;
    std::memcpy(&p, dims_, sizeof p);
    return p;
  }
  const int64_t* dims() const { return ndim_ <= inline_dims ? dims_ : heap(); }
  int stride_base() const { return ndim_ <= inline_dims ? inline_dims : ndim_; }
  bool is_row_major() const;
  int64_t* make_dims(int ndim);  // room for ndim sizes and strides; their former values are lost
  void assign(const Tensor& other) {
    copy_geometry(other);
    storage_ = other.storage_;
  }
  // Copies sizes and strides, or the pointer to them, for the same number of dimensions. Few tensors have more than 4.
  void copy_dims(const int64_t* from) noexcept {
    constexpr int few = 4;
    if (ndim_ > few) return static_cast<void>(std::memcpy(dims_, from, sizeof dims_));
    std::memcpy(dims_, from, few * sizeof dims_[0]);
    std::memcpy(dims_ + inline_dims, from + inline_dims, few * sizeof dims_[0]);
  }
  void become_contiguous(const int64_t* sizes, int ndim);  // of at most inline_dims dimensions, before and after
  void copy_geometry(const Tensor& other);                 // all but the storage
  void copy_numbers(const Tensor& other) {                 // all but the storage and the dimensions
    offset_ = other.offset_;
    dtype_ = other.dtype_;
    device_ = other.device_;
    flags_ = static_cast<uint16_t>((flags_ & flag_tracked) | (other.flags_ & ~flag_tracked));
  }
  void steal(Tensor& other) noexcept;

  StoragePtr storage_;
  int64_t offset_ = 0;  // elements
  DType dtype_ = DType::float64;
  DeviceId device_ = cpu_device;  // of a tensor without storage
  uint16_t flags_ = 0;
  int32_t ndim_ = 0;
  int64_t dims_[2 * inline_dims];  // sizes, then strides; beyond 8 dimensions a pointer to both
};

// Sizes as strides of a contiguous tensor, written to strides[0 .. sizes.size()).
void contiguous_strides(Sizes sizes, int64_t* strides);

bool bounds_overlap(const Tensor& a, const Tensor& b);  // by address, of tensors with memory

// Whether a and b may share an element. It compares bounds: a false positive costs a copy; a false negative would corrupt results.
inline bool may_overlap(const Tensor& a, const Tensor& b) {
  const Storage *x = a.storage(), *y = b.storage();
  if (x == nullptr || y == nullptr) return false;
  // A storage that can't be resized may be over another one's memory.
  if (x != y && ((x->resizable && y->resizable) || x->device != y->device)) return false;
  return bounds_overlap(a, b);
}

// Sizes of the same number of elements, as a small value type.
class Shape {
 public:
  Shape() = default;
  Shape(Sizes sizes) : count_(static_cast<int>(sizes.size())) { std::copy(sizes.begin(), sizes.end(), values_); }  // NOLINT: implicit
  Shape(std::initializer_list<int64_t> sizes) : Shape(Sizes(sizes.begin(), sizes.size())) {}
  operator Sizes() const { return {values_, static_cast<size_t>(count_)}; }
  int64_t& operator[](int i) { return values_[i]; }
  int64_t operator[](int i) const { return values_[i]; }
  int size() const { return count_; }
  void push(int64_t value) {
    if (count_ == max_dims) fail<Status::range>("tensor", "sizes", "more than ", max_dims, " dimensions");
    values_[count_++] = value;
  }
  void erase(int i) {
    std::copy(values_ + i + 1, values_ + count_, values_ + i);
    --count_;
  }
  void insert(int i, int64_t value) {
    push(0);
    for (int k = count_ - 1; k > i; --k) values_[k] = values_[k - 1];
    values_[i] = value;
  }

 private:
  int count_ = 0;
  int64_t values_[max_dims];
};

}  // namespace mt
