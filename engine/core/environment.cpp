#include "engine/core/environment.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace mt {
namespace {

// Earlier names, which work until version 9.
struct Renamed {
  std::string_view name;
  const char* old;
};
constexpr Renamed renamed[] = {{"MOONTORCH_CUDA_SYNC", "MT_CUDA_SYNC"}, {"MOONTORCH_EMULATED_DNN", "MT_EMULATED_DNN"}};

// The copies of the environment. They live as long as this library, because another thread may still read one. There is one for each use of
// WithVariable.
struct Copies {
  struct Copy {
    std::string variable;
    std::vector<char*> list;
    bool replaced = false;  // the former environment is back, and no setenv has derived another one from this copy
  };
  std::mutex mutex;
  std::vector<Copy*> all;
};

// When the library is unloaded, frees the copies that were replaced; another environment may share strings with the others.
struct KeptCopies {
  Copies* const kept = new Copies;

  ~KeptCopies() {
    std::erase_if(kept->all, [](const Copies::Copy* copy) {
      const bool replaced = copy->replaced;
      if (replaced) delete copy;
      return replaced;
    });
    if (kept->all.empty()) delete kept;
  }
};

Copies& copies() {
  static const KeptCopies held;
  return *held.kept;
}

std::atomic_ref<char**> current() { return std::atomic_ref<char**>(environ); }

}  // namespace

const char* own_variable(const char* name) {
  if (const char* value = std::getenv(name)) return value;
  for (const Renamed& row : renamed) {
    if (row.name == name) return std::getenv(row.old);
  }
  return nullptr;
}

WithVariable::WithVariable(const char* name, const char* value) : before_(current().load(std::memory_order_acquire)) {
  auto* copy = new Copies::Copy{std::string(name) + "=" + value, {}};
  copy->list.push_back(copy->variable.data());
  for (char** entry = before_; entry != nullptr && *entry != nullptr; ++entry) copy->list.push_back(*entry);
  copy->list.push_back(nullptr);
  {
    const std::lock_guard lock(copies().mutex);
    copies().all.push_back(copy);
  }
  copy_ = copy->list.data();
  current().store(copy_, std::memory_order_release);
}

// Restores the former environment, unless setenv has replaced it in the meantime.
WithVariable::~WithVariable() {
  char** mine = copy_;
  if (!current().compare_exchange_strong(mine, before_, std::memory_order_acq_rel)) return;
  const std::lock_guard lock(copies().mutex);
  for (Copies::Copy* copy : copies().all) copy->replaced = copy->replaced || copy->list.data() == copy_;
}

}  // namespace mt
