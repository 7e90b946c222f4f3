#include "engine/core/image_layout.h"

#include "engine/core/registry.h"

namespace mt {
namespace {

Shape channels_last_strides(Sizes sizes) {
  Shape strides(sizes);
  strides[1] = 1;
  auto next = static_cast<uint64_t>(sizes[1]);  // may wrap around if another size is 0
  for (int d = strides.size() - 1; d > 1; --d) {
    strides[d] = static_cast<int64_t>(next);
    next *= static_cast<uint64_t>(sizes[static_cast<size_t>(d)]);
  }
  strides[0] = static_cast<int64_t>(next);
  return strides;
}

Tensor copy_as(const Tensor& x, DType dtype, ImageLayout layout) {
  Tensor y = empty_images(dtype, x.sizes(), layout, x.device());
  if (x.numel() > 0) copy(y, x);
  return y;
}

}  // namespace

ImageLayout layout_of(const Tensor& t) {
  const bool meant = t.storage() != nullptr && t.storage()->channels_last && (t.dim() == 4 || t.dim() == 5);
  return meant && std::ranges::equal(t.strides(), Sizes(channels_last_strides(t.sizes()))) ? ImageLayout::channels_last
                                                                                           : ImageLayout::channels_first;
}

bool lies_without_gaps(const Tensor& t) { return t.is_contiguous() || layout_of(t) == ImageLayout::channels_last; }

Tensor empty_images(DType dtype, Sizes sizes, ImageLayout layout, DeviceId device) {
  Tensor t = Tensor::empty(dtype, sizes, device);
  if (layout == ImageLayout::channels_first) return t;
  t.set_geometry(t.offset(), sizes, channels_last_strides(sizes));
  t.storage()->channels_last = true;
  return t;
}

Tensor with_layout(const Tensor& x, DType dtype, ImageLayout layout) {
  if (layout == ImageLayout::channels_first) return contiguous(to_dtype(x, dtype));
  if (x.dtype() == dtype && layout_of(x) == layout) return x;
  return copy_as(x, dtype, layout);
}

Tensor copy_alike(const Tensor& x, DType dtype) { return copy_as(x, dtype, layout_of(x)); }

}  // namespace mt
