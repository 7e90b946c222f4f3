#include "cuda/fused/texts.h"

#include <algorithm>
#include <vector>

#include "engine/core/kernel.h"

namespace mt::cuda {
namespace {

constexpr std::string_view substitutes = "cuda/fused/nvrtc/";

// The headers for which a substitute stands.
struct Substitute {
  std::string_view file;
  std::vector<const char*> names;
};
const Substitute* substitute(std::string_view file) {
  static const Substitute all[] = {{"std.h",
                                    {"cmath", "cstddef", "cstdint", "cstring", "limits", "numbers", "string_view", "type_traits",
                                     "cuda_bf16.h", "cuda_fp16.h", "cuda_runtime.h"}},
                                   {"dtype.h", {"engine/core/dtype.h"}},
                                   {"signature.h", {"engine/core/signature.h"}}};
  return std::ranges::find(all, file, &Substitute::file);
}

}  // namespace

std::span<const DeviceText> fused_texts() {
  static const std::vector<DeviceText> all = [] {
    std::vector<DeviceText> texts;
    for (const DeviceText& file : device_files()) {
      const std::string_view name = file.name;
      if (!name.starts_with(substitutes)) {
        texts.push_back(file);
      } else {
        for (const char* const header : substitute(name.substr(substitutes.size()))->names) texts.push_back({header, file.text});
      }
    }
    return texts;
  }();
  return all;
}

uint64_t hash_of_texts() {
  static const uint64_t hash = [] {
    uint64_t sum = 0;
    for (const DeviceText& text : fused_texts()) sum = mt::detail::hashed(mt::detail::hashed(sum, text.name), text.text);
    return sum;
  }();
  return hash;
}

}  // namespace mt::cuda
