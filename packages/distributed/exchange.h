// A part of a call in which several messages pass between the ranks, whose order depends on what arrives.
#pragma once

#include <vector>

namespace mt::distributed {

class Exchange {
 public:
  Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  virtual ~Exchange() = default;

  // Goes as far as possible without waiting. Returns whether anything has happened.
  virtual bool advance() = 0;

  // Whether all of its messages have been sent and received. Its memory must stay until then.
  virtual bool ended() const = 0;

  // The ranks in the group for which it waits.
  virtual std::vector<int> waits_for() const = 0;
};

}  // namespace mt::distributed
