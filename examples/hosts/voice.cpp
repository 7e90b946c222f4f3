// A game's loop at 60 frames a second in which an ONNX model runs: Silero's speech detector, which tells for the voice chat of four players
// who speaks. In each frame 16000 / 60 samples of each player arrive; the model runs for those who have 512 new ones, about two in a
// frame. The runs are prepared: after the start a frame allocates nothing, and the program counts that.
//
//     voice MODEL SAMPLES [fast]      MODEL: silero_op18.onnx of PyPI's package silero-vad; SAMPLES: a file of float32 at 16 kHz, which all
//                                     players send, each one a bit later. Prints the probabilities of speech of each player, and then the
//                                     times of frames and the memory. `fast` does not wait for the next frame.
//
//     c++ -std=c++17 voice.cpp -lmoontorch -o voice
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <moontorch/moontorch.hpp>

namespace mt = moontorch;

// Replacements of the C library's functions, which count calls while a frame runs in this thread.
static thread_local bool counting = false;
static thread_local long allocations = 0;

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* malloc(size_t bytes) {
  allocations += counting;
  return __libc_malloc(bytes);
}
void* calloc(size_t count, size_t bytes) {
  allocations += counting;
  return __libc_calloc(count, bytes);
}
void* realloc(void* memory, size_t bytes) {
  allocations += counting;
  return __libc_realloc(memory, bytes);
}
}

namespace {

constexpr int rate = 16000, frames_per_second = 60, players = 4;
constexpr int chunk = 512, context = 64;  // samples: new ones in a run, and those before them that the model sees again
constexpr double budget = 2;              // ms of a frame for the model

// The detector of one player. Its state goes from run to run.
class Detector {
 public:
  explicit Detector(mt::Prepared prepared)
      : prepared_(std::move(prepared)),
        samples_(prepared_.input(0)),
        state_(prepared_.input(1)),
        probability_(prepared_.output(0)),
        next_state_(prepared_.output(1)) {
    mt::call_into(samples_, "zero", {samples_});
    mt::call_into(state_, "zero", {state_});
  }

  // Takes a sample. Returns whether the model has run: then `probability` is that of speech in the last `chunk` samples.
  bool hear(float sample) {
    float* const samples = samples_.data<float>();
    samples[context + fresh_++] = sample;
    if (fresh_ < chunk) return false;
    fresh_ = 0;
    prepared_.run();
    std::copy_n(next_state_.data<float>(), state_.count(), state_.data<float>());
    std::copy_n(samples + chunk, context, samples);
    return true;
  }
  float probability() const { return *probability_.data<float>(); }

 private:
  mt::Prepared prepared_;
  mt::Tensor samples_, state_, probability_, next_state_;
  int fresh_ = 0;
};

// One prepared run for each player; they share the weights.
std::vector<Detector> load(const char* path) {
  const mt::Onnx model = mt::Onnx::load(path);
  const mt::Tensor samples(MT_FLOAT32, {1, context + chunk}), state(MT_FLOAT32, {2, 1, 128});
  const mt::Tensor hertz = mt::Tensor::of<std::int64_t>({rate});
  const mt::Prepared first = model.prepare({{"input", samples}, {"state", state}}, {{"sr", hertz}});
  std::vector<Detector> detectors;
  for (int i = 0; i < players; ++i) detectors.emplace_back(first.clone());
  return detectors;
}

std::vector<float> read_samples(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::vector<float> samples(bytes.size() / sizeof(float));
  std::memcpy(samples.data(), bytes.data(), samples.size() * sizeof(float));
  return samples;
}

long resident_kib() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("VmRSS:", 0) == 0) return std::atol(line.c_str() + 6);
  }
  return 0;
}

using Clock = std::chrono::steady_clock;

double milliseconds(Clock::time_point since) { return std::chrono::duration<double, std::milli>(Clock::now() - since).count(); }

void play(const char* model, const char* file, bool waits) {
  const auto start = Clock::now();
  std::vector<Detector> detectors = load(model);
  const double loaded = milliseconds(start);
  const std::vector<float> sound = read_samples(file);

  // Player i begins i * chunk / players samples later, so that not all models run in the same frame.
  const std::size_t length = sound.size() + chunk;
  const std::size_t frames = length * frames_per_second / rate;
  std::vector<std::vector<float>> speech(players);
  for (auto& each : speech) each.reserve(length / chunk + 1);
  std::vector<double> times;
  times.reserve(frames);
  auto next = Clock::now();
  for (std::size_t frame = 0; frame < frames; ++frame) {
    const auto began = Clock::now();
    counting = true;
    for (int i = 0; i < players; ++i) {
      const std::size_t delay = static_cast<std::size_t>(i) * chunk / players;
      for (std::size_t t = frame * rate / frames_per_second; t < (frame + 1) * rate / frames_per_second; ++t) {
        const bool plays = t >= delay && t - delay < sound.size();
        if (t >= delay && detectors[static_cast<std::size_t>(i)].hear(plays ? sound[t - delay] : 0.0F))
          speech[static_cast<std::size_t>(i)].push_back(detectors[static_cast<std::size_t>(i)].probability());
      }
    }
    counting = false;
    times.push_back(milliseconds(began));
    // Here a game would compute and draw its world.
    next += std::chrono::microseconds(1000000 / frames_per_second);
    if (waits) std::this_thread::sleep_until(next);
  }

  for (const auto& each : speech) {
    for (const float probability : each) std::printf("%.5f ", static_cast<double>(probability));
    std::printf("\n");
  }
  const auto late = std::count_if(times.begin(), times.end(), [](double ms) { return ms > budget; });
  std::sort(times.begin(), times.end());
  std::printf("%zu frames, %ld allocations; start %.0f ms\n", times.size(), allocations, loaded);
  std::printf("a frame: p50 %.3f ms, p99 %.3f ms, longest %.3f ms; %ld longer than %.0f ms\n", times[times.size() / 2],
              times[times.size() * 99 / 100], times.back(), static_cast<long>(late), budget);
  std::printf("memory: %ld KiB\n", resident_kib());
}

}  // namespace

int main(int argc, char** argv) {
  const bool fast = argc == 4 && std::strcmp(argv[3], "fast") == 0;
  if (argc != 3 && !fast) {
    std::fprintf(stderr, "usage: voice MODEL SAMPLES [fast]\n");
    return 2;
  }
  try {
    setenv("MOONTORCH_DNNL", "0", 0);  // oneDNN allocates in each convolution, and OpenBLAS in small products with AVX-512;
    setenv("MOONTORCH_BLAS", "0", 0);  // Moontorch's own kernels do not
    mt_set_num_threads(1);             // a frame must not wait for other threads
    play(argv[1], argv[2], !fast);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "voice: %s\n", e.what());
    return 1;
  }
  return 0;
}
