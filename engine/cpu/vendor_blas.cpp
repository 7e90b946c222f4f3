#include "engine/cpu/vendor_blas.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/environment.h"
#include "engine/core/own_file.h"
#include "engine/core/parallel.h"
#include "engine/core/system_libraries.h"

namespace mt::cpu {
namespace {

struct Library {
  void* handle = nullptr;
  bool usable = false;
  BlasRoutines<float> single{};
  BlasRoutines<double> twice{};
};

#if defined(__x86_64__)
#define MT_MULTIARCH "x86_64-linux-gnu"
#elif defined(__aarch64__)
#define MT_MULTIARCH "aarch64-linux-gnu"
#else
#define MT_MULTIARCH "."
#endif
// After the one that was installed with us, OpenBLAS's OpenMP flavour: its pool is ours. Debian's alternative `libblas.so.3` may be any of
// them.
constexpr const char openblas_folder[] = "/usr/lib/" MT_MULTIARCH "/openblas-openmp/";
constexpr SystemLibrary openblas = system_library("openblas");

/// The folder of files that are installed for this library only.
std::string bundled_folder() {
  const std::string folder = own_folder();
  return folder.empty() ? openblas_folder : folder + "moontorch/";
}

/// OpenBLAS chooses kernels by the model of the processor. Version 0.3.21 uses Haswell's on AMD cores with AVX-512 that it doesn't know,
/// half the speed on Zen 5, and those for SSE3 on Intel's, a fifth of the speed on Emerald Rapids. Skylake-X's fit both; they are also
/// those of the later cores that it knows. All of Intel's cores with AVX2 alone have Haswell's.
const char* better_core_type() {
#if defined(__x86_64__)
  const bool is_intel = __builtin_cpu_is("intel");
  if (!is_intel && !__builtin_cpu_is("amd")) return nullptr;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd"))
    return "SkylakeX";
  if (is_intel && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "Haswell";
#endif
  return nullptr;
}

/// OpenBLAS allocates a buffer per processor when it is loaded, and one per calling thread; if that fails it retries forever (0.3.21). So
/// check for room before loading it: memory may be limited by `ulimit -v` or without overcommit.
bool has_room_for_buffers() {
  constexpr size_t bytes = size_t{32} << 22;
  constexpr int64_t beside = 2;  // the library and its dependencies
  const int64_t wanted = beside + std::max<int64_t>({1, sysconf(_SC_NPROCESSORS_CONF), num_threads()});
  std::vector<void*> blocks;
  blocks.reserve(static_cast<size_t>(wanted));
  for (int64_t i = 0; i < wanted; ++i) {
    void* const block = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) break;
    blocks.push_back(block);
  }
  for (void* block : blocks) munmap(block, bytes);
  return static_cast<int64_t>(blocks.size()) == wanted;
}

void* open_any() {
  { const OpenMpThreads opens_the_runtime_our_way(1); }
  const char* const core = getenv("OPENBLAS_CORETYPE") ? nullptr : better_core_type();
  std::optional<WithVariable> chosen;
  if (core) chosen.emplace("OPENBLAS_CORETYPE", core);
  for (const std::string& folder : {bundled_folder(), std::string(openblas_folder)})
    if (void* const library = dlopen((folder + std::string(openblas.sonames)).c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  void* const library = open_library(openblas);
  return library ? library : open_library(system_library("blas"));
}

template <class F> bool find(void* library, char prefix, const char* name, F& function) {
  const std::string symbol = prefix + std::string(name) + "_";
  function = reinterpret_cast<F>(dlsym(library, symbol.c_str()));
  return function != nullptr;
}

template <class T> bool find_all(void* library, char prefix, BlasRoutines<T>& routines) {
  return find(library, prefix, "gemm", routines.gemm) && find(library, prefix, "gemv", routines.gemv) &&
         find(library, prefix, "ger", routines.ger) && find(library, prefix, "dot", routines.dot);
}

/// The core whose kernels OpenBLAS chose; null for another library.
const char* openblas_kernels(void* library) {
  const auto core_name = reinterpret_cast<char* (*)()>(dlsym(library, "openblas_get_corename"));
  return core_name ? core_name() : nullptr;
}

bool has_avx2_kernels(void* library) {
  const char* const kernels = openblas_kernels(library);
  const std::string_view name = kernels ? kernels : "";
  return name == "Haswell" || name == "Zen";
}

/// OpenBLAS's float32 kernels for AVX2 and its float64 kernels for AVX-512 round a column of a row-major product differently if it is among
/// the first or last of a block of columns; the blocks also depend on cache sizes.
bool rounds_by_column(void* library, bool float64) {
  if (!float64) return has_avx2_kernels(library);
  const char* const kernels = openblas_kernels(library);
  const std::string_view name = kernels ? kernels : "";
  return name == "SkylakeX" || name == "Cooperlake" || name == "SapphireRapids";
}

Library open_library() {
  Library found;
  const char* const wanted = getenv("MOONTORCH_BLAS");
  if (wanted && std::strcmp(wanted, "0") == 0) return found;
  void* const library = has_room_for_buffers() ? open_any() : nullptr;
  if (!library) return found;
  found.handle = library;
  found.usable = find_all(library, 's', found.single) && find_all(library, 'd', found.twice);
  found.single.cut_columns = !rounds_by_column(library, false);
  found.twice.cut_columns = !rounds_by_column(library, true);
  found.single.for_avx2 = found.twice.for_avx2 = has_avx2_kernels(library);
  // Threads are ours (parallel_for splits the result): the library runs on the one that calls it.
  if (const auto set_threads = reinterpret_cast<void (*)(int)>(dlsym(library, "openblas_set_num_threads"))) {
    const OpenMpThreads keeps_the_hosts_setting(1);
    set_threads(1);
  }
  return found;
}

const Library& library() {
  static const Library opened = open_library();
  return opened;
}

}  // namespace

template <> const BlasRoutines<float>* vendor_blas<float>() {
  static const BlasRoutines<float>* const routines = library().usable ? &library().single : nullptr;
  return routines;
}

template <> const BlasRoutines<double>* vendor_blas<double>() {
  static const BlasRoutines<double>* const routines = library().usable ? &library().twice : nullptr;
  return routines;
}

BlasIdentity blas_identity() {
  Dl_info file;
  if (!library().usable || dladdr(reinterpret_cast<void*>(library().single.gemm), &file) == 0) return {};
  return {file.dli_fname, openblas_kernels(library().handle)};
}

void* vendor_function(const char* symbol) { return library().handle ? dlsym(library().handle, symbol) : nullptr; }

}  // namespace mt::cpu
