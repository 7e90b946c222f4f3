// SIGINT: the main thread alone takes it, and only while Lua runs, as xeus's loops end at a call that was interrupted.
#pragma once

namespace kernel {

/// To be called in the main thread, before there are others.
void prepare_signals();

/// Interrupts what the main thread runs. From any thread.
void interrupt_main();

/// The same, and for the programs that it has started, where the process leads a group of its own: so a shell command ends, too.
void interrupt_group();

/// While it lives, the main thread takes SIGINT. One that came before is forgotten: it was meant for what ran then.
class TakesInterrupts {
 public:
  TakesInterrupts();
  ~TakesInterrupts();
  TakesInterrupts(const TakesInterrupts&) = delete;
  TakesInterrupts& operator=(const TakesInterrupts&) = delete;
};

}  // namespace kernel
