// Implements cuda/vendor/dnn.h with cuDNN 9. Its heuristics rank the algorithms for a convolution. The first one that is deterministic and
// needs little memory is used, and cached with the descriptors.
#include "cuda/vendor/dnn.h"

#if __has_include(<cudnn.h>)  // cuDNN is not part of CUDA

#include <cuda_runtime_api.h>
#include <cudnn.h>

#include <array>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>

#include "cuda/real/handles.h"
#include "cuda/real/library.h"
#include "cuda/runtime/context.h"
#include "cuda/scratch.h"
#include "cuda/vendor/blas.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // operation graphs replace these functions, but describe the same

namespace mt::cuda::dnn {
namespace {

constexpr std::initializer_list<const char*> names = {"libcudnn.so.9"};
constexpr size_t most_workspace = size_t{512} << 20;

struct Cudnn {
  Library library{"cuDNN", names};
  MT_LIBRARY_FUNCTION(library, cudnnCreate);
  MT_LIBRARY_FUNCTION(library, cudnnSetStream);
  MT_LIBRARY_FUNCTION(library, cudnnCreateTensorDescriptor);
  MT_LIBRARY_FUNCTION(library, cudnnDestroyTensorDescriptor);
  MT_LIBRARY_FUNCTION(library, cudnnSetTensorNdDescriptor);
  MT_LIBRARY_FUNCTION(library, cudnnCreateFilterDescriptor);
  MT_LIBRARY_FUNCTION(library, cudnnDestroyFilterDescriptor);
  MT_LIBRARY_FUNCTION(library, cudnnSetFilterNdDescriptor);
  MT_LIBRARY_FUNCTION(library, cudnnCreateConvolutionDescriptor);
  MT_LIBRARY_FUNCTION(library, cudnnDestroyConvolutionDescriptor);
  MT_LIBRARY_FUNCTION(library, cudnnSetConvolutionNdDescriptor);
  MT_LIBRARY_FUNCTION(library, cudnnSetConvolutionGroupCount);
  MT_LIBRARY_FUNCTION(library, cudnnSetConvolutionMathType);
  MT_LIBRARY_FUNCTION(library, cudnnGetConvolutionForwardAlgorithm_v7);
  MT_LIBRARY_FUNCTION(library, cudnnGetConvolutionBackwardDataAlgorithm_v7);
  MT_LIBRARY_FUNCTION(library, cudnnGetConvolutionBackwardFilterAlgorithm_v7);
  MT_LIBRARY_FUNCTION(library, cudnnConvolutionForward);
  MT_LIBRARY_FUNCTION(library, cudnnConvolutionBackwardData);
  MT_LIBRARY_FUNCTION(library, cudnnConvolutionBackwardFilter);
};
// Null if cuDNN is missing.
const Cudnn* cudnn() {
  static const Cudnn* const all = Library::is_there(names) ? new Cudnn : nullptr;
  return all;
}

void check(cudnnStatus_t status, const char* function) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  raise(std::string(function) + " failed with cuDNN's status " + std::to_string(static_cast<int>(status)));
}

class Handle {
 public:
  explicit Handle(Stream stream) : device_(stream.device) {
    cudaSetDevice(device_);
    handle_ = real::idle_handles<cudnnHandle_t>().take(device_, [] {
      cudnnHandle_t handle = nullptr;
      check(cudnn()->cudnnCreate(&handle), "cudnnCreate");
      return handle;
    });
    cudnn()->cudnnSetStream(handle_, static_cast<cudaStream_t>(stream.handle));
  }
  Handle(const Handle&) = delete;
  ~Handle() { real::idle_handles<cudnnHandle_t>().give_back(device_, handle_); }
  operator cudnnHandle_t() const { return handle_; }

 private:
  const int device_;
  cudnnHandle_t handle_;
};

cudnnDataType_t type_of(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return CUDNN_DATA_DOUBLE;
    case DType::float16:
      return CUDNN_DATA_HALF;
    case DType::bfloat16:
      return CUDNN_DATA_BFLOAT16;
    default:
      return CUDNN_DATA_FLOAT;
  }
}

// A list of sizes for cuDNN, which supports images with 2 or 3 dimensions.
struct Numbers {
  std::array<int, 5> at{};
  int count = 0;
  void push(int64_t number) { at[static_cast<size_t>(count++)] = static_cast<int>(number); }
};
bool has_depth(const ConvShape& s) { return s.axes[0].size != 1 || !s.axes[0].plain(); }
template <class F> void push_axes(Numbers& to, const ConvShape& s, F f) {
  for (int i = has_depth(s) ? 0 : 1; i < ConvShape::max_dims; ++i) to.push(f(s.axes[i]));
}

// The descriptors of a convolution for cuDNN, and its algorithm.
struct Prepared {
  cudnnTensorDescriptor_t x = nullptr, y = nullptr;
  cudnnFilterDescriptor_t weight = nullptr;
  cudnnConvolutionDescriptor_t window = nullptr;
  int algorithm = -1;  // of the pass; -1: none
  size_t workspace = 0;

  Prepared() {
    check(cudnn()->cudnnCreateTensorDescriptor(&x), "cudnnCreateTensorDescriptor");
    check(cudnn()->cudnnCreateTensorDescriptor(&y), "cudnnCreateTensorDescriptor");
    check(cudnn()->cudnnCreateFilterDescriptor(&weight), "cudnnCreateFilterDescriptor");
    check(cudnn()->cudnnCreateConvolutionDescriptor(&window), "cudnnCreateConvolutionDescriptor");
  }
  Prepared(const Prepared&) = delete;
  ~Prepared() {
    cudnn()->cudnnDestroyTensorDescriptor(x);
    cudnn()->cudnnDestroyTensorDescriptor(y);
    cudnn()->cudnnDestroyFilterDescriptor(weight);
    cudnn()->cudnnDestroyConvolutionDescriptor(window);
  }
};

template <class F> bool describe_images(cudnnTensorDescriptor_t to, const Convolution& c, int64_t channels, F size) {
  Numbers sizes, strides;
  sizes.push(c.shape.batch);
  sizes.push(channels);
  push_axes(sizes, c.shape, size);
  const bool last = c.layout == ImageLayout::channels_last;
  const auto places = std::accumulate(sizes.at.begin() + 2, sizes.at.begin() + sizes.count, int64_t{1}, std::multiplies<>());
  strides.push(channels * places);
  strides.push(last ? 1 : places);
  int64_t stride = channels * places / (last ? 1 : channels);
  for (int i = 2; i < sizes.count; ++i) strides.push(stride /= sizes.at[static_cast<size_t>(i)]);
  return cudnn()->cudnnSetTensorNdDescriptor(to, type_of(c.dtype), sizes.count, sizes.at.data(), strides.at.data()) == CUDNN_STATUS_SUCCESS;
}

cudnnMathType_t math_of(DType dtype) {
  if (size_of(dtype) == 2) return CUDNN_TENSOR_OP_MATH;
  return dtype == DType::float32 && !blas::tf32_is_allowed() ? CUDNN_FMA_MATH : CUDNN_DEFAULT_MATH;
}

bool describe(const Convolution& c, const Prepared& to) {
  const ConvShape& s = c.shape;
  if (!describe_images(to.x, c, s.in, [](const ConvAxis& a) { return a.size; })) return false;
  if (!describe_images(to.y, c, s.out, [](const ConvAxis& a) { return a.out(); })) return false;
  Numbers kernel, pads, strides, dilations;
  kernel.push(s.out);
  kernel.push(s.in / s.groups);
  push_axes(kernel, s, [](const ConvAxis& a) { return a.kernel; });
  push_axes(pads, s, [](const ConvAxis& a) { return a.pad; });
  push_axes(strides, s, [](const ConvAxis& a) { return a.stride; });
  push_axes(dilations, s, [](const ConvAxis& a) { return a.dilation; });
  const cudnnTensorFormat_t format = c.layout == ImageLayout::channels_last ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW;
  const cudnnDataType_t sums = c.dtype == DType::float64 ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
  const Cudnn& f = *cudnn();
  return f.cudnnSetFilterNdDescriptor(to.weight, type_of(c.dtype), format, kernel.count, kernel.at.data()) == CUDNN_STATUS_SUCCESS &&
         f.cudnnSetConvolutionNdDescriptor(to.window, pads.count, pads.at.data(), strides.at.data(), dilations.at.data(),
                                           CUDNN_CROSS_CORRELATION, sums) == CUDNN_STATUS_SUCCESS &&
         f.cudnnSetConvolutionGroupCount(to.window, static_cast<int>(s.groups)) == CUDNN_STATUS_SUCCESS &&
         f.cudnnSetConvolutionMathType(to.window, math_of(c.dtype)) == CUDNN_STATUS_SUCCESS;
}

// rank(most, count, results) gets the ranking of cuDNN.
template <class Result, class F> void choose(const Convolution& c, Prepared& to, F rank) {
  std::array<Result, 16> ranking;
  int count = 0;
  if (rank(static_cast<int>(ranking.size()), &count, ranking.data()) != CUDNN_STATUS_SUCCESS) return;
  for (int i = 0; i < count; ++i) {
    const Result& r = ranking[static_cast<size_t>(i)];
    if (r.status != CUDNN_STATUS_SUCCESS || r.determinism != CUDNN_DETERMINISTIC || r.memory > most_workspace) continue;
    const bool is_rounded = r.mathType != CUDNN_FMA_MATH && r.mathType != CUDNN_DEFAULT_MATH;
    if (is_rounded && math_of(c.dtype) == CUDNN_FMA_MATH) continue;
    if (size_of(c.dtype) == 2) cudnn()->cudnnSetConvolutionMathType(to.window, r.mathType);
    to.algorithm = static_cast<int>(r.algo);
    to.workspace = r.memory;
    return;
  }
}

std::shared_ptr<const Prepared> prepare(Stream stream, const Convolution& c) {
  auto made = std::make_shared<Prepared>();
  if (!describe(c, *made)) return nullptr;
  const Handle handle(stream);
  const Cudnn& f = *cudnn();
  switch (c.pass) {
    case ConvPass::forward:
      choose<cudnnConvolutionFwdAlgoPerf_t>(c, *made, [&](auto... out) {
        return f.cudnnGetConvolutionForwardAlgorithm_v7(handle, made->x, made->weight, made->window, made->y, out...);
      });
      break;
    case ConvPass::input_grad:
      choose<cudnnConvolutionBwdDataAlgoPerf_t>(c, *made, [&](auto... out) {
        return f.cudnnGetConvolutionBackwardDataAlgorithm_v7(handle, made->weight, made->y, made->window, made->x, out...);
      });
      break;
    case ConvPass::weight_grad:
      choose<cudnnConvolutionBwdFilterAlgoPerf_t>(c, *made, [&](auto... out) {
        return f.cudnnGetConvolutionBackwardFilterAlgorithm_v7(handle, made->x, made->y, made->window, made->weight, out...);
      });
      break;
  }
  return made->algorithm < 0 ? nullptr : made;
}

// A cache of prepared convolutions, by device and convolution. Each size of images is another entry, so its size is limited.
class Choices {
 public:
  std::shared_ptr<const Prepared> find(Stream stream, const Convolution& c) {
    const Key key = key_of(stream, c);
    const std::lock_guard guard(lock_);
    if (const auto known = all_.find(key); known != all_.end()) return known->second;
    if (all_.size() >= most) all_.clear();
    return all_[key] = prepare(stream, c);
  }

 private:
  using Key = std::array<int64_t, 5 + sizeof(ConvShape) / sizeof(int64_t)>;
  static Key key_of(Stream stream, const Convolution& c) {
    Key key = {stream.device, static_cast<int64_t>(c.dtype), static_cast<int64_t>(c.pass), static_cast<int64_t>(c.layout),
               static_cast<int64_t>(math_of(c.dtype))};
    std::memcpy(&key[5], &c.shape, sizeof c.shape);
    return key;
  }

  static constexpr size_t most = 2048;
  std::mutex lock_;
  std::map<Key, std::shared_ptr<const Prepared>> all_;
};
Choices& choices() {
  static Choices& all = *new Choices;
  return all;
}

// cuDNN counts elements in int, and doesn't support tensors without elements.
bool is_countable(const ConvShape& s) {
  constexpr double limit = std::numeric_limits<int>::max();
  const auto product = [](auto... factors) { return (1.0 * ... * static_cast<double>(factors)); };
  const double most = std::max({product(s.batch, s.in, s.image()), product(s.batch, s.out, s.points()), product(s.out, s.patch())});
  for (const ConvAxis& a : s.axes)
    if (static_cast<double>(a.stride) + static_cast<double>(a.pad) + static_cast<double>(a.dilation) > limit) return false;
  return most < limit && s.work() > 0;
}

}  // namespace

bool takes(Stream stream, const Convolution& c) {
  return cudnn() != nullptr && is_countable(c.shape) && choices().find(stream, c) != nullptr;
}

void convolve(Stream stream, const Convolution& c, void* x, void* weight, void* y) {
  const std::shared_ptr<const Prepared> p = choices().find(stream, c);
  const Scratch<std::byte> workspace(stream, static_cast<int64_t>(p->workspace));
  const Handle handle(stream);
  const Cudnn& f = *cudnn();
  const double wide[] = {1, 0};
  const float single[] = {1, 0};
  const bool is_wide = c.dtype == DType::float64;
  const void* const one = is_wide ? static_cast<const void*>(&wide[0]) : &single[0];
  const void* const zero = is_wide ? static_cast<const void*>(&wide[1]) : &single[1];
  count(Count::launch);
  switch (c.pass) {
    case ConvPass::forward:
      return check(
          f.cudnnConvolutionForward(handle, one, p->x, x, p->weight, weight, p->window,
                                    static_cast<cudnnConvolutionFwdAlgo_t>(p->algorithm), workspace.address(), p->workspace, zero, p->y, y),
          "cudnnConvolutionForward");
    case ConvPass::input_grad:
      return check(f.cudnnConvolutionBackwardData(handle, one, p->weight, weight, p->y, y, p->window,
                                                  static_cast<cudnnConvolutionBwdDataAlgo_t>(p->algorithm), workspace.address(),
                                                  p->workspace, zero, p->x, x),
                   "cudnnConvolutionBackwardData");
    case ConvPass::weight_grad:
      return check(f.cudnnConvolutionBackwardFilter(handle, one, p->x, x, p->y, y, p->window,
                                                    static_cast<cudnnConvolutionBwdFilterAlgo_t>(p->algorithm), workspace.address(),
                                                    p->workspace, zero, p->weight, weight),
                   "cudnnConvolutionBackwardFilter");
  }
}

}  // namespace mt::cuda::dnn

#else

namespace mt::cuda::dnn {

bool takes(Stream, const Convolution&) { return false; }
void convolve(Stream, const Convolution&, void*, void*, void*) {}

}  // namespace mt::cuda::dnn

#endif
