// NVRTC, NVIDIA's compiler at run time, as a library that may be missing.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace mt::cuda {

class Nvrtc {
 public:
  // Opens the library at the first call, that of a major version of CUDA first. Null if there is none.
  static const Nvrtc* find(int major);

  std::string version() const;  // "nvrtc 13.0"
  // Compiles a source of a fused kernel for an architecture, such as "sm_90". Returns a CUBIN; nothing on an error, which `log` tells.
  std::optional<std::vector<std::byte>> compile(const std::string& source, const std::string& arch, std::string& log) const;
  static std::string options();  // besides the architecture

 private:
  struct Functions;

  explicit Nvrtc(const Functions& functions) : functions_(functions) {}

  const Functions& functions_;
};

}  // namespace mt::cuda
