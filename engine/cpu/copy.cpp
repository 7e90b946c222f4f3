#include "engine/cpu/copy.h"

#include <algorithm>
#include <cstring>

#include "engine/core/image_layout.h"
#include "engine/core/registry.h"
#include "engine/cpu/convert.h"
#include "engine/cpu/iterate.h"
#include "engine/cpu/streaming.h"
#include "engine/cpu/strided.h"
#include "engine/cpu/transpose.h"

namespace mt::cpu {
namespace {

// Converts n floats or doubles to integers. Blocks of numbers that fit 32 bits use vectors; others go through 64 bits, so that they wrap.
template <class To, class From> void truncate_run(To* to, const From* from, int64_t n) {
  constexpr int64_t block = 64;
  constexpr From limit = 2147483648.0;
  for (int64_t done = 0; done < n; done += block) {
    const int64_t m = std::min(block, n - done);
    int outside = 0;
    for (int64_t i = done; i < done + m; ++i) outside += !(from[i] > -limit && from[i] < limit);
    if (outside == 0) {
      for (int64_t i = done; i < done + m; ++i) to[i] = static_cast<To>(static_cast<int32_t>(from[i]));
    } else {
      for (int64_t i = done; i < done + m; ++i) to[i] = convert_element<To>(from[i]);
    }
  }
}

constexpr int64_t convert_block = 256;

// Converts n contiguous elements. 16-bit floats go through float32, which represents all of their values.
template <class To, class From> void convert_packed(To* to, const From* from, int64_t n) {
  if constexpr (is_16bit_float<From> && std::is_same_v<To, float>) {
    widen(to, from, n);
  } else if constexpr (is_16bit_float<To> && std::is_same_v<From, float>) {
    narrow(to, from, n);
  } else if constexpr (is_16bit_float<From> || is_16bit_float<To>) {
    float floats[convert_block];
    for (int64_t done = 0; done < n; done += convert_block) {
      const int64_t m = std::min(convert_block, n - done);
      convert_packed(floats, from + done, m);
      convert_packed(to + done, static_cast<const float*>(floats), m);
    }
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To> && !std::is_same_v<To, bool>) {
    truncate_run(to, from, n);
  } else if constexpr (requires { convert(to, from, n); }) {
    convert(to, from, n);
  } else {
    for (int64_t i = 0; i < n; ++i) to[i] = convert_element<To>(from[i]);
  }
}

template <class To, class From> void convert_run(std::byte* const* p, const int64_t* strides, int64_t n) {
  const bool packed_to = strides[0] == sizeof(To), packed_from = strides[1] == sizeof(From);
  if (packed_to && packed_from) return convert_packed(reinterpret_cast<To*>(p[0]), reinterpret_cast<const From*>(p[1]), n);
  if constexpr (is_16bit_float<To> || is_16bit_float<From>) {
    From taken[convert_block];
    To made[convert_block];
    for (int64_t done = 0; done < n; done += convert_block) {
      const int64_t m = std::min(convert_block, n - done);
      const std::byte* from = p[1] + done * strides[1];
      std::byte* to = p[0] + done * strides[0];
      for (int64_t i = 0; i < (packed_from ? 0 : m); ++i) taken[i] = *reinterpret_cast<const From*>(from + i * strides[1]);
      convert_packed(packed_to ? reinterpret_cast<To*>(to) : made, packed_from ? reinterpret_cast<const From*>(from) : taken, m);
      for (int64_t i = 0; i < (packed_to ? 0 : m); ++i) *reinterpret_cast<To*>(to + i * strides[0]) = made[i];
    }
  } else {
    for (int64_t i = 0; i < n; ++i) {
      *reinterpret_cast<To*>(p[0] + i * strides[0]) = convert_element<To>(*reinterpret_cast<const From*>(p[1] + i * strides[1]));
    }
  }
}

// Copies rows of 16 to 128 bytes, for which a call of memcpy takes longer than the copy: by blocks, of which the last one may overlap its
// neighbour.
constexpr int64_t block_bytes = 16, most_short_bytes = 8 * block_bytes;

void move_short_rows(std::byte* const* p, const Rows& rows, int64_t bytes) {
  std::byte *to = p[0], *from = p[1];
  for (int64_t row = 0; row < rows.count; ++row, to += rows.next[0], from += rows.next[1]) {
    for (int64_t at = 0; at < bytes - block_bytes; at += block_bytes) std::memcpy(to + at, from + at, block_bytes);
    std::memcpy(to + bytes - block_bytes, from + bytes - block_bytes, block_bytes);
  }
}

// W: a plain type as wide as the element; copies bits of any dtype.
template <class W> void move_rows(std::byte* const* p, const Rows& rows, bool large) {
  constexpr int64_t width = sizeof(W);
  const int64_t to_step = rows.strides[0], from_step = rows.strides[1], bytes = rows.n * width;
  const bool packed = to_step == width, streams = large && bytes >= least_streamed_run;
  if (packed && from_step == width && !streams) {
    if (rows.count > 1 && bytes >= block_bytes && bytes <= most_short_bytes) return move_short_rows(p, rows, bytes);
    for (int64_t row = 0; row < rows.count; ++row)
      std::memcpy(p[0] + row * rows.next[0], p[1] + row * rows.next[1], static_cast<size_t>(bytes));
  } else if (has_vectors<W> && packed && from_step >= 0 && from_step <= most_apart * width && from_step % width == 0) {
    copy_strided(p, rows, sizeof(W), streams);
  } else {
    for (int64_t row = 0; row < rows.count; ++row) {
      std::byte *to = p[0] + row * rows.next[0], *from = p[1] + row * rows.next[1];
      for (int64_t i = 0; i < rows.n; ++i) *reinterpret_cast<W*>(to + i * to_step) = *reinterpret_cast<const W*>(from + i * from_step);
    }
  }
}

// Copies if the source is contiguous along another dimension than the result, else returns false. The two dimensions are rows and columns
// of matrices, one matrix for each element of the other dimensions.
bool transpose_copy(const Geometry& it, int width, bool streams) {
  const int last = it.dim() - 1;
  int other = last - 1;
  while (other >= 0 && it.stride(1, other) != width) --other;
  constexpr int64_t least = 8;
  if (other < 0 || it.stride(0, last) != width || it.stride(1, last) == width || it.size(other) < least || it.size(last) < least)
    return false;
  const int64_t matrix = it.size(other) * it.size(last), matrices = it.numel() / matrix;
  const auto run_some = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      std::byte *to = it.data(0), *from = it.data(1);
      for (int64_t d = last - 1, rest = i; d >= 0; --d) {
        if (d == other) continue;
        const int axis = static_cast<int>(d);
        to += rest % it.size(axis) * it.stride(0, axis);
        from += rest % it.size(axis) * it.stride(1, axis);
        rest /= it.size(axis);
      }
      transpose({to, it.stride(0, other), from, it.stride(1, last), it.size(other), it.size(last), width, streams});
    }
  };
  if (matrices < num_threads())
    run_some(0, matrices);  // each is divided among threads
  else
    parallel_for(matrices, std::max<int64_t>(1, pointwise_grain / matrix), run_some);
  return true;
}

// in_order: in one thread, so that the last write to an element stays.
template <class F> void run_rows(const Geometry& it, bool in_order, F&& inner) {
  in_order ? iterate_rows(it, 0, it.numel(), inner) : parallel_iterate_rows(it, inner);
}

template <class W> void move(const Geometry& it, bool in_order) {
  // A result that overlaps itself has fewer elements in memory than the product of its sizes.
  const bool streams = has_vectors<W> && !in_order && outgrows_caches(it.numel(), sizeof(W));
  if (!has_vectors<W> || in_order || !transpose_copy(it, sizeof(W), streams))
    run_rows(it, in_order, [=](std::byte** p, const Rows& rows) { move_rows<W>(p, rows, streams); });
}

// Whether a conversion has a loop: between dtypes with arithmetic, and between a dtype for storage and the dtypes through which it goes.
template <class To, class From> constexpr bool converts_directly() {
  constexpr bool to_stored = storage_dtypes.contains(dtype_of<To>), from_stored = storage_dtypes.contains(dtype_of<From>);
  if constexpr (std::is_same_v<To, From> || (to_stored && from_stored)) return false;
  if constexpr (!to_stored && !from_stored) return true;
  using Stored = std::conditional_t<to_stored, To, From>;
  using Other = std::conditional_t<to_stored, From, To>;
  if constexpr (!std::is_same_v<Compute<Stored>, Stored>) return std::is_same_v<Compute<Stored>, Other>;
  return std::is_same_v<Other, int64_t> || std::is_same_v<Other, float> || std::is_same_v<Other, double>;
}

template <class To, class From> void convert_rows(std::byte* const* p, const Rows& rows) {
  const int64_t strides[] = {rows.strides[0], rows.strides[1]}, next[] = {rows.next[0], rows.next[1]};
  for (int64_t row = 0; row < rows.count; ++row) {
    std::byte* const at[] = {p[0] + row * next[0], p[1] + row * next[1]};
    convert_run<To, From>(at, strides, rows.n);
  }
}

using ConvertFn = void (*)(std::byte* const* p, const Rows& rows);

ConvertFn conversion(DType to, DType from) {
  ConvertFn found = nullptr;
  dispatch<all_dtypes>(to, [&]<class To>(std::type_identity<To>) {
    dispatch<all_dtypes>(from, [&]<class From>(std::type_identity<From>) {
      if constexpr (!converts<To, From>)
        refuse_conversion(dtype_of<From>, dtype_of<To>);
      else if constexpr (converts_directly<To, From>())
        found = &convert_rows<To, From>;
    });
  });
  return found;
}

// The dtype through which elements of a dtype for storage are converted from or to another dtype.
DType between(DType stored, DType other) {
  const DType computed = compute_of(stored);
  if (computed != stored) return computed;
  if (kind_of(other) != NumberKind::real) return DType::int64;
  return other == DType::float64 ? DType::float64 : DType::float32;
}

// The conversions of a copy, one after another.
class Conversion {
 public:
  Conversion(DType to, DType from) {
    if (storage_dtypes.contains(from)) from = add(between(from, to), from);
    const DType last = storage_dtypes.contains(to) ? between(to, from) : to;
    if (from != last) from = add(last, from);
    if (from != to) add(to, from);
  }

  void run(std::byte* const* p, const Rows& rows) const {
    if (count_ == 1) return steps_[0].run(p, rows);
    for (int64_t row = 0; row < rows.count; ++row) {
      std::byte* const at[] = {p[0] + row * rows.next[0], p[1] + row * rows.next[1]};
      run_steps(at, rows.strides, rows.n);
    }
  }

 private:
  struct Step {
    ConvertFn run;
    int64_t width;  // of the result
  };

  DType add(DType to, DType from) {
    steps_[count_++] = {conversion(to, from), size_of(to)};
    return to;
  }

  void run_steps(std::byte* const* p, const int64_t* strides, int64_t n) const {
    constexpr int64_t widest = 8;
    alignas(64) std::byte buffers[most_steps - 1][convert_block * widest];
    for (int64_t done = 0; done < n; done += convert_block) {
      std::byte* from = p[1] + done * strides[1];
      int64_t stride = strides[1];
      for (int k = 0; k < count_; ++k) {
        const bool is_last = k == count_ - 1;
        std::byte* const at[] = {is_last ? p[0] + done * strides[0] : buffers[k], from};
        const int64_t step[] = {is_last ? strides[0] : steps_[k].width, stride};
        steps_[k].run(at, {std::min(convert_block, n - done), 1, step, step});
        from = at[0];
        stride = step[0];
      }
    }
  }

  static constexpr int most_steps = 3;
  Step steps_[most_steps];
  int count_ = 0;
};

}  // namespace

void copy(const Tensor& dst, const Tensor& src) {
  MT_ASSERT(dst.numel() == src.numel());
  if (dst.numel() == 0) return;
  if (!std::ranges::equal(dst.sizes(), src.sizes())) {
    // Elements pair up in logical order: the contiguous tensor is viewed with the other's shape.
    if (!src.is_contiguous() && !dst.is_contiguous()) {
      cpu::copy(dst, contiguous(src));
      return;
    }
    Tensor flat = src.is_contiguous() ? src : dst;
    const Tensor& other = src.is_contiguous() ? dst : src;
    Shape strides(other.sizes());
    contiguous_strides(other.sizes(), &strides[0]);
    flat.set_geometry(flat.offset(), other.sizes(), strides);
    src.is_contiguous() ? cpu::copy(dst, flat) : cpu::copy(flat, src);
    return;
  }
  Geometry it(dst.sizes());
  it.add(dst);
  it.add(src);
  const bool in_order = dst.overlaps_itself();
  it.collapse(in_order);
  if (dst.dtype() == src.dtype()) return by_width(dst.dtype(), [&]<class W>(W) { move<W>(it, in_order); });
  const Conversion conversion(dst.dtype(), src.dtype());
  run_rows(it, in_order, [&](std::byte** p, const Rows& rows) { conversion.run(p, rows); });
}

void fill(const Tensor& t, const ScalarValue& element) {
  const int64_t n = t.numel();
  const int width = size_of(t.dtype());
  constexpr int64_t few = 512;  // faster than setting up a loop over the geometry
  if (n <= few && t.is_contiguous()) {
    by_width(width, [&]<class W>(W) { std::fill_n(t.data<W>(), n, element.as<W>()); });
    return;
  }
  if (n <= few && t.dim() == 1) {
    by_width(width, [to = t.bytes(), n, step = t.stride(0) * width, &element]<class W>(W) {
      const W one = element.as<W>();
      for (int64_t i = 0; i < n; ++i) *reinterpret_cast<W*>(to + i * step) = one;
    });
    return;
  }
  constexpr int64_t most_cleared = int64_t{1} << 17;  // at 4 MB memset takes 1.25 times as long as the loop, and has no streaming stores
  const bool zero = std::all_of(element.bytes, element.bytes + width, [](std::byte b) { return b == std::byte{}; });
  if (zero && n * width <= most_cleared && lies_without_gaps(t)) {
    std::memset(t.bytes(), 0, static_cast<size_t>(n * width));
    return;
  }
  ScalarValue one = element;
  Geometry it(t.sizes());
  it.add(t);
  it.add_scalar(one);
  const bool in_order = t.overlaps_itself();
  it.collapse(in_order);
  by_width(width, [&]<class W>(W) { move<W>(it, in_order); });
}

}  // namespace mt::cpu
