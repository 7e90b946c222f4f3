// CUDA graphs: work that is captured once and replayed, and its memory.
#pragma once

#include <optional>
#include <vector>

#include "cuda/runtime/driver.h"
#include "cuda/runtime/replays.h"

namespace mt::cuda {

class CapturedWork {
 public:
  explicit CapturedWork(int device);  // begins a capture on the thread's current stream
  CapturedWork(const CapturedWork&) = delete;
  CapturedWork& operator=(const CapturedWork&) = delete;
  ~CapturedWork();

  void end();
  void replay();  // on the thread's current stream
  bool is_captured() const { return graph_.handle != nullptr; }
  bool is_of(Stream stream) const { return graph_.handle == nullptr && stream == stream_; }
  int device() const { return stream_.device; }

 private:
  void stop() noexcept;

  const Stream stream_;
  const int pool_;
  std::optional<Replays> replays_;
  bool capturing_ = true;
  Graph graph_;
  std::vector<Stream> replayed_on_;
};

}  // namespace mt::cuda
