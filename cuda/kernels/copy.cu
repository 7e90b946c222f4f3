#include "cuda/kernels/copy.h"

#include "cuda/launch.h"
#include "cuda/layout.h"
#include "cuda/value.h"

namespace mt::cuda {
namespace {

template <class To, class From, class Index> struct CopyKernel {
  Layout<2, Index> layout;
  std::byte* to;
  const std::byte* from;
  Index n;
  MT_DEVICE void at(Index i) const {
    int64_t offsets[2];
    layout.find(i, offsets);
    *reinterpret_cast<To*>(to + offsets[0]) = converted<To>(*reinterpret_cast<const From*>(from + offsets[1]));
  }
  MT_DEVICE void operator()(Thread& t) const {
    for (Index i = static_cast<Index>(t.global_index()); i < n; i += static_cast<Index>(t.global_threads())) at(i);
  }
};

// Contiguous elements on both sides.
template <class To, class From> struct ConvertKernel {
  static constexpr int width = pack_size<std::conditional_t<(sizeof(To) > sizeof(From)), To, From>>;
  To* to;
  const From* from;
  int64_t n;
  bool packed;
  MT_DEVICE void operator()(Thread& t) const {
    const int64_t packs = packed ? n / width : 0;
    for (int64_t i = t.global_index(); i < packs; i += t.global_threads()) {
      const Pack<From, width> in = load_pack<width>(from + i * width);
      Pack<To, width> out;
      for (int j = 0; j < width; ++j) out.at[j] = converted<To>(in.at[j]);
      store_pack(to + i * width, out);
    }
    for (int64_t i = packs * width + t.global_index(); i < n; i += t.global_threads()) to[i] = converted<To>(from[i]);
  }
};

template <class To, class From> void convert(Stream stream, const Tensor& dst, const Tensor& src) {
  ConvertKernel<To, From> kernel{elements<To>(dst), elements<From>(src), dst.numel(), false};
  kernel.packed = is_pack_aligned<kernel.width>(kernel.to) && is_pack_aligned<kernel.width>(kernel.from);
  launch_each(stream, kernel.packed ? kernel.n / kernel.width + kernel.n % kernel.width : kernel.n, kernel);
}

template <class To, class From> void copy_strided(Stream stream, const Geometry& g) {
  const auto run = [&]<class Index>(Index n) {
    launch_each(stream, g.numel(), CopyKernel<To, From, Index>{Layout<2, Index>(g), reachable(g.data(0)), reachable(g.data(1)), n});
  };
  if (g.numel() < least_wide)
    run(static_cast<uint32_t>(g.numel()));
  else
    run(g.numel());
}

// Both have the same sizes, or are contiguous with the same number of elements.
template <class To, class From> void copy_as(Stream stream, const Tensor& dst, const Tensor& src) {
  if (dst.is_contiguous() && src.is_contiguous()) return convert<To, From>(stream, dst, src);
  Geometry g(dst.sizes());
  g.add(dst);
  g.add(src);
  g.collapse();
  copy_strided<To, From>(stream, g);
}

template <class T, class Index> struct FillKernel {
  Layout<1, Index> layout;
  std::byte* to;
  T element;
  Index n;
  MT_DEVICE void operator()(Thread& t) const {
    for (Index i = static_cast<Index>(t.global_index()); i < n; i += static_cast<Index>(t.global_threads())) {
      int64_t offsets[1];
      layout.find(i, offsets);
      *reinterpret_cast<T*>(to + offsets[0]) = element;
    }
  }
};

Tensor seen_as(const Tensor& t, Sizes sizes) {
  Tensor view = t;
  Shape strides(sizes);
  contiguous_strides(sizes, &strides[0]);
  view.set_geometry(t.offset(), sizes, strides);
  return view;
}

}  // namespace

void copy_elements(const Tensor& dst, const Tensor& src) {
  if (dst.numel() == 0) return;
  const Stream stream = stream_of(dst);
  if (!dst.same_sizes(src)) {  // in logical order: view one side with the sizes of the other
    if (src.is_contiguous()) return copy_elements(dst, seen_as(src, dst.sizes()));
    if (dst.is_contiguous()) return copy_elements(seen_as(dst, src.sizes()), src);
    const Tensor row_major = Tensor::empty(src.dtype(), src.sizes(), src.device());
    copy_elements(row_major, src);
    return copy_elements(dst, seen_as(row_major, dst.sizes()));
  }
  if (dst.dtype() == src.dtype()) {
    if (dst.is_contiguous() && src.is_contiguous())
      return driver::copy_within(stream, dst.bytes(), src.bytes(), static_cast<size_t>(dst.numel() * size_of(dst.dtype())));
    return by_width(dst.dtype(), [&]<class Bits>(Bits) { copy_as<Bits, Bits>(stream, dst, src); });
  }
  dispatch<arithmetic_dtypes>(dst.dtype(), [&]<class To>(std::type_identity<To>) {
    dispatch<arithmetic_dtypes>(src.dtype(), [&]<class From>(std::type_identity<From>) {
      if constexpr (!converts<To, From>)
        refuse_conversion(src.dtype(), dst.dtype());
      else if constexpr (!std::is_same_v<To, From>)
        copy_as<To, From>(stream, dst, src);
    });
  });
}

void fill_elements(const Tensor& t, const ScalarValue& element) {
  if (t.numel() == 0) return;
  Geometry g(t.sizes());
  g.add(t);
  g.collapse();
  by_width(t.dtype(), [&]<class Bits>(Bits) {
    const auto run = [&]<class Index>(Index n) {
      launch_each(stream_of(t), g.numel(), FillKernel<Bits, Index>{Layout<1, Index>(g), reachable(g.data(0)), element.as<Bits>(), n});
    };
    if (g.numel() < least_wide)
      run(static_cast<uint32_t>(g.numel()));
    else
      run(g.numel());
  });
}

}  // namespace mt::cuda
