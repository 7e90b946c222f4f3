// Streaming stores: their alignment. Included once for each CPU instruction set: no include guard.

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <cstdint>

#include "engine/cpu/streaming.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

// Streaming stores require the alignment of a vector. A thread must call hwy::FlushStream() after them, before it reports that it is done.
template <class D> HWY_INLINE bool can_stream(D d, const hwy::HWY_NAMESPACE::TFromD<D>* to) {
  return reinterpret_cast<uintptr_t>(to) % (hwy::HWY_NAMESPACE::Lanes(d) * sizeof(*to)) == 0;
}

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
