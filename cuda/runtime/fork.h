// Children of fork(): what CUDA, and the emulation's threads, hold of a device stays with the parent. A child of a process that has used a
// device gets an error where it would wait for what will never happen.
#pragma once

namespace mt::cuda {

void note_use();  // children that are born from now on can't use devices
bool is_unusable_child() noexcept;
void refuse_in_child();  // raises an error there

}  // namespace mt::cuda
