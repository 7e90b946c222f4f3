// Distances between rows: declarations.

struct Match {
  static constexpr Decl decl{.name = "match",
                             .signature = "[res] a:tensor b:tensor gain:number=1",
                             .ulp = 16,
                             .doc =
                                 "Squared distances between rows, times gain: a (m, n), b (k, n) -> (m, k), the element (i, j) gain times "
                                 "the sum of (a[i] - b[j])^2. All dimensions after the first are flattened into rows. Integers wrap.",
                             .samples =
                                 "{randn(3, 4), randn(5, 4)}, {randn(2, 3), randn(2, 3), 2}, {randn(2, 2, 3), randn(4, 6)}, "
                                 "{randn(0, 3), randn(2, 3)}"};
};

using DistanceOps = List<Match>;
