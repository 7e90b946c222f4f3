#include "engine/cpu/target.h"

#include <cstdint>
#include <string>

#include <hwy/highway.h>

#include "engine/core/environment.h"
#include "engine/core/error.h"

namespace {

#if HWY_ARCH_X86
int64_t detect_targets() {
  __builtin_cpu_init();
  int64_t targets = 0;
  if (!__builtin_cpu_supports("sse4.2") || !__builtin_cpu_supports("aes") || !__builtin_cpu_supports("pclmul")) return targets;
  targets |= HWY_SSE4;
  const bool avx2 =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  if (!avx2) return targets;
  targets |= HWY_AVX2;
  const bool avx3 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd");
  return avx3 ? targets | HWY_AVX3 : targets;
}
#else
int64_t detect_targets() { return HWY_ENABLED_BASELINE; }
#endif

int64_t& supported_targets() {
  static int64_t supported = detect_targets();
  return supported;
}

}  // namespace

// Replaces parts of Highway's library, which we don't link: its static constructors measure the clock, 3.4 ms of a start-up of 10.
namespace hwy {

ChosenTarget& GetChosenTarget() {
  static ChosenTarget chosen;
  return chosen;
}

int64_t SupportedTargets() { return supported_targets(); }

}  // namespace hwy

namespace mt::cpu {
namespace {

struct Target {
  std::string_view name;
  int64_t bit;
};

// Best first, as Highway orders its bits: a better target has a lower one.
#if HWY_ARCH_X86
constexpr Target targets[] = {{"avx3", HWY_AVX3}, {"avx2", HWY_AVX2}, {"sse4", HWY_SSE4}};
#elif HWY_ARCH_ARM_A64
constexpr Target targets[] = {{"neon", HWY_NEON}};
#else
constexpr Target targets[] = {{"plain", HWY_EMU128}};
#endif

}  // namespace

void choose_target() {
  if ((hwy::SupportedTargets() & HWY_TARGETS) == 0) {
    constexpr std::string_view needed = (HWY_TARGETS & HWY_SSE4) != 0 ? "SSE4.2, AES or PCLMULQDQ" : "AVX2, FMA, BMI or BMI2";
    fail("moontorch", "processor", "it lacks ", needed, ", which kernels need");
  }
  const char* variable = own_variable("MOONTORCH_CPU");
  if (variable == nullptr || *variable == '\0') return;
  const std::string_view wanted = variable;
  for (const Target& target : targets) {
    if (target.name != wanted) continue;
    const int64_t supported = hwy::SupportedTargets();
    if ((supported & HWY_TARGETS & target.bit) == 0)
      fail("MOONTORCH_CPU", "value", wanted, ", expected one that this processor and this build have");
    supported_targets() = supported & ~(target.bit - 1);
    return;
  }
  std::string known;
  for (const Target& target : targets) known += (known.empty() ? "" : ", ") + std::string(target.name);
  fail("MOONTORCH_CPU", "value", wanted, ", expected one of ", known);
}

std::string_view target_name() {
  const int64_t usable = hwy::SupportedTargets() & HWY_TARGETS;
  for (const Target& target : targets) {
    if ((usable & target.bit) != 0) return target.name;
  }
  return "plain";
}

}  // namespace mt::cpu
