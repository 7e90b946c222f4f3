// Children of fork(): the state of CUDA, and the emulation's threads, exist in the parent alone. A child of a process that has used a
// device gets an error for uses that would otherwise wait forever.
#pragma once

namespace mt::cuda {

void note_use();  // later children can't use devices
bool is_unusable_child() noexcept;
void refuse_in_child();  // raises an error in such a child

}  // namespace mt::cuda
