// A game's loop at 60 frames a second: a small network balances a pole on a cart, which this program simulates. In each frame the network
// returns the force (one forward pass), and learns from a controller that uses the physics (one training step, on recent states).
// The program uses the C++ interface alone, without Lua.
//
//     game [SECONDS [SEED]]      prints how long the pole stood in each try, and then how long forward, training and a frame took;
//                                everything but the times is the same for the same seed
//
//     c++ -std=c++17 game.cpp -lmoontorch -o game
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <string>
#include <vector>

#include <moontorch/session.hpp>

namespace mt = moontorch;

namespace {

constexpr double frame_seconds = 1.0 / 60;
constexpr int inputs = 4, hidden = 16, batch = 32, remembered = 256;

// Barto, Sutton and Anderson (1983), "Neuronlike adaptive elements that can solve difficult learning control problems".
struct CartPole {
  double x = 0, speed = 0, angle = 0, turn = 0;

  void step(double force) {
    constexpr double gravity = 9.8, cart = 1, pole = 0.1, half = 0.5;
    const double s = std::sin(angle), c = std::cos(angle);
    const double push = (force + pole * half * turn * turn * s) / (cart + pole);
    const double turning = (gravity * s - c * push) / (half * (4.0 / 3 - pole * c * c / (cart + pole)));
    const double pushing = push - pole * half * turning * c / (cart + pole);
    x += frame_seconds * speed, speed += frame_seconds * pushing;
    angle += frame_seconds * turn, turn += frame_seconds * turning;
  }
  bool fallen() const { return std::abs(x) > 2.4 || std::abs(angle) > 0.21; }
  // The target of the network: a force from -1 to 1.
  double teacher() const { return std::clamp(0.1 * x + 0.25 * speed + 4 * angle + 0.8 * turn, -1.0, 1.0); }
};

// Policy and training on the game's memory: tensors of this memory are created once, and nothing is copied.
class Pilot {
 public:
  explicit Pilot(std::uint64_t seed) : random_(seed) {
    session_.seed(seed);
    session_.make("torch.setdefaulttensortype", {"torch.FloatTensor"});
    net_ = session_.make("nn.Sequential");
    net_.add(session_.make("nn.Linear", {inputs, hidden})).add(session_.make("nn.Tanh")).add(session_.make("nn.Linear", {hidden, 1}));
    criterion_ = session_.make("nn.MSECriterion");
    adam_ = session_.optimizer("Adam", net_, {{"learningRate", 0.003}});
    state_ = session_.object(mt::Tensor::borrow(state_memory_, {1, inputs}));
    states_ = session_.object(mt::Tensor::borrow(batch_memory_, {batch, inputs}));
    targets_ = session_.object(mt::Tensor::borrow(target_memory_, {batch, 1}));
  }

  double force(const CartPole& world) {
    describe(world, state_memory_);
    return std::clamp(net_.forward(state_).number(), -1.0, 1.0);
  }

  // One training step on `batch` recent states. Returns the loss.
  double learn(const CartPole& world) {
    remember(world);
    for (int i = 0; i < batch; ++i) {
      const Seen& seen = memory_[random_() % memory_.size()];
      std::copy(seen.state, seen.state + inputs, batch_memory_ + i * inputs);
      target_memory_[i] = seen.force;
    }
    adam_.zero_grad();
    const mt::Object loss = criterion_(net_(states_), targets_);
    loss.backward();
    adam_.step();
    return loss.number();
  }

 private:
  struct Seen {
    float state[inputs], force;
  };

  // Scales the state to values near 1: the pole moves by a fraction of a radian, the cart by a few metres.
  static void describe(const CartPole& world, float* to) {
    const double numbers[inputs] = {world.x, world.speed, 5 * world.angle, world.turn};
    std::copy(numbers, numbers + inputs, to);
  }
  void remember(const CartPole& world) {
    Seen seen;
    describe(world, seen.state);
    seen.force = static_cast<float>(world.teacher());
    if (memory_.size() < remembered) return memory_.push_back(seen);
    memory_[next_++ % remembered] = seen;
  }

  std::mt19937 random_;
  std::vector<Seen> memory_;
  std::size_t next_ = 0;
  float state_memory_[inputs], batch_memory_[batch * inputs], target_memory_[batch];
  mt::Session session_;
  mt::Module net_;
  mt::Object criterion_, state_, states_, targets_;
  mt::Optimizer adam_{mt::Object()};
};

class Stopwatch {
 public:
  double milliseconds() {  // since the last call
    const auto now = std::chrono::steady_clock::now();
    const double passed = std::chrono::duration<double, std::milli>(now - last_).count();
    last_ = now;
    return passed;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

void print_times(const char* what, std::vector<double>& times) {
  std::sort(times.begin(), times.end());
  std::printf("%s: p50 %.3f ms, p99 %.3f ms\n", what, times[times.size() / 2], times[times.size() * 99 / 100]);
}

void play(double seconds, std::uint64_t seed) {
  Pilot pilot(seed);
  std::mt19937 random(seed + 1);
  std::uniform_real_distribution<double> little(-0.05, 0.05);
  const auto start = [&] { return CartPole{little(random), little(random), little(random), little(random)}; };
  CartPole world = start();
  std::vector<double> forward, training, whole;
  double loss = 0;
  const int frames = static_cast<int>(std::ceil(seconds / frame_seconds));
  for (int frame = 0, began = 0, tries = 1; frame < frames; ++frame) {
    Stopwatch watch;
    const double force = pilot.force(world);
    forward.push_back(watch.milliseconds());
    loss = pilot.learn(world);
    training.push_back(watch.milliseconds());
    whole.push_back(forward.back() + training.back());
    world.step(10 * force);
    const bool ends = frame + 1 == frames;
    if (!world.fallen() && !ends) continue;
    std::printf("try %d: %s %.2f s, loss %.1e\n", tries++, world.fallen() ? "fell after" : "still stands after",
                (frame + 1 - began) * frame_seconds, loss);
    world = start(), began = frame + 1;
  }
  const long late = std::count_if(whole.begin(), whole.end(), [](double ms) { return ms > 1000 * frame_seconds; });
  print_times("forward", forward);
  print_times("training", training);
  print_times("frame", whole);
  std::printf("%ld of %d frames took longer than %.1f ms\n", late, frames, 1000 * frame_seconds);
}

}  // namespace

int main(int argc, char** argv) {
  char *end = nullptr, *seed_end = nullptr;
  const double seconds = argc > 1 ? std::strtod(argv[1], &end) : 60;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], &seed_end, 10) : 1;
  const bool good = argc <= 3 && (argc < 2 || *end == '\0') && (argc < 3 || (*seed_end == '\0' && argv[2][0] != '-'));
  if (!good || !(seconds > 0 && seconds <= 3600)) {
    std::fprintf(stderr, "usage: game [SECONDS [SEED]], up to 3600 s\n");
    return 2;
  }
  try {
    mt_set_num_threads(1);  // a network this small gains nothing from more, and frames don't wait for other threads
    play(seconds, seed);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "game: %s\n", e.what());
    return 1;
  }
  return 0;
}
