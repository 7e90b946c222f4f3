// peak_memory and recompute: the text of a graph before and after.
#include <doctest/doctest.h>

#include "engine/graph/text.h"
#include "engine/passes/passes.h"

using namespace mt;

namespace {

std::string steps_of(const Graph& graph) {
  Graph untyped = graph;
  untyped.result_types.clear();
  const std::string text = to_text(untyped);
  return text.substr(text.find('\n') + 1);
}

}  // namespace

TEST_CASE("a step is repeated behind the peak") {
  const Graph graph = parse_graph(R"(graph(x: float64[64, 64]) {
    a = tanh(x)
    b = mm(a, x)
    c = cat({b, b, b}, 1)
    d = mm(t(c), c)
    return mm(mm(d, x), a)
  })");
  constexpr int64_t matrix = 64 * 64 * 8;
  CHECK(peak_memory(graph) == 5 * matrix);  // a, b and c, or a, c and d
  const Graph less = recompute(graph, 4 * matrix + 63);
  CHECK(peak_memory(less) == 4 * matrix);
  CHECK(steps_of(less) == R"(  a = tanh(x)
  b = mm(a, x)
  c = cat(tensors = {b, b, b}, dim = 1)
  %4 = t(c)
  d = mm(%4, c)
  %6 = mm(d, x)
  %7 = tanh(x)
  %8 = mm(%6, %7)
  return %8
}
)");
  CHECK(steps_of(recompute(graph, 5 * matrix)) == steps_of(graph));
  CHECK_THROWS_WITH(recompute(graph, 4 * matrix - 1),
                    "recompute: bytes: 131071, expected at least 131072, the lowest peak that was reached");
}
