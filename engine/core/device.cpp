#include "engine/core/device.h"

#include <atomic>

#include "engine/core/copy_plan.h"
#include "engine/core/meta.h"
#include "engine/core/mutex.h"
#include "engine/core/recorder.h"
#include "engine/core/registry.h"

namespace mt {
namespace {

struct Devices {
  ThreadMutex lock;  // for additions; entries never change
  std::atomic<int> count{0};
  Device* list[max_devices] = {};
  std::atomic<CopyFn> copies[max_devices + 1][max_devices + 1] = {};  // [from][to]; the last one is pending_device
};

Devices& devices() {
  static Devices all;
  return all;
}

// Copies between devices without a copy function, through the host. Packs and converts the elements on the source device.
void copy_by_host(const Tensor& dst, const Tensor& src) {
  const Tensor packed = contiguous(to_dtype(src, dst.dtype()));
  const auto bytes = static_cast<size_t>(packed.numel()) * static_cast<size_t>(size_of(packed.dtype()));
  const bool direct = dst.is_contiguous();
  const Tensor there = direct ? dst : Tensor::empty(dst.dtype(), src.sizes(), dst.device());
  if (dst.device() == cpu_device) {
    device(src.device()).read(there.bytes(), packed.bytes(), bytes);
  } else if (src.device() == cpu_device) {
    device(dst.device()).write(there.bytes(), packed.bytes(), bytes);
  } else {
    copy_by_host(there, on_host(packed));
  }
  if (!direct) copy(dst, there);
}

// Whether a copy converts from or to a dtype for storage on a device of a plug-in, which has no code for that.
bool is_for_host(const Tensor& dst, const Tensor& src) {
  if (dst.dtype() == src.dtype() || (!storage_dtypes.contains(dst.dtype()) && !storage_dtypes.contains(src.dtype()))) return false;
  const auto is_plugged = [](DeviceId id) { return id != cpu_device && id != meta_device && id != pending_device; };
  return is_plugged(dst.device()) || is_plugged(src.device());
}

void copy_elements(const Tensor& dst, const Tensor& src) {
  if (is_for_host(dst, src)) [[unlikely]]
    return copy_elements(dst, src.device() == cpu_device ? to_dtype(src, dst.dtype()) : on_host(src));
  CopyFn known = devices().copies[src.device()][dst.device()].load(std::memory_order_relaxed);
  if (known == nullptr) [[unlikely]] {
    if (src.device() == pending_device || dst.device() == pending_device) pending().read(nullptr, nullptr, 0);  // raises its error
    device_count();
    known = devices().copies[src.device()][dst.device()].load(std::memory_order_relaxed);
    if (known == nullptr) known = &copy_by_host;
  }
  known(dst, src);
}

// Plans for the fills and writes of planning functions, which like copies are not ops.
struct FillPlan {
  Operand t;
  ScalarValue element;
};
struct WritePlan {
  Operand t;
  int64_t at;  // elements from the first one of t
  ScalarValue element;
};

void run_copy(const CopyPlan& plan) { copy_elements(plan.dst, plan.src); }
void run_fill(const FillPlan& plan) { device(plan.t.device()).fill(plan.t, plan.element); }

void write_bytes(const Tensor& t, int64_t offset, const ScalarValue& element) {
  const int size = size_of(t.dtype());
  std::byte* at = t.storage()->data + offset * size;
  if (t.device() == cpu_device)
    std::memcpy(at, element.bytes, static_cast<size_t>(size));
  else
    device(t.device()).write(at, element.bytes, static_cast<size_t>(size));
}
void run_write(const WritePlan& plan) { write_bytes(plan.t, plan.t.offset() + plan.at, plan.element); }

// Runs a plan, and reports it to the thread's recorder as a launch.
template <auto run, class Plan> void recorded(const Plan& plan) {
  const RecordedStep step({}, cpu_device, kernel<run>(), {plan_type<Plan>, &plan});
  run(plan);
}

}  // namespace

DeviceId add_device(Device& added, CopyFn copy) {
  Devices& all = devices();
  const std::lock_guard guard(all.lock);
  const int id = all.count.load();
  for (int i = 0; i < id; ++i) {
    if (all.list[i]->name() == added.name()) fail("device", "name", added.name(), ", expected a name that no other device has");
  }
  if (id == max_devices) fail("device", "name", added.name(), ", there are ", id, " devices already");
  all.list[id] = &added;
  all.copies[id][id] = copy;
  all.count.store(id + 1);
  return static_cast<DeviceId>(id);
}

void set_copy(DeviceId from, DeviceId to, CopyFn copy) { devices().copies[from][to] = copy; }

int device_count() {
  Registry::instance();  // adds the devices of this build
  return devices().count.load();
}

Device& device(DeviceId id) {
  if (id == pending_device) return pending();
  MT_ASSERT(id < device_count());
  return *devices().list[id];
}

std::optional<DeviceId> device_called(std::string_view name) {
  for (int i = 0; i < device_count(); ++i) {
    if (devices().list[i]->is_called(name)) return static_cast<DeviceId>(i);
  }
  return std::nullopt;
}

std::string device_names() {
  std::string names;
  for (int i = 0; i < device_count(); ++i) names.append(i == 0 ? "" : ", ").append(devices().list[i]->name());
  return names;
}

DeviceId find_device(std::string_view op, std::string_view argument, std::string_view name) {
  if (const std::optional<DeviceId> known = device_called(name)) return *known;
  fail(op, argument, name, ", expected a device: one of ", device_names());
}

const Kernel& copy_kernel() {
  static constexpr Kernel copying = kernel<&run_copy>();
  return copying;
}

void copy(const Tensor& dst, const Tensor& src) {
  MT_ASSERT(dst.numel() == src.numel());
  if (dst.numel() == 0) return;
  if (is_recording()) [[unlikely]]
    return recorded<&run_copy>(CopyPlan{dst, src});
  copy_elements(dst, src);
}

void trim_devices() {
  for (int i = 0; i < device_count(); ++i) devices().list[i]->allocator().trim();
}

void fill(const Tensor& t, const ScalarValue& element) {
  if (t.numel() == 0) return;
  if (is_recording()) [[unlikely]]
    return recorded<&run_fill>(FillPlan{t, element});
  device(t.device()).fill(t, element);
}

int64_t find_outside(const Tensor& t, int64_t low, int64_t high, int64_t besides) {
  record_host_read();
  MT_ASSERT(!is_float(t.dtype()));
  return t.numel() == 0 ? not_found : device(t.device()).find({t, low, high, besides, false});
}

int64_t find_value(const Tensor& t, int64_t value) {
  record_host_read();
  MT_ASSERT(!is_float(t.dtype()));
  return t.numel() == 0 ? not_found : device(t.device()).find({t, value, value, value, true});
}

ScalarValue read_element(const Storage& storage, int64_t offset) {
  record_host_read();
  ScalarValue element;
  const int size = size_of(storage.dtype);
  const std::byte* at = storage.data + offset * size;
  if (storage.device == cpu_device)
    std::memcpy(element.bytes, at, static_cast<size_t>(size));
  else
    device(storage.device).read(element.bytes, at, static_cast<size_t>(size));
  return element;
}

void write_element(const Tensor& t, int64_t offset, const ScalarValue& element) {
  if (is_recording()) [[unlikely]]
    return recorded<&run_write>(WritePlan{t, offset - t.offset(), element});
  write_bytes(t, offset, element);
}

Tensor to_device(const Tensor& x, DeviceId to) {
  if (x.device() == to) return x;
  Tensor y = Tensor::empty(x.dtype(), x.sizes(), to);
  copy(y, x);
  return y;
}

}  // namespace mt
