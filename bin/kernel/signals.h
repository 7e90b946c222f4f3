// SIGINT: only the main thread receives it, and only while Lua runs, because an interrupted system call ends xeus's loops.
#pragma once

namespace kernel {

/// Call this in the main thread, before other threads exist.
void prepare_signals();

/// Interrupts the main thread; callable from any thread.
void interrupt_main();

/// Also interrupts programs that the process has started, if it leads a process group: so a shell command ends, too.
void interrupt_group();

/// For its lifetime, the main thread receives SIGINT. Discards earlier ones, which were meant for earlier code.
class TakesInterrupts {
 public:
  TakesInterrupts();
  ~TakesInterrupts();
  TakesInterrupts(const TakesInterrupts&) = delete;
  TakesInterrupts& operator=(const TakesInterrupts&) = delete;
};

}  // namespace kernel
