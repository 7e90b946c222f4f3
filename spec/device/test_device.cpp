// A device that keeps the engine's seam true on machines without an accelerator: its kernels are the CPU's, and its memory may be touched
// by them alone. A second one, `bare`, has memory and no kernels; `other:1` and `other:2` are of a kind, whose types have names of their
// own.
#include <cstring>
#include <string_view>

#include "engine/core/device_host.h"
#include "engine/core/device_kind.h"
#include "spec/device/gated_memory.h"

namespace mt::test {
namespace {

GatedMemory& memory() {
  static GatedMemory one;
  return one;
}

DeviceHost* host = nullptr;

Device& cpu() { return host->device(cpu_device); }

class TestDevice final : public Device {
 public:
  explicit TestDevice(std::string_view name, std::string_view kind = {}) : name_(name), kind_(kind) {}

  std::string_view name() const override { return name_; }
  bool is_called(std::string_view name) const override { return name == name_ || (!kind_.empty() && name == kind_); }
  Allocator& allocator() override { return memory(); }
  void read(void* to, const void* from, size_t bytes) override {
    const GatedMemory::Open open(memory());
    std::memcpy(to, from, bytes);
  }
  void write(void* to, const void* from, size_t bytes) override {
    const GatedMemory::Open open(memory());
    std::memcpy(to, from, bytes);
  }
  void move(void* to, const void* from, size_t bytes) override {
    const GatedMemory::Open open(memory());
    std::memmove(to, from, bytes);
  }
  void clear(void* data, size_t bytes) override {
    const GatedMemory::Open open(memory());
    std::memset(data, 0, bytes);
  }
  void fill(const Tensor& t, const ScalarValue& element) override {
    const GatedMemory::Open open(memory());
    cpu().fill(t, element);
  }
  int64_t find(const FindPlan& plan) override {
    const GatedMemory::Open open(memory());
    return cpu().find(plan);
  }
  bool draws_by_counter() const override { return true; }
  void launch(std::string_view, const Kernel& kernel, const PlanRef& plan) override {
    const GatedMemory::Open open(memory());
    kernel.run(plan.plan, kernel.data);
  }

 private:
  std::string_view name_, kind_;
};

void copy(const Tensor& dst, const Tensor& src) {
  const GatedMemory::Open open(memory());
  host->cpu_copy()(dst, src);
}

}  // namespace
}  // namespace mt::test

extern "C" {

const uint64_t mt_device_abi = mt::device_abi(MT_VERSION);
const char mt_device_kind[] = "other";

const char* mt_device_main(mt::DeviceHost& engine) {
  using mt::test::TestDevice;
  mt::test::host = &engine;
  if (mt::test::memory().missing()) return "there are no addresses for its memory";
  static TestDevice gated("test"), bare("bare"), first("other:1", "other"), second("other:2", "other");
  engine.add(bare, &mt::test::copy);
  for (TestDevice* device : {&gated, &first, &second}) {
    const mt::DeviceId id = engine.add(*device, &mt::test::copy);
    for (int i = 0; i < engine.op_count(); ++i) {
      const std::string_view op = engine.op_name(i);
      const mt::Kernel kernel = engine.cpu_kernel(op);
      if (kernel.run != nullptr) engine.add_kernel(op, id, kernel);
    }
  }
  return nullptr;
}
}
