#include "engine/cpu/target.h"

#include <cstdint>
#include <cstdlib>
#include <string>

#include <hwy/highway.h>

#include "engine/core/error.h"

namespace mt::cpu {
namespace {

struct Target {
  std::string_view name;
  int64_t bit;
};

// Best first, as Highway orders its bits: a better target has a lower one.
#if HWY_ARCH_X86
constexpr Target targets[] = {{"avx3", HWY_AVX3}, {"avx2", HWY_AVX2}, {"sse4", HWY_SSE4}};
#else
constexpr Target targets[] = {{"neon", HWY_NEON}};
#endif

}  // namespace

void choose_target() {
  const char* variable = std::getenv("MOONTORCH_CPU");
  if (variable == nullptr || *variable == '\0') return;
  const std::string_view wanted = variable;
  for (const Target& target : targets) {
    if (target.name != wanted) continue;
    const int64_t supported = hwy::SupportedTargets();
    if ((supported & HWY_TARGETS & target.bit) == 0)
      fail("MOONTORCH_CPU", "value", wanted, " came, which this processor or this build lacks");
    hwy::SetSupportedTargetsForTest(supported & ~(target.bit - 1));
    return;
  }
  std::string known;
  for (const Target& target : targets) known += (known.empty() ? "" : ", ") + std::string(target.name);
  fail("MOONTORCH_CPU", "value", wanted, " came, one of ", known, " was expected");
}

std::string_view target_name() {
  const int64_t usable = hwy::SupportedTargets() & HWY_TARGETS;
  for (const Target& target : targets) {
    if ((usable & target.bit) != 0) return target.name;
  }
  return "plain";
}

}  // namespace mt::cpu
