// Graphs of cuda/api.h.
#include <memory>

#include "cuda/runtime/graphs.h"
#include "cuda/runtime/handles.h"
#include "cuda/runtime/streams.h"

using namespace mt::cuda;
using mt::fail;

namespace {

using Handle = std::shared_ptr<CapturedWork>;

Handles<Handle>& graphs() {
  static auto& all = *new Handles<Handle>(1);
  return all;
}

Handle graph_called(const char* function, int32_t number) {
  Handle found;
  if (!graphs().find(number, found)) fail(function, "graph", number, ", expected a graph that exists");
  return found;
}

}  // namespace

mt_cuda_status mt_cuda_graph_begin(int32_t device, int32_t* out) {
  return guard([&] {
    int32_t& number = checked_out("mt_cuda_graph_begin", "out", out);
    number = graphs().add(std::make_shared<CapturedWork>(checked_device("mt_cuda_graph_begin", device)));
  });
}

mt_cuda_status mt_cuda_graph_end(int32_t graph) {
  return guard([&] { graph_called("mt_cuda_graph_end", graph)->end(); });
}

mt_cuda_status mt_cuda_graph_replay(int32_t graph) {
  return guard([&] { graph_called("mt_cuda_graph_replay", graph)->replay(); });
}

mt_cuda_status mt_cuda_graph_destroy(int32_t graph) {
  return guard([&] {
    Handle own;
    if (!graphs().take(graph, own)) fail("mt_cuda_graph_destroy", "graph", graph, ", expected a graph that exists");
  });
}

mt_cuda_status mt_cuda_is_capturing(int32_t device, int32_t* out) {
  return guard([&] {
    const Stream stream = current_stream(checked_device("mt_cuda_is_capturing", device));
    checked_out("mt_cuda_is_capturing", "out", out) = driver::is_capturing(stream) ? 1 : 0;
  });
}
