#include "engine/graph/fused/code.h"

namespace mt {

const MachineCode* FusedCode::find(uint64_t single, bool streams) const {
  int known = 0;
  const auto search = [&]() -> const Variant* {
    for (const int count = count_.load(std::memory_order_acquire); known < count; ++known) {
      const Variant& v = variants_[static_cast<size_t>(known)];
      if (v.single == single && v.streams == streams) return &v;
    }
    return nullptr;
  };
  if (const Variant* const v = search()) return v->code.get();
  if (known == most_variants) return nullptr;
  // Others need not wait: they run without. Nor does a child of a fork, whose lock may stay taken.
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return nullptr;
  if (const Variant* const v = search()) return v->code.get();
  if (known == most_variants) return nullptr;
  Variant& made = variants_[static_cast<size_t>(known)];
  made = {single, streams, MachineCode::make(trace_, stores_, single, streams)};
  count_.store(known + 1, std::memory_order_release);
  return made.code.get();
}

}  // namespace mt
