// A host asks for what runs to be given up, from a signal handler or another thread: long ops look for that between their blocks.
#pragma once

#include <atomic>

#include "engine/core/error.h"

namespace mt {

class Interrupted : public Error {
 public:
  Interrupted() : Error(Status::interrupted, "interrupted!") {}
};

namespace interrupt_detail {
inline std::atomic<int> asked{0};
[[noreturn]] void stop();
}  // namespace interrupt_detail

/// 1: the next op that looks ends, and with that it is done; 2: every one, until 0 takes it back. Gives what was asked for before. Signal
/// handlers may call it.
inline int ask_interrupt(int asked) { return interrupt_detail::asked.exchange(asked, std::memory_order_relaxed); }

/// To be called by whoever reports an Interrupted to the host.
void interrupt_reported();

inline bool interrupt_asked() { return interrupt_detail::asked.load(std::memory_order_relaxed) != 0; }

/// Raises Interrupted where the host has asked for it.
inline void look_for_interrupt() {
  if (interrupt_asked()) [[unlikely]]
    interrupt_detail::stop();
}

/// While one lives, its thread runs code that a library has generated: a program counter there says nothing of the host's own.
class GeneratedCode {
 public:
  GeneratedCode() { ++depth; }
  ~GeneratedCode() { --depth; }
  GeneratedCode(const GeneratedCode&) = delete;
  GeneratedCode& operator=(const GeneratedCode&) = delete;
  static bool runs() { return depth != 0; }

 private:
  static inline thread_local int depth = 0;
};

}  // namespace mt
