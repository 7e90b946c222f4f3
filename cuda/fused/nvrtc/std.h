// The parts of the standard library and of CUDA's headers that functors use, for NVRTC, which has neither. It stands for all of these
// headers; NVRTC itself declares CUDA's functions of numbers.
#ifndef MT_NVRTC_STD
#define MT_NVRTC_STD

using size_t = decltype(sizeof(0));
using ptrdiff_t = decltype(static_cast<char*>(nullptr) - static_cast<char*>(nullptr));
using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned;
using uint64_t = unsigned long;
using uintptr_t = unsigned long;
static_assert(sizeof(int64_t) == 8);
#define INT64_MIN (-__LONG_MAX__ - 1L)

namespace std {

using ::size_t;
using nullptr_t = decltype(nullptr);
enum class byte : unsigned char {};

template <class T, T v> struct integral_constant { static constexpr T value = v; };
template <bool v> using bool_constant = integral_constant<bool, v>;
template <class T> struct type_identity { using type = T; };
template <class T> using type_identity_t = typename type_identity<T>::type;
template <bool, class A, class B> struct conditional : type_identity<A> {};
template <class A, class B> struct conditional<false, A, B> : type_identity<B> {};
template <bool which, class A, class B> using conditional_t = typename conditional<which, A, B>::type;

template <class A, class B> inline constexpr bool is_same_v = false;
template <class A> inline constexpr bool is_same_v<A, A> = true;
template <class T, class... Others> inline constexpr bool is_one_of_v = (is_same_v<T, Others> || ...);
template <class T> inline constexpr bool is_floating_point_v = is_one_of_v<T, float, double>;
template <class T> inline constexpr bool is_integral_v =
    is_one_of_v<T, bool, char, int8_t, int16_t, int32_t, int64_t, long long, uint8_t, uint16_t, uint32_t, uint64_t, unsigned long long>;
template <class T> inline constexpr bool is_arithmetic_v = is_integral_v<T> || is_floating_point_v<T>;
template <class T> inline constexpr bool is_signed_v = is_arithmetic_v<T>&& static_cast<T>(-1) < static_cast<T>(0);
template <class T> inline constexpr bool is_null_pointer_v = is_same_v<T, nullptr_t>;

template <class T> struct make_unsigned : type_identity<T> {};
template <> struct make_unsigned<int8_t> : type_identity<uint8_t> {};
template <> struct make_unsigned<int16_t> : type_identity<uint16_t> {};
template <> struct make_unsigned<int32_t> : type_identity<uint32_t> {};
template <> struct make_unsigned<int64_t> : type_identity<uint64_t> {};
template <class T> using make_unsigned_t = typename make_unsigned<T>::type;

template <class T> struct numeric_limits;
template <> struct numeric_limits<float> {
  static constexpr int digits = 24;
  static constexpr float infinity() { return __builtin_bit_cast(float, 0x7f800000u); }
  static constexpr float quiet_NaN() { return __builtin_bit_cast(float, 0x7fc00000u); }
};
template <> struct numeric_limits<double> {
  static constexpr int digits = 53;
  static constexpr double infinity() { return __builtin_bit_cast(double, 0x7ff0000000000000ul); }
  static constexpr double quiet_NaN() { return __builtin_bit_cast(double, 0x7ff8000000000000ul); }
};

namespace numbers {
template <class T> inline constexpr T pi_v = static_cast<T>(3.141592653589793238462643383279502884L);
}

// A hash of up to 32 characters in place of the text: the texts of declarations would be part of every kernel. Names of ops are shorter.
// By FNV-1a.
class string_view {
 public:
  constexpr string_view(const char* text = "") {
    for (int i = 0; i < 32 && text[i] != 0; ++i) hash_ = (hash_ ^ static_cast<unsigned char>(text[i])) * 0x100000001b3;
  }
  constexpr bool operator==(const string_view&) const = default;
  constexpr bool empty() const { return *this == string_view(); }

 private:
  uint64_t hash_ = 0xcbf29ce484222325;
};

#define MT_NVRTC_UNARY(name)                                     \
  __device__ inline float name(float x) { return ::name##f(x); } \
  __device__ inline double name(double x) { return ::name(x); }
#define MT_NVRTC_BINARY(name)                                                \
  __device__ inline float name(float x, float y) { return ::name##f(x, y); } \
  __device__ inline double name(double x, double y) { return ::name(x, y); }
MT_NVRTC_UNARY(acos)
MT_NVRTC_UNARY(acosh)
MT_NVRTC_UNARY(asin)
MT_NVRTC_UNARY(asinh)
MT_NVRTC_UNARY(atan)
MT_NVRTC_UNARY(atanh)
MT_NVRTC_UNARY(ceil)
MT_NVRTC_UNARY(cos)
MT_NVRTC_UNARY(cosh)
MT_NVRTC_UNARY(erf)
MT_NVRTC_UNARY(erfc)
MT_NVRTC_UNARY(exp)
MT_NVRTC_UNARY(exp2)
MT_NVRTC_UNARY(expm1)
MT_NVRTC_UNARY(fabs)
MT_NVRTC_UNARY(floor)
MT_NVRTC_UNARY(lgamma)
MT_NVRTC_UNARY(log)
MT_NVRTC_UNARY(log10)
MT_NVRTC_UNARY(log1p)
MT_NVRTC_UNARY(log2)
MT_NVRTC_UNARY(rint)
MT_NVRTC_UNARY(round)
MT_NVRTC_UNARY(sin)
MT_NVRTC_UNARY(sinh)
MT_NVRTC_UNARY(sqrt)
MT_NVRTC_UNARY(tan)
MT_NVRTC_UNARY(tanh)
MT_NVRTC_UNARY(tgamma)
MT_NVRTC_UNARY(trunc)
MT_NVRTC_BINARY(atan2)
MT_NVRTC_BINARY(copysign)
MT_NVRTC_BINARY(fmod)
MT_NVRTC_BINARY(hypot)
MT_NVRTC_BINARY(pow)
#undef MT_NVRTC_UNARY
#undef MT_NVRTC_BINARY

__device__ inline float abs(float x) { return ::fabsf(x); }
__device__ inline double abs(double x) { return ::fabs(x); }
__device__ inline float fma(float x, float y, float z) { return ::fmaf(x, y, z); }
__device__ inline double fma(double x, double y, double z) { return ::fma(x, y, z); }
__device__ inline float scalbn(float x, int n) { return ::scalbnf(x, n); }
__device__ inline double scalbn(double x, int n) { return ::scalbn(x, n); }
template <class T> __device__ inline bool isnan(T x) { return ::isnan(x); }
template <class T> __device__ inline bool isinf(T x) { return ::isinf(x); }

}  // namespace std

// Conversions of 16-bit floats, by the instructions that cuda_fp16.h and cuda_bf16.h use.
struct __half {
  unsigned short bits;
};
struct __nv_bfloat16 {
  unsigned short bits;
};
__device__ inline __half __ushort_as_half(unsigned short bits) { return {bits}; }
__device__ inline unsigned short __half_as_ushort(__half x) { return x.bits; }
__device__ inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) { return x.bits; }
__device__ inline float __half2float(__half x) {
  float wide;
  asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(x.bits));
  return wide;
}
__device__ inline __half __float2half_rn(float x) {
  __half narrow;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(narrow.bits) : "f"(x));
  return narrow;
}
__device__ inline __nv_bfloat16 __float2bfloat16_rn(float x) {
#if __CUDA_ARCH__ >= 800
  __nv_bfloat16 narrow;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(narrow.bits) : "f"(x));
  return narrow;
#else
  const unsigned bits = __float_as_uint(x);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return {0x7fff};
  return {static_cast<unsigned short>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16)};
#endif
}

#endif
