// The steps of plan functions, for the recorder of a call (engine/core/recording.h). A launch that is not recorded costs a load and a
// branch.
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
}

inline bool is_recording() { return detail::recorder_count.load(std::memory_order_relaxed) != 0; }  // on some thread

// A step of a plan function: a kernel that runs on the op's device, or, without an op, a function of core, which runs on the host for every
// device. This thread's recorder, if there is one, adds the step. What happens while this object lives is part of the step.
class RecordedStep {
 public:
  RecordedStep(std::string_view op, DeviceId device, const Kernel& kernel, const PlanRef& plan);
  ~RecordedStep();
  RecordedStep(const RecordedStep&) = delete;
  RecordedStep& operator=(const RecordedStep&) = delete;

 private:
  Recorder* outer_;
};

// Called where the host reads elements: what it does next depends on them.
void record_host_read();

}  // namespace mt
