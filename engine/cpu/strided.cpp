// Loads all memory between the elements, too, which costs no more memory traffic, and selects elements in registers.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/strided.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times
#include <hwy/highway.h>

#include "engine/cpu/streaming-inl.h"
#include "engine/cpu/strided.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// The first of every `step` elements, as many as the vector has lanes.
template <int64_t step, class D> HWY_INLINE hn::Vec<D> first_of_each(D d, const hn::TFromD<D>* from) {
  if constexpr (step == 0) return hn::Set(d, *from);
  hn::Vec<D> first, other;
  if constexpr (step == 1)
    first = hn::LoadU(d, from);
  else if constexpr (step == 2)
    hn::LoadInterleaved2(d, from, first, other);
  else if constexpr (step == 3)
    hn::LoadInterleaved3(d, from, first, other, other);
  else
    hn::LoadInterleaved4(d, from, first, other, other, other);
  return first;
}

template <int64_t step, class W> void copy_every(W* to, const W* from, int64_t n, bool streams) {
  const hn::ScalableTag<W> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const bool streamed = streams && can_stream(d, to);
  int64_t i = 0;
  for (; i + lanes < n; i += lanes) {  // not the last vector: memory behind it may not be allocated
    if (streamed)
      hn::Stream(first_of_each<step>(d, from + step * i), d, to + i);
    else
      hn::StoreU(first_of_each<step>(d, from + step * i), d, to + i);
  }
  for (; i < n; ++i) to[i] = from[step * i];
}

template <int64_t step, class W> void copy_rows(std::byte* const* pointers, const Rows& rows, bool streams) {
  for (int64_t row = 0; row < rows.count; ++row) {
    copy_every<step>(reinterpret_cast<W*>(pointers[0] + row * rows.next[0]), reinterpret_cast<const W*>(pointers[1] + row * rows.next[1]),
                     rows.n, streams);
  }
  if (streams) hwy::FlushStream();
}

template <class W> void copy_elements(std::byte* const* pointers, const Rows& rows, bool streams) {
  switch (rows.strides[1] / static_cast<int64_t>(sizeof(W))) {
    case 0:
      return copy_rows<0, W>(pointers, rows, streams);
    case 1:
      return copy_rows<1, W>(pointers, rows, streams);
    case 2:
      return copy_rows<2, W>(pointers, rows, streams);
    case 3:
      return copy_rows<3, W>(pointers, rows, streams);
    default:
      return copy_rows<4, W>(pointers, rows, streams);
  }
}

void copy_some(std::byte* const* pointers, const Rows& rows, int width, bool streams) {
  switch (width) {
    case 1:
      return copy_elements<uint8_t>(pointers, rows, streams);
    case 2:
      return copy_elements<uint16_t>(pointers, rows, streams);
    case 4:
      return copy_elements<uint32_t>(pointers, rows, streams);
    default:
      return copy_elements<uint64_t>(pointers, rows, streams);
  }
}

}  // namespace
}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mt {

HWY_EXPORT(copy_some);

namespace cpu {

void copy_strided(std::byte* const* pointers, const Rows& rows, int width, bool streams) {
  HWY_DYNAMIC_DISPATCH(copy_some)(pointers, rows, width, streams);
}

}  // namespace cpu
}  // namespace mt
#endif
