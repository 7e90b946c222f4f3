#include "engine/core/device_kind.h"

#include <atomic>
#include <cctype>

#include "engine/core/device.h"
#include "engine/core/mutex.h"

namespace mt {
namespace {

struct Kinds {
  ThreadMutex lock;  // for additions; entries never change
  std::atomic<int> count{1};
  std::string names[max_kinds], prefixes[max_kinds];
  std::atomic<KindId> of_device[max_devices] = {};
};

Kinds& kinds() {
  static Kinds all;
  return all;
}

bool is_of(std::string_view device, std::string_view kind) {
  return device == kind || (device.size() > kind.size() && device.starts_with(kind) && device[kind.size()] == ':');
}

KindId number_of(Kinds& all, std::string_view kind) {
  const int known = all.count.load();
  for (int i = 1; i < known; ++i) {
    if (all.names[i] == kind) return static_cast<KindId>(i);
  }
  if (known == max_kinds) fail("device", "kind", kind, ", there are ", known - 1, " kinds already");
  all.names[known] = all.prefixes[known] = kind;
  all.prefixes[known][0] = static_cast<char>(std::toupper(static_cast<unsigned char>(kind[0])));
  all.count.store(known + 1);
  return static_cast<KindId>(known);
}

}  // namespace

KindId add_kind(std::string_view kind) {
  if (kind.empty()) fail("device", "kind", "an empty name");
  Kinds& all = kinds();
  const std::lock_guard guard(all.lock);
  const KindId number = number_of(all, kind);
  for (int id = 0; id < device_count(); ++id) {
    if (is_of(device_name(static_cast<DeviceId>(id)), kind)) all.of_device[id].store(number);
  }
  return number;
}

int kind_count() { return kinds().count.load(); }

std::string_view kind_name(KindId kind) {
  MT_ASSERT(kind < kind_count());
  return kinds().names[kind];
}

std::string_view type_prefix(KindId kind) {
  MT_ASSERT(kind < kind_count());
  return kinds().prefixes[kind];
}

KindId kind_of_other(DeviceId id) { return id < max_devices ? kinds().of_device[id].load(std::memory_order_relaxed) : plain_kind; }

DeviceId current_device(KindId kind) { return kind == plain_kind ? cpu_device : find_device("device", "name", kind_name(kind)); }

std::optional<TensorType> find_tensor_type(std::string_view name) {
  if (const std::optional<DType> dtype = find_dtype(name)) return TensorType{*dtype, plain_kind};
  if (name.starts_with("torch.")) name.remove_prefix(6);
  for (int i = 1; i < kind_count(); ++i) {
    const auto kind = static_cast<KindId>(i);
    const std::string_view prefix = type_prefix(kind);
    if (!name.starts_with(prefix)) continue;
    const std::string_view element = name.substr(prefix.size());
    if (element.empty() || element == "Tensor") return TensorType{DType::float32, kind};
    if (const std::optional<DType> dtype = find_dtype(element)) return TensorType{*dtype, kind};
  }
  return std::nullopt;
}

void append_type(std::string& text, DType dtype, KindId kind, std::string_view of) {
  text.append("torch.").append(type_prefix(kind));
  if (kind == plain_kind || dtype != DType::float32) text.append(info(dtype).torch);
  text.append(of);
}

}  // namespace mt
