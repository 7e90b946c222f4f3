// Asynchronous checks of elements: the device records the first failure, and the next wait for the device raises its error.
#pragma once

#include <map>
#include <mutex>
#include <string_view>
#include <tuple>
#include <vector>

#include "cuda/kernels/check.h"
#include "engine/core/asynchronous.h"

namespace mt::cuda {

class DeferredChecks {
 public:
  explicit DeferredChecks(int device) : device_(device) {}

  // Enqueues a check on the stream; returns false if there is no free slot.
  bool make(const ElementCheck& check, Stream stream);
  // Raises the error of the first failed check, among those that are done.
  void report();

 private:
  static constexpr size_t most_streams = 256;
  using Words = std::string (*)(int64_t value, int64_t position, int64_t number);
  struct Kind {
    std::string_view op, argument;
    Words words;
    int64_t number;
    bool operator<(const Kind& other) const {
      const auto key = [](const Kind& k) { return std::tuple(k.op, k.argument, reinterpret_cast<uintptr_t>(k.words), k.number); };
      return key(*this) < key(other);
    }
  };

  void prepare();
  uint32_t number_of(const Kind& kind);
  CheckArea* area_of(Stream stream);

  const int device_;
  std::mutex lock_;
  CheckArea* areas_ = nullptr;  // on the device
  FailedCheck* failed_ = nullptr;
  std::map<void*, size_t> streams_;
  std::map<Kind, uint32_t> numbers_;
  std::vector<Kind> kinds_;
};

}  // namespace mt::cuda
