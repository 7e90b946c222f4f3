#include "cuda/runtime/device.h"

#include "cuda/fused/run.h"
#include "cuda/kernels/copy.h"
#include "cuda/kernels/find.h"
#include "cuda/runtime/context.h"
#include "cuda/runtime/fork.h"
#include "cuda/runtime/pinned.h"
#include "engine/core/environment.h"

namespace mt::cuda {
namespace {

// A later call reports the errors of a kernel; if MOONTORCH_CUDA_SYNC is set, the op that launched it does.
bool waits_for_each_op() {
  static const char* const text = own_variable("MOONTORCH_CUDA_SYNC");
  return text != nullptr && *text != '\0' && *text != '0';
}

}  // namespace

CudaDevice::CudaDevice(int number) : number_(number), name_("cuda:" + std::to_string(number + 1)), allocator_(number), checks_(number) {}

void CudaDevice::read(void* to, const void* from, size_t bytes) {
  const Stream stream = current_stream(number_);
  driver::copy_to_host(stream, to, from, bytes);
  if (is_pinned(to)) driver::synchronize(stream);
  report();
}

void CudaDevice::write(void* to, const void* host, size_t bytes) {
  const Stream stream = current_stream(number_);
  driver::copy_to_device(stream, to, host, bytes);
  if (is_pinned(host) && !driver::is_capturing(stream)) driver::synchronize(stream);  // the caller may reuse the memory
}

void CudaDevice::move(void* to, const void* from, size_t bytes) { driver::copy_within(current_stream(number_), to, from, bytes); }

void CudaDevice::clear(void* data, size_t bytes) { driver::set_bytes(current_stream(number_), data, 0, bytes); }

void CudaDevice::fill(const Tensor& t, const ScalarValue& element) { fill_elements(t, element); }

int64_t CudaDevice::find(const FindPlan& plan) {
  const int64_t found = find_element(plan);
  report();
  return found;
}

bool CudaDevice::check_later(const ElementCheck& check) { return !waits_for_each_op() && checks_.make(check, current_stream(number_)); }

std::string_view CudaDevice::set_op(std::string_view op) noexcept { return set_current_op(op); }

void CudaDevice::synchronize(Stream stream) {
  refuse_in_child();
  driver::synchronize(stream);
  report();
}

void CudaDevice::synchronize() {
  refuse_in_child();
  driver::synchronize_device(number_);
  report();
}

void CudaDevice::launch(std::string_view op, const Kernel& kernel, const PlanRef& plan) {
  const OpScope scope(op, number_);
  kernel.run(plan.plan, kernel.data);
  if (const Stream stream = current_stream(number_); waits_for_each_op() && !driver::is_capturing(stream)) synchronize(stream);
}

bool CudaDevice::prepare(const FusedLaunch& launch) { return prepare_fused(number_, launch); }

void CudaDevice::run(const FusedLaunch& launch) { run_fused(number_, launch); }

}  // namespace mt::cuda
