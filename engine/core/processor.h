// The processors that threads run on.
#pragma once

namespace mt {

/// The number of processors in the affinity mask of this process.
int count_processors();

/// Whether other threads keep all processors of the machine busy at this moment, according to the system (takes 20 us). Libraries whose
/// threads wait for each other are then faster with one thread.
bool processors_are_busy();

/// Moves the calling worker away from the processor of the thread that woke it, so that it need not wait for that thread. Does nothing if
/// fewer than `threads` processors are allowed, since some threads then share one.
void leave_processor(int processor, int threads);

}  // namespace mt
