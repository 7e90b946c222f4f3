// Copies in another or the same dtype, on another or the same device.

struct Clone {
  static constexpr Decl decl{.name = "clone",
                             .signature = "[res] x:tensor",
                             .result = Rule::custom,
                             .method = Method::returns,
                             .dtypes = moved_dtypes,
                             .extent = Extent::same,
                             .doc = "A copy of x, in new memory: contiguous, or channels last if x is (channelsLast).",
                             .samples = "{randn(3, 4)}, {randn(0)}"};
};

struct To {
  static constexpr Decl decl{
      .name = "to",
      .signature = "[res] x:tensor dtype:dtype",
      .result = Rule::custom,
      .method = Method::returns,
      .dtypes = moved_dtypes,
      .broadcasts = true,
      .crosses_devices = true,
      .doc =
          "A copy of x, like clone's, with another dtype, such as 'torch.FloatTensor', on another device, such as 'cpu', or both: 'float32 "
          "on cpu'. Conversions from floats to integers truncate toward zero and wrap; conversions to narrower floats round to nearest.",
      .samples = "{randn(3, 4), 'torch.FloatTensor'}, {randn(3, 4), 'torch.IntTensor'}, {randn(0), 'torch.ByteTensor'}"};
};
