// A map from addresses to numbers, reused for one message after another: begin() forgets all entries in constant time.
#pragma once

#include <cstdint>
#include <vector>

namespace mt::lua {

class Memo {
 public:
  static constexpr uint32_t none = UINT32_MAX;

  void begin() {
    if (slots_.empty()) slots_.resize(256);
    used_ = 0;
    if (++epoch_ == 0) {
      slots_.assign(slots_.size(), Slot{});
      epoch_ = 1;
    }
  }
  uint32_t find(const void* key) const {
    for (size_t at = place(key);; at = (at + 1) & (slots_.size() - 1)) {
      const Slot& slot = slots_[at];
      if (slot.epoch != epoch_) return none;
      if (slot.key == key) return slot.value;
    }
  }
  // The key must be new.
  void enter(const void* key, uint32_t value) {
    if (2 * ++used_ > slots_.size()) grow();
    put({key, epoch_, value});
  }
  void change(const void* key, uint32_t value) {
    for (size_t at = place(key);; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at].key == key && slots_[at].epoch == epoch_) {
        slots_[at].value = value;
        return;
      }
    }
  }

 private:
  struct Slot {
    const void* key = nullptr;
    uint32_t epoch = 0, value = 0;
  };
  size_t place(const void* key) const {
    const auto bits = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(key)) * 0x9e37'79b9'7f4a'7c15;
    return static_cast<size_t>(bits >> 32) & (slots_.size() - 1);
  }
  void put(const Slot& slot) {
    size_t at = place(slot.key);
    while (slots_[at].epoch == epoch_) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = slot;
  }
  void grow() {
    std::vector<Slot> former(2 * slots_.size());
    former.swap(slots_);
    for (const Slot& slot : former) {
      if (slot.epoch == epoch_) put(slot);
    }
  }

  std::vector<Slot> slots_;
  uint32_t epoch_ = 0;
  size_t used_ = 0;
};

}  // namespace mt::lua
