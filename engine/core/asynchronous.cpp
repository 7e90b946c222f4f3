#include "engine/core/asynchronous.h"

#include <atomic>

#include "engine/core/registry.h"

namespace mt {
namespace {

std::atomic<AsynchronousDevice*> devices[max_devices];

}  // namespace

void set_asynchronous(DeviceId id, AsynchronousDevice& device) { devices[id].store(&device); }
AsynchronousDevice* asynchronous(DeviceId id) { return devices[id].load(std::memory_order_relaxed); }

void expect_elements(const ElementCheck& check) {
  const Tensor& t = check.find.t;
  MT_ASSERT(!is_float(t.dtype()));
  if (t.numel() == 0) return;
  AsynchronousDevice* const later = asynchronous(t.device());
  if (later != nullptr && later->check_later(check)) return;
  const int64_t at = device(t.device()).find(check.find);
  if (at == not_found) return;
  const Tensor packed = contiguous(to_dtype(t, DType::int64));
  fail<Status::range>(check.op, check.argument, check.words(read_element(packed, packed.offset() + at).as<int64_t>(), at, check.number));
}

}  // namespace mt
