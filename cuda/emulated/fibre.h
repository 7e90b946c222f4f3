// Fibres: stacks between which one thread of the host switches.
#pragma once

#include <cstddef>

namespace mt::cuda::emulated {

// A fibre runs a body repeatedly: resume() continues where the body suspended, or starts it again if it has returned.
class Fibre {
 public:
  using Body = void (*)(void* argument);
  static constexpr size_t stack_bytes = 128 * 1024;

  Fibre() = default;
  Fibre(const Fibre&) = delete;
  Fibre& operator=(const Fibre&) = delete;
  ~Fibre();

  void begin(Body body, void* argument);  // sets the body for the next resume, and abandons a suspended one
  bool resume();                          // runs until the body suspends (false) or returns (true)
  static void suspend();                  // in a fibre: returns to the caller of resume()

 private:
  static void enter();

  std::byte* stack_ = nullptr;
  void* own_ = nullptr;  // stack pointers while the other side runs
  void* caller_ = nullptr;
  Body body_ = nullptr;
  void* argument_ = nullptr;
  bool finished_ = false;
  const void* caller_stack_ = nullptr;  // for the address sanitizer
  size_t caller_stack_bytes_ = 0;
  void* fake_stack_ = nullptr;
};

}  // namespace mt::cuda::emulated
