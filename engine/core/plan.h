// Plans as values: a plan is a struct of numbers, operands (engine/core/operand.h) and structs of these. It can be copied, saved, and
// launched after its call has returned. So no field of a plan is a pointer, a reference or a view.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "engine/core/operand.h"

namespace mt {

// Describes a type of plans, for code that saves and launches plans of any type.
struct PlanType {
  size_t size, alignment;
  void (*copy)(void* to, const void* from);  // to uninitialised memory
  void (*destroy)(void* plan);
  void (*visit)(void* plan, OperandVisitor& visitor);  // all places, always in the same order
};

// A plan of any type, while it is launched.
struct PlanRef {
  const PlanType& type;
  const void* plan;
};

namespace detail {

template <class T>
concept VisitsItself = requires(T& field, OperandVisitor& visitor) {
  field.visit(visitor);
};

template <class T> inline constexpr bool is_array = false;
template <class T, size_t n> inline constexpr bool is_array<std::array<T, n>> = true;

// Types whose fields are not inspected: the bytes of an element. (Other structs use std::array for arrays.)
template <class T> inline constexpr bool is_plain = std::is_same_v<T, ScalarValue>;

// Types whose copies refer to the same data as the original.
template <class T> inline constexpr bool is_view = std::is_pointer_v<T> || std::is_reference_v<T> || std::is_member_pointer_v<T>;
template <class T, size_t n> inline constexpr bool is_view<std::span<T, n>> = true;
template <> inline constexpr bool is_view<std::string_view> = true;
template <class T> inline constexpr bool is_view<std::reference_wrapper<T>> = true;
template <class F> inline constexpr bool is_view<std::function<F>> = true;

// Converts to any field of Owner.
template <class Owner> struct AnyField {
  template <class T>
  requires(!std::same_as<T, Owner>) operator T() const;
};

template <class T, size_t... i> consteval bool takes(std::index_sequence<i...>) {
  return requires { T{(static_cast<void>(i), AnyField<T>())...}; };
}

inline constexpr size_t most_fields = 16;

template <class T, size_t n = most_fields> consteval size_t count_fields() {
  if constexpr (n == 0 || takes<T>(std::make_index_sequence<n>()))
    return n;
  else
    return count_fields<T, n - 1>();
}

// Calls f(fields...) with the fields of an aggregate.
template <class T, class F> constexpr decltype(auto) with_fields(T& t, F&& f) {
  static_assert(!takes<std::remove_const_t<T>>(std::make_index_sequence<most_fields + 1>()),
                "a plan has at most 16 fields: group them in structs");
#define MT_WITH_FIELDS(count, ...)                                 \
  if constexpr (count_fields<std::remove_const_t<T>>() == count) { \
    auto& [__VA_ARGS__] = t;                                       \
    return f(__VA_ARGS__);                                         \
  } else
  MT_WITH_FIELDS(1, a)
  MT_WITH_FIELDS(2, a, b)
  MT_WITH_FIELDS(3, a, b, c)
  MT_WITH_FIELDS(4, a, b, c, d)
  MT_WITH_FIELDS(5, a, b, c, d, e)
  MT_WITH_FIELDS(6, a, b, c, d, e, g)
  MT_WITH_FIELDS(7, a, b, c, d, e, g, h)
  MT_WITH_FIELDS(8, a, b, c, d, e, g, h, i)
  MT_WITH_FIELDS(9, a, b, c, d, e, g, h, i, j)
  MT_WITH_FIELDS(10, a, b, c, d, e, g, h, i, j, k)
  MT_WITH_FIELDS(11, a, b, c, d, e, g, h, i, j, k, l)
  MT_WITH_FIELDS(12, a, b, c, d, e, g, h, i, j, k, l, m)
  MT_WITH_FIELDS(13, a, b, c, d, e, g, h, i, j, k, l, m, n)
  MT_WITH_FIELDS(14, a, b, c, d, e, g, h, i, j, k, l, m, n, o)
  MT_WITH_FIELDS(15, a, b, c, d, e, g, h, i, j, k, l, m, n, o, p)
  MT_WITH_FIELDS(16, a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q)
  return f();
#undef MT_WITH_FIELDS
}

// Whether a T has no pointer, reference or view, as far as types tell: the private fields of a class can't be inspected.
template <class T> consteval bool is_value() {
  if constexpr (is_view<T>) {
    return false;
  } else if constexpr (VisitsItself<T>) {
    return std::is_copy_constructible_v<T>;
  } else if constexpr (is_array<T>) {
    return is_value<typename T::value_type>();
  } else if constexpr (std::is_class_v<T> && std::is_aggregate_v<T> && !is_plain<T>) {
    if constexpr (!std::is_copy_constructible_v<T> || !std::is_copy_assignable_v<T>) return false;
    return decltype(with_fields(std::declval<T&>(), []<class... Fields>(Fields&...) {
      return std::bool_constant<(is_value<std::remove_const_t<Fields>>() && ...)>();
    }))::value;
  } else {
    return std::is_trivially_copyable_v<T>;
  }
}

template <class T> void visit(T& field, OperandVisitor& visitor) {
  if constexpr (VisitsItself<T>) {
    field.visit(visitor);
  } else if constexpr (is_array<T>) {
    for (auto& element : field) visit(element, visitor);
  } else if constexpr (std::is_class_v<T> && std::is_aggregate_v<T> && !is_plain<T>) {
    with_fields(field, [&](auto&... fields) { (visit(fields, visitor), ...); });
  }
}

}  // namespace detail

template <class T> void OperandList<T>::visit(OperandVisitor& visitor) {
  for (T& entry : list_) detail::visit(entry, visitor);
}

template <class T> inline constexpr bool is_plan = detail::is_value<T>();

template <class Plan> inline constexpr PlanType plan_type = {
    sizeof(Plan), alignof(Plan), [](void* to, const void* from) { new (to) Plan(*static_cast<const Plan*>(from)); },
    [](void* plan) { static_cast<Plan*>(plan)->~Plan(); },
    [](void* plan, OperandVisitor& visitor) { detail::visit(*static_cast<Plan*>(plan), visitor); }};

}  // namespace mt
