// A realtime callback, as in audio or control threads: a network processes blocks of 64 samples. After warm-up the callback never
// allocates, takes a lock or collects garbage: it only calls ops, on one thread, with existing tensors for the results. The program
// counts calls of malloc and pthread_mutex_lock inside the callback, and measures its time.
//
//     realtime [BLOCKS]        prints the counts, p50 and p99.9; exits with 1 if a count isn't 0
//
// The last line measures a loop of arithmetic that takes about as long: it shows the machine's share (its timer, other programs).
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <dlfcn.h>
#include <moontorch/moontorch.h>
#include <pthread.h>

// Replacements of the C library's functions, which count calls while the callback runs in this thread.
static thread_local bool counting = false;
static thread_local long allocations = 0, locks = 0;

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* malloc(size_t bytes) {
  if (counting) ++allocations;
  return __libc_malloc(bytes);
}
void* calloc(size_t count, size_t bytes) {
  if (counting) ++allocations;
  return __libc_calloc(count, bytes);
}
void* realloc(void* memory, size_t bytes) {
  if (counting) ++allocations;
  return __libc_realloc(memory, bytes);
}
int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  static int (*const next)(pthread_mutex_t*) = reinterpret_cast<int (*)(pthread_mutex_t*)>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  if (counting) ++locks;
  return next(mutex);
}
}

namespace {

constexpr int block = 64, hidden = 1024;

// x -> tanh(W1 x + b1) -> W2 h + b2. The constructor creates all tensors; `process` only runs ops.
class Network {
 public:
  Network() {
    mt_seed(1);
    x_ = create({1, block}), h_ = create({1, hidden}), y_ = create({1, block});
    w1_ = drawn({block, hidden}), b1_ = drawn({1, hidden}), w2_ = drawn({hidden, block}), b2_ = drawn({1, block});
    addmm_ = mt_op_find("addmm"), tanh_ = mt_op_find("tanh");
    // The pointers stay valid, since no tensor is resized.
    input_ = static_cast<float*>(mt_tensor_data(x_)), output_ = static_cast<float*>(mt_tensor_data(y_));
  }
  ~Network() {
    for (mt_tensor* t : {x_, h_, y_, w1_, b1_, w2_, b2_}) mt_tensor_release(t);
  }
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  // The callback of the sound card.
  bool process(const float* in, float* out) {
    std::copy(in, in + block, input_);
    if (!layer(b1_, x_, w1_, h_)) return false;
    const mt_value args[] = {mt_value_tensor(h_)};
    mt_tensor* into = h_;
    if (mt_op_call(tanh_, args, 1, 1, &into) != MT_OK) return false;
    if (!layer(b2_, h_, w2_, y_)) return false;
    std::copy(output_, output_ + block, out);
    return true;
  }

 private:
  static mt_tensor* create(std::vector<int64_t> sizes) {
    mt_tensor* t = nullptr;
    if (mt_tensor_create(MT_FLOAT32, static_cast<int32_t>(sizes.size()), sizes.data(), &t) != MT_OK) {
      std::fprintf(stderr, "%s\n", mt_error_message());
      std::exit(2);
    }
    std::fill_n(static_cast<float*>(mt_tensor_data(t)), mt_tensor_count(t), 0.0F);
    return t;
  }
  static mt_tensor* drawn(std::vector<int64_t> sizes) {
    mt_tensor* t = create(std::move(sizes));
    float* const data = static_cast<float*>(mt_tensor_data(t));
    for (int64_t i = 0; i < mt_tensor_count(t); ++i) data[i] = 0.1F * std::sin(static_cast<float>(i) * 12.9898F);
    return t;
  }
  bool layer(mt_tensor* bias, mt_tensor* x, mt_tensor* weight, mt_tensor* result) {
    mt_value args[] = {mt_value_tensor(bias), mt_value_tensor(x), mt_value_tensor(weight)};
    return mt_call("addmm", args, 3, 1, &result) == MT_OK;
  }

  mt_tensor *x_, *h_, *y_, *w1_, *b1_, *w2_, *b2_;
  const mt_op *addmm_, *tanh_;
  float *input_, *output_;
};

double elapsed(std::chrono::steady_clock::time_point start) {  // microseconds
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

// Prints the median and the 99.9th percentile; returns the median.
double report(const char* what, std::vector<double>& microseconds) {
  std::sort(microseconds.begin(), microseconds.end());
  const double half = microseconds[microseconds.size() / 2], most = microseconds[microseconds.size() * 999 / 1000];
  std::printf("%s: p50 %.2f us, p99.9 %.2f us, %.2f times\n", what, half, most, most / half);
  return half;
}

// Times a loop of dependent arithmetic that takes about as long as a block.
void report_machine(double microseconds, size_t blocks) {
  volatile float result = 0;
  const auto spin = [&](long steps) {
    float x = 0.5F;
    for (long i = 0; i < steps; ++i) x = x * 1.5F * (1.0F - x) + 0.1F;
    result = x;
  };
  const auto start = std::chrono::steady_clock::now();
  spin(1000000);
  const long steps = std::lround(1000000 * microseconds / elapsed(start));
  std::vector<double> times(blocks);
  for (double& time : times) {
    const auto begin = std::chrono::steady_clock::now();
    spin(steps);
    time = elapsed(begin);
  }
  report("arithmetic", times);
}

}  // namespace

int main(int argc, char** argv) {
  const int blocks = argc > 1 ? std::atoi(argv[1]) : 20000;
  mt_set_num_threads(1);  // a realtime thread must not wait for others
  Network network;
  float in[block], out[block];
  std::vector<double> microseconds(static_cast<size_t>(blocks));
  for (int k = -200; k < blocks; ++k) {  // 200 warm-up blocks, which open libraries and allocate scratch memory
    for (int i = 0; i < block; ++i) in[i] = std::sin(static_cast<float>(k * block + i) * 0.05F);
    counting = k >= 0;
    const auto start = std::chrono::steady_clock::now();
    const bool good = network.process(in, out);
    const double time = elapsed(start);
    counting = false;
    if (!good) {
      std::fprintf(stderr, "%s\n", mt_error_message());
      return 2;
    }
    if (k >= 0) microseconds[static_cast<size_t>(k)] = time;
  }
  std::printf("%d blocks, %ld allocations, %ld locks\n", blocks, allocations, locks);
  report_machine(report("network", microseconds), microseconds.size());
  return allocations == 0 && locks == 0 ? 0 : 1;
}
