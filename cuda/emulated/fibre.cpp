#include "cuda/emulated/fibre.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>

#include "engine/core/sanitizer.h"

#if defined(MT_ADDRESS_SANITIZER)
#include <sanitizer/common_interface_defs.h>
#endif

// Pushes the callee-saved registers, stores the stack pointer in *own (first argument), and switches to `other` (second argument).
#if defined(__x86_64__)
asm(R"(
.text
.p2align 4
.hidden mt_fibre_switch
.globl mt_fibre_switch
.type mt_fibre_switch, @function
mt_fibre_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size mt_fibre_switch, .-mt_fibre_switch
)");
#elif defined(__aarch64__)
asm(R"(
.text
.p2align 4
.hidden mt_fibre_switch
.globl mt_fibre_switch
.type mt_fibre_switch, %function
mt_fibre_switch:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.size mt_fibre_switch, .-mt_fibre_switch
)");
#else
#error "fibres are written for x86-64 and aarch64"
#endif

extern "C" void mt_fibre_switch(void** own, void* other);

namespace mt::cuda::emulated {
namespace {

thread_local Fibre* running = nullptr;

void* first_frame(std::byte* stack, void (*entry)()) {
  auto* top = reinterpret_cast<void**>(stack + Fibre::stack_bytes);
#if defined(__x86_64__)
  *--top = nullptr;  // an unused return address, which aligns the stack as after a call
  *--top = reinterpret_cast<void*>(entry);
  for (int i = 0; i < 6; ++i) *--top = nullptr;
#else
  top -= 20;
  for (int i = 0; i < 20; ++i) top[i] = nullptr;
  top[11] = reinterpret_cast<void*>(entry);  // x30
#endif
  return top;
}

}  // namespace

Fibre::~Fibre() {
  if (stack_ != nullptr) munmap(stack_, stack_bytes);
}

void Fibre::begin(Body body, void* argument) {
  if (stack_ == nullptr) {
    void* const memory = mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
      std::perror("emulated device: no memory for a thread's stack");
      std::abort();
    }
    stack_ = static_cast<std::byte*>(memory);
    set_usable(stack_, stack_bytes, stack_bytes);  // memory of an earlier mapping may still be guarded
    finished_ = false;
    own_ = first_frame(stack_, &Fibre::enter);
  } else if (!finished_) {
    set_usable(stack_, stack_bytes, stack_bytes);  // abandoned frames may still be guarded
    own_ = first_frame(stack_, &Fibre::enter);
    fake_stack_ = nullptr;
  }
  finished_ = false;
  body_ = body;
  argument_ = argument;
}

bool Fibre::resume() {
  Fibre* const outer = running;
  running = this;
#if defined(MT_ADDRESS_SANITIZER)
  void* fake = nullptr;
  __sanitizer_start_switch_fiber(&fake, stack_, stack_bytes);
#endif
  mt_fibre_switch(&caller_, own_);
#if defined(MT_ADDRESS_SANITIZER)
  __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
  running = outer;
  return finished_;
}

void Fibre::suspend() {
  Fibre* const self = running;
#if defined(MT_ADDRESS_SANITIZER)
  __sanitizer_start_switch_fiber(&self->fake_stack_, self->caller_stack_, self->caller_stack_bytes_);
#endif
  mt_fibre_switch(&self->own_, self->caller_);
#if defined(MT_ADDRESS_SANITIZER)
  __sanitizer_finish_switch_fiber(self->fake_stack_, &self->caller_stack_, &self->caller_stack_bytes_);
#endif
}

void Fibre::enter() {
  Fibre* const self = running;
#if defined(MT_ADDRESS_SANITIZER)
  __sanitizer_finish_switch_fiber(nullptr, &self->caller_stack_, &self->caller_stack_bytes_);
#endif
  for (;;) {
    self->body_(self->argument_);
    self->finished_ = true;
    suspend();
  }
}

}  // namespace mt::cuda::emulated
