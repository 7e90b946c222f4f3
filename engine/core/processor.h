// The processors that threads run on.
#pragma once

namespace mt {

/// How many this process may use: those of the affinity mask.
int count_processors();

/// Whether other threads of this machine keep all its processors busy, as far as the system says so at this moment (20 us). A library whose
/// threads wait for each other is then faster with one.
bool processors_are_busy();

/// Makes the calling worker leave a processor: that of the thread which woke it, so that it doesn't wait for it. Not where fewer than
/// `threads` are allowed, as then some must share one.
void leave_processor(int processor, int threads);

}  // namespace mt
