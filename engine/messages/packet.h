// Messages between processes: bytes, and file descriptors of shared memory.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/core/descriptor.h"
#include "engine/core/shared_memory.h"
#include "engine/messages/message.h"

namespace mt::messages {

// A packed message, independent of later writes to the tensors. Large ones are sent as a memory file.
class Packet {
 public:
  Packet() = default;
  // Raises C++ errors: values that can't be copied, or more shared memories than one message can carry.
  explicit Packet(const Message& message);
  explicit Packet(std::string error);  // instead of results
  static void prepare();               // call before forking the first receiver

  // Sends the packet with the numbers of a job and its sender, and with a descriptor if `along` is not null. Returns false if the socket is
  // full or broken (see errno).
  bool send(int socket, uint64_t number, int sender, const int* along) const;

 private:
  friend class Parcel;
  bool failed_ = false;
  std::string bytes_;
  Descriptor file_;
  std::vector<std::shared_ptr<SharedMemory>> shared_;
};

// A packet that was received.
class Parcel {
 public:
  enum class Received : uint8_t { yes, nothing, end };
  Received receive(int socket, bool wait);
  uint64_t number() const { return number_; }
  int sender() const { return sender_; }
  bool failed() const { return failed_; }
  const std::string& error() const { return bytes_; }  // if failed()
  Descriptor take_along() { return std::move(along_); }
  // Fills an empty message. Raises C++ errors.
  void unpack(Codes& codes, Message& message);

 private:
  uint64_t number_ = 0;
  int sender_ = 0;
  bool failed_ = false;
  std::string bytes_;
  Descriptor file_, along_;
  std::vector<Descriptor> shared_;
};

}  // namespace mt::messages
