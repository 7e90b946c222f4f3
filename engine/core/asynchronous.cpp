#include "engine/core/asynchronous.h"

#include <atomic>

#include "engine/core/registry.h"

namespace mt {
namespace {

std::atomic<AsynchronousDevice*> devices[max_devices + 1];  // the last one is pending_device

// A check as a plan. `op`, `argument` and `words` must outlive it.
class CheckPlan {
 public:
  explicit CheckPlan(const ElementCheck& check) : check_(check) {}
  const ElementCheck& check() const { return check_; }
  void visit(OperandVisitor& visitor) { check_.find.t.visit(visitor); }

 private:
  ElementCheck check_;
};

void run_check(const ElementCheck& check) {
  const Tensor& t = check.find.t;
  AsynchronousDevice* const later = asynchronous(t.device());
  if (later != nullptr && later->check_later(check)) return;
  const int64_t at = device(t.device()).find(check.find);
  if (at == not_found) return;
  const Tensor packed = contiguous(to_dtype(t, DType::int64));
  fail<Status::range>(check.op, check.argument, check.words(read_element(packed, packed.offset() + at).as<int64_t>(), at, check.number));
}

void run_plan(const CheckPlan& plan) { run_check(plan.check()); }

}  // namespace

void set_asynchronous(DeviceId id, AsynchronousDevice& device) { devices[id].store(&device); }
AsynchronousDevice* asynchronous(DeviceId id) { return devices[id].load(std::memory_order_relaxed); }

void expect_elements(const ElementCheck& check) {
  MT_ASSERT(!is_float(check.find.t.dtype()));
  if (check.find.t.numel() == 0) return;
  if (!is_recording()) [[likely]]
    return run_check(check);
  const CheckPlan plan(check);
  const RecordedStep step({}, cpu_device, kernel<&run_plan>(), {plan_type<CheckPlan>, &plan});
  run_check(check);
}

}  // namespace mt
