#include "engine/core/meta.h"

namespace mt {
namespace {

// The address of all storages on meta, where no memory of 64-bit processors is mapped: plans compare addresses, and compute with them. A
// storage of at most half of all addresses does not end beyond the last one.
void* const nowhere = reinterpret_cast<void*>(uintptr_t{1} << (sizeof(uintptr_t) > 4 ? 40 : 30));

class MetaAllocator final : public Allocator {
 public:
  Memory allocate(size_t bytes) override { return {nowhere, bytes}; }
  void release(Memory) noexcept override {}
  void trim() override {}
};

class Elementless final : public Device {
 public:
  Elementless(std::string_view name, std::string_view refusal) : name_(name), refusal_(refusal) {}
  std::string_view name() const override { return name_; }
  Allocator& allocator() override { return allocator_; }
  void read(void*, const void*, size_t) override { fail(name_, "tensor", refusal_); }
  void write(void*, const void*, size_t) override {}
  void move(void*, const void*, size_t) override {}
  void clear(void*, size_t) override {}
  void fill(const Tensor&, const ScalarValue&) override {}
  int64_t find(const FindPlan&) override { return not_found; }
  void launch(std::string_view, const Kernel&, const PlanRef&) override {}

 private:
  const std::string_view name_, refusal_;
  MetaAllocator allocator_;
};

}  // namespace

Device& meta() {
  static Elementless device("meta", "it has sizes alone, and no elements to read");
  return device;
}

Device& pending() {
  static Elementless device("cpu", "its elements are not there: the op that computes them has failed, or has not run");
  return device;
}

void copy_nothing(const Tensor&, const Tensor&) {}

Tensor without_elements(const Tensor& x) {
  if (x.device() == meta_device) return x;
  Tensor y(x.dtype(), meta_device);
  if (x.storage() == nullptr) return y;
  auto storage = StoragePtr::adopt(Storage::create(x.storage()->dtype, x.storage()->size, meta_device));
  storage->channels_last = x.storage()->channels_last;
  y.set_storage(std::move(storage), x.offset(), x.sizes(), x.strides());
  y.interpret_as(x.dtype());
  return y;
}

}  // namespace mt
