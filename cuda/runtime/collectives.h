// The calls that ranks make together: those of the vendor's library, and others that consist of messages.
#pragma once

#include <memory>

#include "cuda/api.h"
#include "cuda/runtime/driver.h"
#include "cuda/vendor/collectives.h"

namespace mt::cuda {

// A rank's membership; leaves when nothing uses it any more.
struct Membership {
  Membership(collectives::Communicator native, int device, int rank, int ranks)
      : native(native), device(device), rank(rank), ranks(ranks) {}
  ~Membership() { collectives::leave(native); }
  Membership(const Membership&) = delete;
  Membership& operator=(const Membership&) = delete;

  const collectives::Communicator native;
  const int device, rank, ranks;
};

// Calls in its scope run together; end() raises their errors.
class CollectiveGroup {
 public:
  CollectiveGroup() { collectives::begin_group(); }
  ~CollectiveGroup();
  CollectiveGroup(const CollectiveGroup&) = delete;
  CollectiveGroup& operator=(const CollectiveGroup&) = delete;
  void end() {
    open_ = false;
    collectives::end_group();
  }

 private:
  bool open_ = true;
};

// Raises an error unless the call is complete, and its memory on the communicator's device.
void check_collective(const char* function, const Membership& member, const mt_cuda_collective& call);
void run_collective(const Membership& member, Stream stream, const mt_cuda_collective& call);

// A call that begins later, between two events.
class CollectiveWork {
 public:
  CollectiveWork(std::shared_ptr<Membership> member, Stream stream, const mt_cuda_collective& call);
  ~CollectiveWork();
  CollectiveWork(const CollectiveWork&) = delete;
  CollectiveWork& operator=(const CollectiveWork&) = delete;

  void begin();
  void await();
  bool is_done();

 private:
  void check_begun() const;

  const std::shared_ptr<Membership> member_;
  const Stream stream_;
  const mt_cuda_collective call_;
  Event before_, after_;
  bool begun_ = false;
};

}  // namespace mt::cuda
