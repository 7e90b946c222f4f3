// Fourier transforms along a dimension: declarations. Included inside namespace mt by each device: no include guard.

struct FftC2C {
  static constexpr Decl decl{
      .name = "fft_c2c",
      .signature = "[res] x:tensor dim:dim? norm:string=none forward:boolean=true",
      .method = Method::none,
      .dtypes = float_dtypes,
      .ulp = 64,
      .doc =
          "The discrete Fourier transform of complex numbers along dimension dim of x (..., 2), whose last dimension holds real and "
          "imaginary parts: y_k = sum_j x_j exp(-2 pi i j k / n), or with exp(+...) if forward is false. dim is by default the one before "
          "the last. norm is the divisor of the sums: 'none', 'by_n' or 'by_root_n'. Any length. Errors: a last dimension of another size, "
          "or a dim that is not before it.",
      .samples =
          "{randn(4, 2)}, {randn(3, 5, 2), 1, 'by_n'}, {randn(2, 12, 3, 2), 2, 'by_root_n', false}, {randn(2, 67, 2), 2, 'none', "
          "false}, {randn(1, 2)}, {randn(0, 3, 2)}"};
};

struct FftR2C {
  static constexpr Decl decl{
      .name = "fft_r2c",
      .signature = "[res] x:tensor dim:dim=last norm:string=none onesided:boolean=true",
      .method = Method::none,
      .dtypes = float_dtypes,
      .ulp = 64,
      .doc =
          "The discrete Fourier transform of real numbers along a dimension: the frequencies 0 .. floor(n / 2), or all n if onesided is "
          "false, with real and imaginary parts in a last dimension of size 2. norm is the divisor of the sums: 'none', 'by_n' or "
          "'by_root_n'. Errors: dim outside x, of size 0.",
      .samples =
          "{randn(8)}, {randn(3, 5), 1, 'by_n'}, {randn(3, 9), -1, 'by_root_n', false}, {randn(2, 6, 3), 2, 'none', false}, "
          "{randn(1)}, {randn(2, 2, 67)}"};
};

struct FftC2R {
  static constexpr Decl decl{
      .name = "fft_c2r",
      .signature = "[res] x:tensor dim:dim? norm:string=none size:int?",
      .method = Method::none,
      .dtypes = float_dtypes,
      .ulp = 64,
      .doc =
          "The inverse of fft_r2c except for a factor: `size` real numbers along dim, from the frequencies 0 .. floor(size / 2) of x (..., "
          "2), the others are their conjugates. size is by default 2 (k - 1) for k frequencies. The imaginary parts of the frequencies 0 "
          "and size / 2 are not read: a real result has none. dim and norm as in fft_c2c. Errors: another number of frequencies.",
      .samples =
          "{randn(5, 2)}, {randn(3, 4, 2), 1, 'by_n', 5}, {randn(2, 4, 3, 2), 2, 'by_root_n', 7}, {randn(3, 34, 2), -2, 'none', 67}, "
          "{randn(1, 2), 1, 'none', 1}"};
};

using FftOps = List<FftC2C, FftR2C, FftC2R>;
