// Fibres: stacks of their own that one thread of the host switches between.
#pragma once

#include <cstddef>

namespace mt::cuda::emulated {

// A fibre runs a body again and again: each resume goes on where it suspended, or begins anew where it had finished.
class Fibre {
 public:
  using Body = void (*)(void* argument);
  static constexpr size_t stack_bytes = 128 * 1024;

  Fibre() = default;
  Fibre(const Fibre&) = delete;
  Fibre& operator=(const Fibre&) = delete;
  ~Fibre();

  void begin(Body body, void* argument);  // what the next resume runs; what was suspended is forgotten
  bool resume();                          // until it suspends (false) or the body has returned (true)
  static void suspend();                  // inside a fibre: back to who resumed it

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
