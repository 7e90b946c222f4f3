// A kernel: the function by which a device executes an op's plan. The plan is a struct of checked operands and numbers, which the family's
// header in engine/ops declares (engine/core/plan.h).
#pragma once

#include <cstdint>
#include <string_view>

namespace mt {

// Identifies a type of plans, also between libraries that were compiled with different declarations of it.
using PlanId = uint64_t;

namespace detail {

// FNV-1a, of bytes and of whole numbers as one digit each.
constexpr uint64_t hashed(uint64_t hash, uint64_t part) { return (hash ^ part) * 0x100000001b3; }
constexpr uint64_t hashed(uint64_t hash, std::string_view text) {
  for (const char c : text) hash = hashed(hash, static_cast<uint8_t>(c));
  return hash;
}

template <class Plan> consteval PlanId hash_of_name() { return hashed(hashed(0xcbf29ce484222325, __PRETTY_FUNCTION__), sizeof(Plan)); }

}  // namespace detail

template <class Plan> inline constexpr PlanId plan_id = detail::hash_of_name<Plan>();

struct Kernel {
  void (*run)(const void* plan, const void* data) = nullptr;
  const void* data = nullptr;  // the kernel's own, such as a table of loops by dtype
  PlanId plan = 0;
};

namespace detail {

template <class F> struct KernelFunction;
template <class P> struct KernelFunction<void (*)(const P&)> { using Plan = P; };
template <class P, class D> struct KernelFunction<void (*)(const P&, const D&)> {
  using Plan = P;
  using Data = D;
};

}  // namespace detail

// A kernel of a function void f(const Plan&).
template <auto f> constexpr Kernel kernel() {
  using Plan = typename detail::KernelFunction<decltype(f)>::Plan;
  return {[](const void* plan, const void*) { f(*static_cast<const Plan*>(plan)); }, nullptr, plan_id<Plan>};
}

// A kernel of a function void f(const Plan&, const Data&) and its data, which must outlive the kernel.
template <auto f> constexpr Kernel kernel(const typename detail::KernelFunction<decltype(f)>::Data& data) {
  using Types = detail::KernelFunction<decltype(f)>;
  return {[](const void* plan, const void* own) {
            f(*static_cast<const typename Types::Plan*>(plan), *static_cast<const typename Types::Data*>(own));
          },
          &data, plan_id<typename Types::Plan>};
}

}  // namespace mt
