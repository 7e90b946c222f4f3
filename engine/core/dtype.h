// Element types: their names, sizes and ranks, and the one switch that turns a DType into a C++ type.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <string_view>
#include <type_traits>

#include "engine/core/error.h"
#include "engine/core/half.h"

namespace mt {

// What an element is.
enum class NumberKind : uint8_t { boolean, unsigned_integer, signed_integer, real, complex };

// Every dtype, in the order of their numbers, which are part of the C ABI and of the Lua binding's view of a tensor (append only): its name
// as NumPy has it, as in torch.<name>Tensor, the C++ type of an element, and its kind. All that goes by dtype is made of this table.
#define MT_DTYPES(X)                                   \
  X(uint8, "uint8", "Byte", uint8_t, unsigned_integer) \
  X(int8, "int8", "Char", int8_t, signed_integer)      \
  X(int16, "int16", "Short", int16_t, signed_integer)  \
  X(int32, "int32", "Int", int32_t, signed_integer)    \
  X(int64, "int64", "Long", int64_t, signed_integer)   \
  X(float16, "float16", "Half", Half, real)            \
  X(float32, "float32", "Float", float, real)          \
  X(float64, "float64", "Double", double, real)        \
  X(boolean, "bool", "Bool", bool, boolean)            \
  X(bfloat16, "bfloat16", "BFloat16", BFloat16, real)

enum class DType : uint8_t {
#define MT_X(id, name, torch, T, kind) id,
  MT_DTYPES(MT_X)
#undef MT_X
};

struct DTypeInfo {
  std::string_view name, torch;
  int size;  // bytes
  NumberKind kind;
};

inline constexpr DTypeInfo dtype_infos[] = {
#define MT_X(id, name, torch, T, kind) {name, torch, sizeof(T), NumberKind::kind},
    MT_DTYPES(MT_X)
#undef MT_X
};
inline constexpr int dtype_count = std::size(dtype_infos);

inline constexpr const DTypeInfo& info(DType dtype) { return dtype_infos[static_cast<int>(dtype)]; }
inline constexpr NumberKind kind_of(DType dtype) { return info(dtype).kind; }

namespace detail {

// What every op asks of its dtypes several times, in a byte each.
#define MT_X(id, name, torch, T, kind) sizeof(T),
inline constexpr uint8_t dtype_sizes[] = {MT_DTYPES(MT_X)};
#undef MT_X

}  // namespace detail

// A set of dtypes.
struct DTypeSet {
  uint32_t bits = 0;  // by number

  constexpr bool contains(DType dtype) const { return (bits >> static_cast<int>(dtype) & 1) != 0; }
  friend constexpr DTypeSet operator|(DTypeSet a, DTypeSet b) { return {a.bits | b.bits}; }
  friend constexpr DTypeSet operator&(DTypeSet a, DTypeSet b) { return {a.bits & b.bits}; }
  friend constexpr DTypeSet operator-(DTypeSet a, DTypeSet b) { return {a.bits & ~b.bits}; }
  constexpr bool operator==(const DTypeSet&) const = default;
};

template <class... D> constexpr DTypeSet dtypes_of(D... dtype) { return {((uint32_t{1} << static_cast<int>(dtype)) | ...)}; }
constexpr DTypeSet dtypes_of(NumberKind kind) {
  DTypeSet set;
  for (int i = 0; i < dtype_count; ++i) {
    if (dtype_infos[i].kind == kind) set.bits |= uint32_t{1} << i;
  }
  return set;
}

inline constexpr DTypeSet all_dtypes = {(uint32_t{1} << dtype_count) - 1}, boolean_dtype = dtypes_of(NumberKind::boolean),
                          integer_dtypes = dtypes_of(NumberKind::unsigned_integer) | dtypes_of(NumberKind::signed_integer),
                          float_dtypes = dtypes_of(NumberKind::real), number_dtypes = integer_dtypes | float_dtypes;

inline constexpr int size_of(DType dtype) { return detail::dtype_sizes[static_cast<int>(dtype)]; }
inline constexpr bool is_float(DType dtype) { return float_dtypes.contains(dtype); }

std::optional<DType> find_dtype(std::string_view name);  // "float32", "Float", "torch.FloatTensor" or "float"
DType promote(DType a, DType b);                         // NumPy's rule; an integer and a float give a float that holds both
DType float_for(DType dtype);                            // the float in which an integer's functions are computed

inline void append(std::string& text, DType part) { text.append("torch.").append(info(part).torch).append("Tensor"); }

template <class T> struct DTypeOf;
#define MT_X(id, name, torch, T, kind) \
  template <> struct DTypeOf<T> : std::integral_constant<DType, DType::id> {};
MT_DTYPES(MT_X)
#undef MT_X
template <class T> inline constexpr DType dtype_of = DTypeOf<T>::value;

template <class T> inline constexpr bool is_16bit_float = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

// The type in which arithmetic on T is done.
template <class T> using Compute = std::conditional_t<is_16bit_float<T>, float, T>;

// Calls f with a value of type std::type_identity<T>, T the C++ type of dtype, which is in the set: f is compiled for no other.
template <DTypeSet set = all_dtypes, class F> decltype(auto) dispatch(DType dtype, F&& f) {
  switch (dtype) {
#define MT_X(id, name, torch, T, kind)                                        \
  case DType::id:                                                             \
    if constexpr (set.contains(DType::id)) return f(std::type_identity<T>{}); \
    break;
    MT_DTYPES(MT_X)
#undef MT_X
  }
  broken_invariant("a dtype of the set", __FILE__, __LINE__);
}

// The result of f for the type of each dtype in the set, by number, and an empty entry for others: a table of kernels. f takes
// std::type_identity<T>.
template <class Entry, DTypeSet set = all_dtypes, class F> constexpr std::array<Entry, dtype_count> by_dtype(F f) {
  std::array<Entry, dtype_count> table{};
#define MT_X(id, name, torch, T, kind) \
  if constexpr (set.contains(DType::id)) table[static_cast<size_t>(DType::id)] = Entry(f(std::type_identity<T>{}));
  MT_DTYPES(MT_X)
#undef MT_X
  return table;
}
#undef MT_DTYPES

// f with a value of an unsigned integer type of so many bytes: elements are moved, whatever they mean.
template <class F> decltype(auto) by_width(int bytes, F&& f) {
  switch (bytes) {
    case 1:
      return f(uint8_t{});
    case 2:
      return f(uint16_t{});
    case 4:
      return f(uint32_t{});
    case 8:
      return f(uint64_t{});
    default:
      broken_invariant("an element of 1, 2, 4 or 8 bytes", __FILE__, __LINE__);
  }
}

template <class F> decltype(auto) by_width(DType dtype, F&& f) { return by_width(size_of(dtype), f); }

// One element of any dtype, as bytes: room for the widest, a complex number of doubles.
struct alignas(16) ScalarValue {
  std::byte bytes[16];  // unset: an array of them is made for every call

  template <class T> void set(const T& element) {
    static_assert(sizeof(T) <= sizeof(ScalarValue));
    std::memcpy(bytes, &element, sizeof element);
  }
  template <class T> static ScalarValue of(const T& element) {
    ScalarValue s;
    s.set(element);
    return s;
  }
  template <class T> T as() const {
    T element;
    std::memcpy(&element, bytes, sizeof element);
    return element;
  }
};

// A number as an element: integers truncate toward zero and wrap to their width, as Torch7 does.
template <class T> T element_from(double value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else if constexpr (std::is_integral_v<T>) {
    // A double outside int64 has no defined conversion: take what x86's conversion gives, everywhere.
    constexpr double limit = 9223372036854775808.0;
    const int64_t wide = value >= -limit && value < limit ? static_cast<int64_t>(value) : INT64_MIN;
    return static_cast<T>(wide);
  } else if constexpr (is_16bit_float<T>) {
    return T(static_cast<float>(value));
  } else {
    return static_cast<T>(value);
  }
}

// An element as another dtype's element.
template <class To, class From> To convert_element(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (std::is_integral_v<From>) {
    if constexpr (std::is_same_v<To, bool>)
      return value != 0;
    else if constexpr (is_16bit_float<To>)
      return To(static_cast<float>(value));
    else
      return static_cast<To>(value);
  } else if constexpr (std::is_integral_v<To>) {
    return element_from<To>(static_cast<double>(value));
  } else if constexpr (is_16bit_float<To>) {
    return To(static_cast<float>(value));
  } else {
    return static_cast<To>(static_cast<Compute<From>>(value));
  }
}

}  // namespace mt
