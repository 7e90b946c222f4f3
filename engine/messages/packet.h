// Messages between processes: bytes, and descriptors of memory that both have then.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/core/descriptor.h"
#include "engine/core/shared_memory.h"
#include "engine/messages/message.h"

namespace mt::messages {

// What is ready to go: as it was when it was packed, whatever becomes of the tensors. What is large goes in a file of memory.
class Packet {
 public:
  Packet() = default;
  // Raises C++ errors: what can't be copied, or more shared memories than one message can have.
  explicit Packet(const Message& message);
  explicit Packet(std::string error);  // in the place of results
  static void prepare();               // before the first fork of a process that is to receive some

  // Who receives it gets a job's number and the sender's with it, and a descriptor if one is given. False where the socket is full, or,
  // with errno, broken.
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
  const std::string& error() const { return bytes_; }  // where it has failed
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
