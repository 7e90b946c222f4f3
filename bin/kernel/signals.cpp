// Threads inherit the mask of blocked signals at creation, so that SIGINT goes to the main thread, or stays pending for it.
#include "signals.h"

#include <pthread.h>
#include <unistd.h>

#include <csignal>

namespace kernel {
namespace {

pthread_t main_thread;

void block(int how) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  pthread_sigmask(how, &set, nullptr);
}

}  // namespace

void prepare_signals() {
  main_thread = pthread_self();
  block(SIG_BLOCK);
  signal(SIGPIPE, SIG_IGN);
}

void interrupt_main() { pthread_kill(main_thread, SIGINT); }

void interrupt_group() {
  if (getpgrp() == getpid()) {
    kill(0, SIGINT);
  } else {
    interrupt_main();
  }
}

TakesInterrupts::TakesInterrupts() {
  struct sigaction ignored = {}, former;
  ignored.sa_handler = SIG_IGN;
  sigaction(SIGINT, &ignored, &former);  // discards a pending signal
  sigaction(SIGINT, &former, nullptr);
  block(SIG_UNBLOCK);
}

TakesInterrupts::~TakesInterrupts() { block(SIG_BLOCK); }

}  // namespace kernel
