#include "cuda/fused/run.h"

#include <map>
#include <memory>
#include <mutex>
#include <tuple>

#include "cuda/fused/arguments.h"
#include "cuda/fused/compiler.h"
#include "cuda/fused/files.h"
#include "cuda/fused/source.h"
#include "cuda/fused/texts.h"
#include "cuda/launch.h"

namespace mt::cuda {
namespace {

// Identifies a program as long as the map holds the entry: its address isn't another program's before.
using ProgramKey = std::weak_ptr<const FusedProgram>;

struct Kernels {
  using Key = std::tuple<ProgramKey, FusedForm, std::string>;  // the last one: the compiler's identity
  struct Before {
    bool operator()(const Key& a, const Key& b) const {
      const auto &x = std::get<0>(a), &y = std::get<0>(b);
      if (x.owner_before(y) || y.owner_before(x)) return x.owner_before(y);
      return std::tie(std::get<1>(a), std::get<2>(a)) < std::tie(std::get<1>(b), std::get<2>(b));
    }
  };

  std::mutex lock;                          // of the maps
  std::mutex compiling;                     // one thread at a time compiles; the others run what is compiled
  std::map<Key, void*, Before> of_program;  // null: there is none
  std::map<std::string, void*> of_source;   // with the identity; kernels are never unloaded, as they may be running
  size_t next_clearing = 64;
  std::string log;
};

Kernels& kernels() {
  static auto& all = *new Kernels;  // never destroyed: other threads may run
  return all;
}

void* load_or_compile(const std::string& source, int device) {
  static const KernelFiles files = KernelFiles::of_user();
  const std::string key = compiler::identity(device) + " " + std::to_string(hash_of_texts()) + "\n" + source;
  if (const auto image = files.read(key)) {
    if (void* const kernel = compiler::load(*image, device); kernel != nullptr) {
      count(Count::read_kernel);
      return kernel;
    }
  }
  std::string log;
  const auto image = compiler::compile(source, device, log);
  void* const kernel = image ? compiler::load(*image, device) : nullptr;
  if (kernel == nullptr) {
    count(Count::refused_kernel);
    const std::lock_guard guard(kernels().lock);
    kernels().log = image ? "the driver refuses the kernel" : log;
    return nullptr;
  }
  count(Count::compiled_kernel);
  files.write(key, *image);
  return kernel;
}

// Programs that no longer exist are removed when the map has doubled.
void clear_expired(Kernels& all) {
  if (all.of_program.size() < all.next_clearing) return;
  std::erase_if(all.of_program, [](const auto& entry) { return std::get<0>(entry.first).expired(); });
  all.next_clearing = std::max<size_t>(64, all.of_program.size() * 2);
}

void* find_kernel(int device, const FusedLaunch& launch) {
  Kernels& all = kernels();
  const Kernels::Key key(launch.program, form_of(launch.operands), compiler::identity(device));
  const auto known = [&](void*& kernel) {
    const std::lock_guard guard(all.lock);
    const auto found = all.of_program.find(key);
    if (found != all.of_program.end()) kernel = found->second;
    return found != all.of_program.end();
  };
  void* kernel = nullptr;
  if (known(kernel)) return kernel;
  const std::lock_guard one_at_a_time(all.compiling);
  if (known(kernel)) return kernel;
  const std::string source = fused_source(*launch.program, std::get<1>(key)), named = std::get<2>(key) + "\n" + source;
  const auto same = all.of_source.find(named);
  kernel = same != all.of_source.end() ? same->second : all.of_source[named] = load_or_compile(source, device);
  const std::lock_guard guard(all.lock);
  clear_expired(all);
  return all.of_program[key] = kernel;
}

}  // namespace

bool prepare_fused(int device, const FusedLaunch& launch) {
  if (!has_source(*launch.program)) return false;
  if (compiler::identity(device).empty()) return compiler::has_interpreter;
  return find_kernel(device, launch) != nullptr;
}

void run_fused(int device, const FusedLaunch& launch) {
  const Stream stream = current_stream(device);
  count(Count::fused_launch);
  count(Count::launch);
  if (compiler::identity(device).empty()) return compiler::interpret(stream, launch);
  const FusedForm form = form_of(launch.operands);
  compiler::launch(stream, find_kernel(device, launch), blocks_for(stream, threads_for(launch, form)), block_threads,
                   fused_arguments(launch, form));
}

std::string last_fused_log() {
  const std::lock_guard guard(kernels().lock);
  return kernels().log;
}

}  // namespace mt::cuda
