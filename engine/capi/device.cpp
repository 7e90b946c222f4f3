// Devices from other libraries: implements engine/core/device_host.h.
#include <dlfcn.h>

#include <array>
#include <mutex>
#include <string>

#include "engine/capi/handle.h"
#include "engine/core/collector.h"
#include "engine/core/device_host.h"
#include "engine/core/device_kind.h"
#include "engine/core/registry.h"
#include "engine/cpu/copy.h"

using mt::CopyFn;
using mt::Device;
using mt::DeviceId;
using mt::fail;
using mt::Kernel;
using mt::Registry;
using mt::Status;
using mt::capi::guard;
using mt::capi::take;

namespace {

constexpr const char* name = "mt_device_load";

class Host final : public mt::DeviceHost {
 public:
  DeviceId add(Device& device, CopyFn copy) override {
    mt::devices_were_loaded.store(true);
    return mt::add_device(device, copy);
  }
  void set_copy(DeviceId from, DeviceId to, CopyFn copy) override { mt::set_copy(from, to, copy); }
  void set_asynchronous(DeviceId id, mt::AsynchronousDevice& device) override { mt::set_asynchronous(id, device); }
  void set_fused_device(DeviceId id, mt::FusedDevice& device) override { mt::set_fused_device(id, device); }
  Device& device(DeviceId id) override { return mt::device(id); }
  CopyFn cpu_copy() override { return &mt::cpu::copy; }
  int op_count() override { return static_cast<int>(Registry::instance().ops().size()); }
  std::string_view op_name(int number) override {
    if (number < 0 || number >= op_count()) mt::fail<Status::range>("device", "op", number, ", expected 0..", op_count() - 1);
    return Registry::instance().ops()[static_cast<size_t>(number)].decl->name;
  }
  Kernel cpu_kernel(std::string_view op) override {
    const mt::Op* found = Registry::instance().find(op);
    if (found == nullptr) mt::fail("kernel", "op", op, ", expected the name of an op");
    return found->kernel;
  }
  void add_kernel(std::string_view op, DeviceId device, const Kernel& kernel) override {
    Registry::instance().add_kernel(op, device, kernel);
  }
  bool collect_garbage() override { return mt::collect_garbage(); }
  [[noreturn]] void fail(mt::Status status, std::string_view message) override { mt::raise(status, std::string(message)); }
};

template <class T> T* symbol(void* library, const char* path, const char* wanted) {
  void* found = dlsym(library, wanted);
  if (found == nullptr) fail<Status::file>(name, "path", path, " without ", wanted, ", expected a device's library");
  return reinterpret_cast<T*>(found);
}

void load(const char* path) {
  static std::mutex one_at_a_time;
  const std::lock_guard guard(one_at_a_time);
  Registry::instance();
  // The library is never closed, because its tensors may outlive everything else.
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    const char* reason = dlerror();
    fail<Status::file>(name, "path", reason != nullptr ? reason : path);
  }
  if (*symbol<const uint64_t>(library, path, "mt_device_abi") != mt::device_abi(mt_version())) {
    fail<Status::file>(name, "path", path, ", expected a device's library that was built for this Moontorch, ", mt_version());
  }
  static Host host;
  if (const char* refusal = symbol<const char*(mt::DeviceHost&)>(library, path, "mt_device_main")(host))
    fail<Status::unsupported>(name, path, refusal);
  if (void* kind = dlsym(library, "mt_device_kind")) mt::add_kind(static_cast<const char*>(kind));
}

}  // namespace

mt_status mt_device_load(const char* path) {
  return guard([&] { load(&take(path, name, "path")); });
}
