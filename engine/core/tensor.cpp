#include "engine/core/tensor.h"

#include <algorithm>

namespace mt {

namespace {

// checked_product() of sizes of which one is negative or 0, or whose product overflows.
[[gnu::noinline, gnu::cold]] int64_t unusual_product(std::string_view op, Sizes sizes) {
  int64_t product = 1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 0) fail<Status::range>(op, "sizes", "size ", sizes[i], " of dimension ", Dim{static_cast<int64_t>(i)}, " is negative");
    if (sizes[i] != 0 && __builtin_mul_overflow(product, sizes[i], &product)) {
      product = 1;
      const bool empty = std::find(sizes.begin(), sizes.end(), 0) != sizes.end();
      if (!empty) fail<Status::shape>(op, "sizes", "the number of elements of ", sizes, " does not fit in 64 bits");
    }
  }
  for (const int64_t size : sizes) {
    if (size == 0) return 0;
  }
  return product;
}

// A stride in bytes overflows 64 bits only if it is never used: in a dimension of size 1, or in a tensor without
// elements.
constexpr int64_t largest_stride = INT64_MAX / 16;

int64_t next_stride(int64_t stride, int64_t size) {
  return __builtin_mul_overflow(stride, std::max<int64_t>(size, 1), &stride) || stride > largest_stride ? 0 : stride;
}

}  // namespace

int64_t checked_product(std::string_view op, Sizes sizes) {
  int64_t product = 1;
  for (const int64_t size : sizes) {
    if (size <= 0 || __builtin_mul_overflow(product, size, &product)) [[unlikely]]
      return unusual_product(op, sizes);
  }
  return product;
}

void contiguous_strides(Sizes sizes, int64_t* strides) {
  int64_t stride = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = stride;
    stride = next_stride(stride, sizes[i]);
  }
}

int64_t* Tensor::make_dims(int ndim) {
  if (ndim > max_dims) fail<Status::range>("tensor", "sizes", ndim, " dimensions, at most ", max_dims, " are possible");
  int64_t* fresh = ndim > inline_dims ? new int64_t[2 * static_cast<size_t>(ndim)] : nullptr;
  if (ndim_ > inline_dims) delete[] heap();
  ndim_ = ndim;
  if (fresh == nullptr) return dims_;
  std::memcpy(dims_, &fresh, sizeof fresh);
  return fresh;
}

void Tensor::copy_geometry(const Tensor& other) {
  int64_t* dims = make_dims(other.ndim_);
  if (ndim_ <= inline_dims)
    copy_dims(other.dims_);
  else
    std::copy_n(other.heap(), 2 * static_cast<size_t>(ndim_), dims);
  copy_numbers(other);
}

void Tensor::steal(Tensor& other) noexcept {
  storage_ = std::move(other.storage_);
  offset_ = other.offset_;
  dtype_ = other.dtype_;
  device_ = other.device_;
  flags_ = other.flags_;
  ndim_ = other.ndim_;
  copy_dims(other.dims_);
  other.ndim_ = 0;
}

Tensor& Tensor::operator=(Tensor&& other) noexcept {
  if (this == &other) return *this;
  if (ndim_ > inline_dims) delete[] heap();
  steal(other);
  return *this;
}

Tensor Tensor::empty(DType dtype, Sizes sizes, DeviceId device) {
  Tensor t(dtype, device);
  if (!sizes.empty()) t.resize("tensor", sizes);
  return t;
}

Tensor Tensor::over(StoragePtr storage, int64_t offset, Sizes sizes, Sizes strides) {
  Tensor t(storage->dtype);
  checked_product("tensor", sizes);
  int64_t last = offset;
  for (size_t i = 0; i < sizes.size(); ++i) {
    int64_t reach;
    if (strides[i] < 0) fail<Status::range>("tensor", "strides", "stride ", strides[i], " is negative");
    if (__builtin_mul_overflow(std::max<int64_t>(sizes[i] - 1, 0), strides[i], &reach) || __builtin_add_overflow(last, reach, &last)) {
      fail<Status::shape>("tensor", "strides", strides, " with sizes ", sizes, " overflow 64 bits");
    }
  }
  const bool none = checked_product("tensor", sizes) == 0;
  if (offset < 0 || (!none && !sizes.empty() && last >= storage->size)) {
    fail<Status::shape>("tensor", "storage", "offset ", offset + 1, " with sizes ", sizes, " and strides ", strides, " passes the end of ",
                        storage->size, " elements");
  }
  t.set_storage(std::move(storage), offset, sizes, strides);
  return t;
}

bool Tensor::is_row_major() const {
  const int64_t *d = dims(), *s = d + stride_base();
  uint64_t expected = 1;  // may wrap around if another size is 0
  for (int i = ndim_ - 1; i >= 0; --i) {
    if (d[i] == 1) continue;
    if (static_cast<uint64_t>(s[i]) != expected) return numel() == 0;
    expected *= static_cast<uint64_t>(d[i]);
  }
  return true;
}

bool Tensor::same_geometry(const Tensor& other) const {
  return offset_ == other.offset_ && dtype_ == other.dtype_ && device() == other.device() && std::ranges::equal(sizes(), other.sizes()) &&
         std::ranges::equal(strides(), other.strides());
}

bool Tensor::overlaps_itself() const {
  if (is_contiguous()) return false;
  // Dimensions sorted by stride: each stride must exceed the range of the smaller ones.
  int order[max_dims];
  int count = 0;
  for (int i = 0; i < ndim_; ++i) {
    if (size(i) > 1) order[count++] = i;
  }
  std::sort(order, order + count, [&](int a, int b) { return stride(a) < stride(b); });
  int64_t reach = 0;
  for (int k = 0; k < count; ++k) {
    if (stride(order[k]) <= reach) return numel() > 0;
    reach += stride(order[k]) * (size(order[k]) - 1);
  }
  return false;
}

void Tensor::resize(std::string_view op, Sizes sizes) {
  if (storage_ && std::ranges::equal(sizes, this->sizes())) return;
  if (!storage_ && ndim_ == 0 && sizes.size() <= inline_dims) [[likely]] {
    storage_ = StoragePtr::adopt(Storage::create(dtype_, sizes.empty() ? 0 : checked_product(op, sizes), device_));
    return become_contiguous(sizes.data(), static_cast<int>(sizes.size()));
  }
  const Shape kept(sizes);  // `sizes` may refer to this tensor
  const int64_t n = sizes.empty() ? 0 : checked_product(op, sizes);
  if (!storage_) {
    storage_ = StoragePtr::adopt(Storage::create(dtype_, n, device_));
    offset_ = 0;
  } else {
    int64_t needed;
    if (__builtin_add_overflow(offset_, n, &needed)) fail<Status::shape>(op, "sizes", sizes, " does not fit in 64 bits");
    if (storage_->dtype != dtype_) {  // parts of complex numbers, or the reverse: the storage counts other elements
      const int64_t own = size_of(dtype_), other = size_of(storage_->dtype);
      needed = own > other ? needed * (own / other) : (needed + other / own - 1) / (other / own);
    }
    storage_->grow_to(needed);
  }
  int64_t* dims = make_dims(kept.size());
  std::copy_n(Sizes(kept).data(), ndim_, dims);
  contiguous_strides(kept, dims + stride_base());
}

void Tensor::become_contiguous(const int64_t* sizes, int ndim) {
  offset_ = 0;
  ndim_ = ndim;
  int64_t stride = 1;
  for (int i = ndim - 1; i >= 0; --i) {
    dims_[i] = sizes[i];
    dims_[inline_dims + i] = stride;
    stride = next_stride(stride, sizes[i]);
  }
}

void Tensor::create_like(const Tensor& like, DType dtype) {
  dtype_ = dtype;
  device_ = like.device();
  if (like.ndim_ > inline_dims || like.ndim_ == 0) {
    resize("tensor", like.sizes());
    return;
  }
  storage_ = StoragePtr::adopt(Storage::create(dtype, like.numel(), device_));
  become_contiguous(like.dims_, like.ndim_);
}

void Tensor::set_geometry(int64_t offset, Sizes sizes, Sizes strides) {
  const auto n = static_cast<int>(sizes.size());
  if (n <= inline_dims && ndim_ <= inline_dims) {
    int64_t fresh[2 * inline_dims];  // the spans may refer to this tensor
    for (int i = 0; i < n; ++i) {
      fresh[i] = sizes[static_cast<size_t>(i)];
      const int64_t stride = strides[static_cast<size_t>(i)];
      fresh[inline_dims + i] = stride > largest_stride ? 0 : stride;
    }
    offset_ = offset;
    ndim_ = n;
    copy_dims(fresh);
    return;
  }
  const Shape kept_sizes(sizes);
  Shape kept_strides(strides);
  for (int i = 0; i < kept_strides.size(); ++i) {
    if (kept_strides[i] > largest_stride) kept_strides[i] = 0;
  }
  int64_t* dims = make_dims(kept_sizes.size());
  std::copy_n(Sizes(kept_sizes).data(), ndim_, dims);
  std::copy_n(Sizes(kept_strides).data(), ndim_, dims + stride_base());
  offset_ = offset;
}

void Tensor::set_storage(StoragePtr storage, int64_t offset, Sizes sizes, Sizes strides) {
  set_geometry(offset, sizes, strides);
  if (storage) {
    dtype_ = storage->dtype;
    device_ = storage->device;
  }
  storage_ = std::move(storage);
}

bool bounds_overlap(const Tensor& a, const Tensor& b) {
  if (a.numel() == 0 || b.numel() == 0) return false;
  const auto end = [](const Tensor& t) {
    int64_t last = 0;
    for (int i = 0; i < t.dim(); ++i) last += (t.size(i) - 1) * t.stride(i);
    return t.bytes() + (last + 1) * size_of(t.dtype());
  };
  return a.bytes() < end(b) && b.bytes() < end(a);
}

}  // namespace mt
