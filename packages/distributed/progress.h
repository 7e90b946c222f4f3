// The operations that have begun, and the threads that continue them: callers that wait, and a thread of the library while none does.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "packages/distributed/operation.h"

namespace mt::distributed {

// Initialises MPI at the first call. The process finalises it at its exit.
class Progress {
 public:
  Progress(const char* board_path, const char* line, double timeout) : world_(board_path, line, timeout) {}

  int rank(int32_t group);
  int size(int32_t group);
  int32_t new_group(std::vector<int> members, const char* call, const char* line, double timeout);
  int64_t begin(int32_t group, const mt_distributed_call& call);
  bool wait(int64_t number, double seconds);  // raises the operation's error
  int64_t messages();
  int64_t pending();  // operations that have not ended

  // Keeps the package from MPI, which another library uses meanwhile.
  Comm hold(int32_t group, const char* call, const char* line);
  void release();

  void run_in_background();

  // Ends MPI, if the process ends well.
  void finalise(int status);

 private:
  struct Active {
    int64_t number;
    std::unique_ptr<Operation> operation;
  };

  Group& group(int32_t number);
  bool advance_all();
  void show_pending();
  void work();

  std::mutex mutex_;  // of all that follows, and of MPI
  World world_;
  std::list<Active> active_;                           // in the order in which they began
  std::vector<std::unique_ptr<Operation>> abandoned_;  // failed ones, to whose memory MPI may still write
  std::vector<int64_t> lanes_;                         // of the operations that go on
  int64_t last_number_ = 0, shown_ = 0;                // the last operation that began, and the one on the board
  bool pending_shown_ = false;
  std::condition_variable changed_;
  std::thread worker_;
  int waiting_ = 0;  // callers
  bool stops_ = false;
};

}  // namespace mt::distributed
