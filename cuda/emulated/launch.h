// Launches of kernels on an emulated stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>

#include "cuda/emulated/queue.h"
#include "cuda/grid.h"
#include "cuda/runtime/context.h"
#include "cuda/runtime/driver.h"

namespace mt::cuda::emulated {

std::string kernel_name(const char* mangled);
void enqueue(Stream stream, Work work);
// Runs a launch of an op in the stream's thread, and reports its error.
void run(std::string_view op, Block& block, const Launch& launch);

template <class K> void launch(Stream stream, int64_t blocks, int threads, size_t shared_bytes, const K& kernel) {
  enqueue(stream, [=, op = current_op()](Block& block) {
    const Launch all{typeid(K).name(), [](const void* own, Thread& thread) { (*static_cast<const K*>(own))(thread); },
                     &kernel,          blocks,
                     threads,          shared_bytes};
    run(op, block, all);
  });
}

}  // namespace mt::cuda::emulated
