// Implements cuda/fused/compiler.h by NVRTC, and by libraries of CUDA's runtime, which all devices share.
#include "cuda/fused/compiler.h"

#include <cuda_runtime.h>

#include <array>
#include <mutex>

#include "cuda/fused/nvrtc.h"
#include "cuda/real/launch.h"
#include "cuda/real/scopes.h"
#include "cuda/real/status.h"

namespace mt::cuda::compiler {
namespace {

const Nvrtc* nvrtc() { return Nvrtc::find(CUDART_VERSION / 1000); }

std::string architecture(int device) {
  const Properties& p = driver::properties(device);
  return "sm_" + std::to_string(p.major) + std::to_string(p.minor);
}

}  // namespace

extern const bool has_interpreter = false;

const std::string& identity(int device) {
  constexpr int most_known = 64;
  static std::array<std::string, most_known> known;
  static std::array<std::once_flag, most_known> made;
  std::string& own = known[static_cast<size_t>(device)];
  std::call_once(made[static_cast<size_t>(device)], [&] {
    if (nvrtc() != nullptr) own = nvrtc()->version() + " " + Nvrtc::options() + " " + architecture(device);
  });
  return own;
}

std::optional<std::vector<std::byte>> compile(const std::string& source, int device, std::string& log) {
  return nvrtc()->compile(source, architecture(device), log);
}

void* load(std::span<const std::byte> image, int device) {
  const OnDevice scope(device);
  const InCapture allowed;
  cudaLibrary_t library = nullptr;
  cudaKernel_t kernel = nullptr;
  const bool loaded = cudaLibraryLoadData(&library, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0) == cudaSuccess &&
                      cudaLibraryGetKernel(&kernel, library, "fused") == cudaSuccess;
  if (loaded) return kernel;
  cudaGetLastError();
  if (library != nullptr) cudaLibraryUnload(library);
  return nullptr;
}

void launch(Stream stream, void* kernel, int64_t blocks, int threads, std::span<const std::byte> arguments) {
  prepare_launch(stream, 0, kernel);
  void* values[] = {const_cast<std::byte*>(arguments.data())};
  check(cudaLaunchKernel(kernel, dim3(static_cast<unsigned>(blocks)), dim3(static_cast<unsigned>(threads)), values, 0,
                         static_cast<cudaStream_t>(stream.handle)),
        "launching a kernel of fused steps");
}

void interpret(Stream, const FusedLaunch&) {}

}  // namespace mt::cuda::compiler
