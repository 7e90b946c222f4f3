#include "cuda/runtime/device.h"

#include <cstdlib>

#include "cuda/kernels/copy.h"
#include "cuda/kernels/find.h"
#include "cuda/runtime/context.h"

namespace mt::cuda {
namespace {

// Errors of a kernel are told by a later call, unless MT_CUDA_SYNC is set: then by the op that launched it.
bool waits_for_each_op() {
  static const char* const text = std::getenv("MT_CUDA_SYNC");
  return text != nullptr && *text != '\0' && *text != '0';
}

}  // namespace

CudaDevice::CudaDevice(int number) : number_(number), name_("cuda:" + std::to_string(number + 1)), allocator_(number) {}

void CudaDevice::read(void* to, const void* from, size_t bytes) { driver::copy_to_host(current_stream(number_), to, from, bytes); }

void CudaDevice::write(void* to, const void* from, size_t bytes) { driver::copy_to_device(current_stream(number_), to, from, bytes); }

void CudaDevice::move(void* to, const void* from, size_t bytes) { driver::copy_within(current_stream(number_), to, from, bytes); }

void CudaDevice::clear(void* data, size_t bytes) { driver::set_bytes(current_stream(number_), data, 0, bytes); }

void CudaDevice::fill(const Tensor& t, const ScalarValue& element) { fill_elements(t, element); }

int64_t CudaDevice::find(const FindPlan& plan) { return find_element(plan); }

void CudaDevice::launch(std::string_view op, const Kernel& kernel, const void* plan) {
  const OpScope scope(op, number_);
  kernel.run(plan, kernel.data);
  if (waits_for_each_op()) driver::synchronize(current_stream(number_));
}

}  // namespace mt::cuda
