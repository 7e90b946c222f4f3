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
#include <utility>

#include "engine/core/complex.h"
#include "engine/core/error.h"
#include "engine/core/float8.h"
#include "engine/core/half.h"

namespace mt {

// The kind of an element.
enum class NumberKind : uint8_t { boolean, unsigned_integer, signed_integer, real, complex };

// What ops do with a dtype: arithmetic, or only moves, conversions and comparisons.
enum class DTypeUse : uint8_t { arithmetic, storage };

// The dtypes for storage, and complex numbers. A minimal library leaves them out (cmake/minimal.cmake).
#ifdef MT_WITHOUT_FURTHER_DTYPES
#define MT_STORAGE_DTYPES(X)
#define MT_COMPLEX_DTYPES(X)
#else
#define MT_COMPLEX_DTYPES(X)                                                                                      \
  X(complex64, "complex64", "ComplexFloat", Complex<float>, complex, Complex<float>, Complex<double>, arithmetic) \
  X(complex128, "complex128", "ComplexDouble", Complex<double>, complex, Complex<double>, Complex<double>, arithmetic)
#define MT_STORAGE_DTYPES(X)                                                                \
  X(uint16, "uint16", "UInt16", uint16_t, unsigned_integer, int32_t, int64_t, storage)      \
  X(uint32, "uint32", "UInt32", uint32_t, unsigned_integer, int64_t, int64_t, storage)      \
  X(uint64, "uint64", "UInt64", uint64_t, unsigned_integer, uint64_t, uint64_t, storage)    \
  X(float8_e4m3fn, "float8_e4m3fn", "Float8E4m3", Float8E4m3, real, float, double, storage) \
  X(float8_e5m2, "float8_e5m2", "Float8E5m2", Float8E5m2, real, float, double, storage)
#endif

// Every dtype, in the order of their numbers, which are part of the C ABI and of the Lua binding's view of a tensor (append only): NumPy's
// name, the name in torch.<name>Tensor, the C++ type of an element, its kind, the type in which arithmetic (or comparison) is done, the
// type of a dtype in which sums accumulate, and its use. Everything that depends on the dtype comes from this table.
#define MT_DTYPES(X)                                                                 \
  X(uint8, "uint8", "Byte", uint8_t, unsigned_integer, uint8_t, int64_t, arithmetic) \
  X(int8, "int8", "Char", int8_t, signed_integer, int8_t, int64_t, arithmetic)       \
  X(int16, "int16", "Short", int16_t, signed_integer, int16_t, int64_t, arithmetic)  \
  X(int32, "int32", "Int", int32_t, signed_integer, int32_t, int64_t, arithmetic)    \
  X(int64, "int64", "Long", int64_t, signed_integer, int64_t, int64_t, arithmetic)   \
  X(float16, "float16", "Half", Half, real, float, double, arithmetic)               \
  X(float32, "float32", "Float", float, real, float, double, arithmetic)             \
  X(float64, "float64", "Double", double, real, double, double, arithmetic)          \
  X(boolean, "bool", "Bool", bool, boolean, bool, int64_t, arithmetic)               \
  X(bfloat16, "bfloat16", "BFloat16", BFloat16, real, float, double, arithmetic)     \
  MT_STORAGE_DTYPES(X)                                                               \
  MT_COMPLEX_DTYPES(X)

enum class DType : uint8_t {
#define MT_X(id, name, torch, T, kind, C, A, use) id,
  MT_DTYPES(MT_X)
#undef MT_X
};

template <class T> struct DTypeOf;
#define MT_X(id, name, torch, T, kind, C, A, use) \
  template <> struct DTypeOf<T> : std::integral_constant<DType, DType::id> {};
MT_DTYPES(MT_X)
#undef MT_X
template <class T> inline constexpr DType dtype_of = DTypeOf<T>::value;

struct DTypeInfo {
  std::string_view name, torch;
  int size;  // bytes
  NumberKind kind;
  DTypeUse use;
};

inline constexpr DTypeInfo dtype_infos[] = {
#define MT_X(id, name, torch, T, kind, C, A, use) {name, torch, sizeof(T), NumberKind::kind, DTypeUse::use},
    MT_DTYPES(MT_X)
#undef MT_X
};
inline constexpr int dtype_count = std::size(dtype_infos);

inline constexpr const DTypeInfo& info(DType dtype) { return dtype_infos[static_cast<int>(dtype)]; }
inline constexpr NumberKind kind_of(DType dtype) { return info(dtype).kind; }

namespace detail {

// Properties of dtypes that every op reads several times, one byte each.
#define MT_X(id, name, torch, T, kind, C, A, use) sizeof(T),
inline constexpr uint8_t dtype_sizes[] = {MT_DTYPES(MT_X)};
#undef MT_X
#define MT_X(id, name, torch, T, kind, C, A, use) dtype_of<C>,
inline constexpr DType computed_in[] = {MT_DTYPES(MT_X)};
#undef MT_X
#define MT_X(id, name, torch, T, kind, C, A, use) dtype_of<A>,
inline constexpr DType accumulators[] = {MT_DTYPES(MT_X)};
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
// The dtypes with arithmetic, or those for storage; of one kind.
constexpr DTypeSet dtypes_of(DTypeUse use) {
  DTypeSet set;
  for (int i = 0; i < dtype_count; ++i) {
    if (dtype_infos[i].use == use) set.bits |= uint32_t{1} << i;
  }
  return set;
}
constexpr DTypeSet dtypes_of(NumberKind kind) {
  DTypeSet set;
  for (int i = 0; i < dtype_count; ++i) {
    if (dtype_infos[i].kind == kind) set.bits |= uint32_t{1} << i;
  }
  return set & dtypes_of(DTypeUse::arithmetic);
}

inline constexpr DTypeSet all_dtypes = {(uint32_t{1} << dtype_count) - 1}, storage_dtypes = dtypes_of(DTypeUse::storage),
                          arithmetic_dtypes = dtypes_of(DTypeUse::arithmetic), boolean_dtype = dtypes_of(NumberKind::boolean),
                          integer_dtypes = dtypes_of(NumberKind::unsigned_integer) | dtypes_of(NumberKind::signed_integer),
                          float_dtypes = dtypes_of(NumberKind::real), number_dtypes = integer_dtypes | float_dtypes,
                          complex_dtypes = dtypes_of(NumberKind::complex), any_number_dtypes = number_dtypes | complex_dtypes,
                          ordered_dtypes = arithmetic_dtypes - complex_dtypes, inexact_dtypes = float_dtypes | complex_dtypes;

// The dtypes that this build computes with; bin/minimal leaves out those that its models lack. No storage has another one.
#ifdef MT_BUILT_DTYPES
inline constexpr DTypeSet built_dtypes = dtypes_of(MT_BUILT_DTYPES);
#else
inline constexpr DTypeSet built_dtypes = all_dtypes;
#endif

// What ops declare that copy elements or move them without interpreting them, or compare them by their order.
inline constexpr DTypeSet moved_dtypes = any_number_dtypes | storage_dtypes, compared_dtypes = ordered_dtypes | storage_dtypes;

// Whether this build has dtypes whose elements a double or an int64 does not hold.
inline constexpr bool has_complex_dtypes = complex_dtypes != DTypeSet();

// The dtypes that an op accepts only if it declares them.
inline constexpr DTypeSet restricted_dtypes = complex_dtypes | storage_dtypes;

inline constexpr int size_of(DType dtype) { return detail::dtype_sizes[static_cast<int>(dtype)]; }
inline constexpr DType compute_of(DType dtype) { return detail::computed_in[static_cast<int>(dtype)]; }
inline constexpr DType accumulator_of(DType dtype) { return detail::accumulators[static_cast<int>(dtype)]; }
inline constexpr bool is_float(DType dtype) { return float_dtypes.contains(dtype); }
inline constexpr bool is_inexact(DType dtype) { return inexact_dtypes.contains(dtype); }  // real or complex

std::optional<DType> find_dtype(std::string_view name);  // "float32", "Float", "torch.FloatTensor" or "float"
// NumPy's rule; an integer and a float promote to a float that holds both. uint64 and a signed integer have no common dtype: an error.
DType promote(DType a, DType b);
DType float_for(DType dtype);          // the float in which an integer's functions are computed
DType arithmetic_dtype(DType stored);  // the dtype with arithmetic through which a dtype for storage is converted to integers

inline void append(std::string& text, DType part) { text.append("torch.").append(info(part).torch).append("Tensor"); }

template <class T> inline constexpr bool is_16bit_float = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;
template <class T> inline constexpr bool is_8bit_float = std::is_same_v<T, Float8E4m3> || std::is_same_v<T, Float8E5m2>;

namespace detail {

// Unsigned words, which are not dtypes of elements, are computed without conversion.
template <class T> struct ElementTypes {
  using Computed = T;
  using Accumulator = T;
  static constexpr bool is_complex = false;
};
#define MT_X(id, name, torch, T, kind, C, A, use)                               \
  template <> struct ElementTypes<T> {                                          \
    using Computed = C;                                                         \
    using Accumulator = A;                                                      \
    static constexpr bool is_complex = NumberKind::kind == NumberKind::complex; \
  };
MT_DTYPES(MT_X)
#undef MT_X

}  // namespace detail

// The type in which arithmetic on T is done, and that in which sums of T accumulate.
template <class T> using Compute = typename detail::ElementTypes<T>::Computed;
template <class T> using Accumulator = typename detail::ElementTypes<T>::Accumulator;

template <class T> inline constexpr bool is_complex = detail::ElementTypes<T>::is_complex;

// The dtype of the real and of the imaginary part of a complex number; of a real dtype, the dtype itself.
constexpr DType real_part_of(DType dtype) {
  if constexpr (has_complex_dtypes) {
    if (complex_dtypes.contains(dtype)) return size_of(dtype) == 8 ? DType::float32 : DType::float64;
  }
  return dtype;
}
// The dtype of complex numbers whose parts have a dtype, which is float32 or float64.
constexpr DType complex_of(DType part) {
  for (int i = 0; i < dtype_count; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (complex_dtypes.contains(dtype) && size_of(dtype) == 2 * size_of(part)) return dtype;
  }
  return part;  // a build without complex numbers
}

// Whether the processor's vectors have lanes of T.
template <class T> inline constexpr bool has_vectors = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

// Whether From has a conversion to To: a complex number has none to a real one.
template <class To, class From> inline constexpr bool converts = !is_complex<From> || is_complex<To>;

[[noreturn]] void refuse_dtype(DType dtype);  // for a function or build that has no code for this dtype
[[noreturn]] void refuse_conversion(DType from, DType to);

// Calls f with a value of type std::type_identity<T>, T the C++ type of dtype. f is compiled for the set's dtypes; others raise an error.
template <DTypeSet set = ordered_dtypes, class F> decltype(auto) dispatch(DType dtype, F&& f) {
  switch (dtype) {
#define MT_X(id, name, torch, T, kind, C, A, use)                                              \
  case DType::id:                                                                              \
    if constexpr ((set & built_dtypes).contains(DType::id)) return f(std::type_identity<T>{}); \
    break;
    MT_DTYPES(MT_X)
#undef MT_X
  }
  if constexpr ((restricted_dtypes - set) != DTypeSet() || built_dtypes != all_dtypes) refuse_dtype(dtype);
  broken_invariant("a dtype of the set", __FILE__, __LINE__);
}

// The result of f for the type of each dtype in the set, by number, and an empty entry for others: a table of kernels. f takes
// std::type_identity<T>.
template <class Entry, DTypeSet set = ordered_dtypes, class F> constexpr std::array<Entry, dtype_count> by_dtype(F f) {
  std::array<Entry, dtype_count> table{};
#define MT_X(id, name, torch, T, kind, C, A, use) \
  if constexpr ((set & built_dtypes).contains(DType::id)) table[static_cast<size_t>(DType::id)] = Entry(f(std::type_identity<T>{}));
  MT_DTYPES(MT_X)
#undef MT_X
  return table;
}
#undef MT_DTYPES
#undef MT_STORAGE_DTYPES
#undef MT_COMPLEX_DTYPES

// An element of 16 bytes that is moved.
struct TwoWords {
  uint64_t low, high;
};

constexpr bool has_size(DTypeSet set, int bytes) {
  for (int i = 0; i < dtype_count; ++i) {
    if (set.contains(static_cast<DType>(i)) && dtype_infos[i].size == bytes) return true;
  }
  return false;
}

// Calls f with a value of a plain type with as many bytes as an element, to move elements without interpreting them.
template <DTypeSet set = all_dtypes, class F> decltype(auto) by_width(int bytes, F&& f) {
  switch (bytes) {
    case 1:
      return f(uint8_t{});
    case 2:
      return f(uint16_t{});
    case 4:
      return f(uint32_t{});
    case 8:
      return f(uint64_t{});
    case 16:
      if constexpr (has_size(set, 16)) return f(TwoWords{});
      break;
  }
  broken_invariant("an element of 1, 2, 4 or 8 bytes, or of 16 where the set has one", __FILE__, __LINE__);
}

template <DTypeSet set = all_dtypes, class F> decltype(auto) by_width(DType dtype, F&& f) {
  return by_width<set>(size_of(dtype), std::forward<F>(f));
}

// One element of any dtype, as bytes: room for the widest, a complex number of doubles.
struct alignas(16) ScalarValue {
  std::byte bytes[16];  // uninitialised: every call creates an array of them

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
    // The conversion of a double outside int64 is undefined: return the result of x86's conversion on all processors.
    constexpr double limit = 9223372036854775808.0;
    if constexpr (std::is_same_v<T, uint64_t>) {
      if (value >= limit && value < 2 * limit) return static_cast<uint64_t>(value);
    }
    const int64_t wide = value >= -limit && value < limit ? static_cast<int64_t>(value) : INT64_MIN;
    return static_cast<T>(wide);
  } else if constexpr (is_16bit_float<T> || is_8bit_float<T>) {
    return T(static_cast<float>(value));
  } else {
    return static_cast<T>(value);
  }
}

// An element as another dtype's element.
template <class To, class From> To convert_element(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (is_complex<To>) {
    if constexpr (is_complex<From>)
      return static_cast<To>(value);
    else
      return To(convert_element<typename To::value_type>(value));
  } else if constexpr (std::is_integral_v<From>) {
    if constexpr (std::is_same_v<To, bool>)
      return value != 0;
    else if constexpr (is_16bit_float<To> || is_8bit_float<To>)
      return To(static_cast<float>(value));
    else
      return static_cast<To>(value);
  } else if constexpr (std::is_integral_v<To>) {
    return element_from<To>(static_cast<double>(value));
  } else if constexpr (is_16bit_float<To> || is_8bit_float<To>) {
    return To(static_cast<float>(value));
  } else {
    return static_cast<To>(static_cast<Compute<From>>(value));
  }
}

}  // namespace mt
