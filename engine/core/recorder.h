// Reports the steps of planning functions to the recorder of a call (engine/core/recording.h). A launch that is not recorded costs a load
// and a branch.
#pragma once

#include <atomic>
#include <string_view>

#include "engine/core/device_id.h"
#include "engine/core/kernel.h"
#include "engine/core/plan.h"

namespace mt {

class Recorder;

namespace detail {
inline std::atomic<int> recorder_count{0};
void record_host_read();
}  // namespace detail

inline bool is_recording() { return detail::recorder_count.load(std::memory_order_relaxed) != 0; }  // in any thread

// A step of a planning function: a kernel on the op's device, or, without an op, a function of core, which runs on the host for all
// devices. This thread's recorder, if there is one, adds the step. Everything during the lifetime of this object is part of the step.
class RecordedStep {
 public:
  RecordedStep(std::string_view op, DeviceId device, const Kernel& kernel, const PlanRef& plan);
  ~RecordedStep();
  RecordedStep(const RecordedStep&) = delete;
  RecordedStep& operator=(const RecordedStep&) = delete;

 private:
  Recorder* outer_;
};

// Tells this thread's recorder, if there is one, that the host reads elements: the next steps depend on them.
inline void record_host_read() {
  if (is_recording()) [[unlikely]]
    detail::record_host_read();
}

}  // namespace mt
