// Messages are packed, sent through a socket and unpacked. Also objects that threads share by number, and pools of processes.
#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "engine/core/descriptor.h"
#include "engine/messages/packet.h"
#include "engine/messages/process_pool.h"
#include "engine/messages/shared_objects.h"

namespace mt::messages {
namespace {

struct Sockets {
  Sockets() {
    int pair[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0);
    first = Descriptor(pair[0]);
    second = Descriptor(pair[1]);
  }
  Descriptor first, second;
};

// A message of a view of elements 3 to 6 of eight, and a code.
Message small_message(int64_t elements = 8) {
  Message message;
  message.count = 2;
  message.bytes = "bytes";
  message.texts = "texts";
  message.to_process = true;
  const int64_t stride = 1, shown = 4;
  const Tensor all = Tensor::empty(DType::float64, {&elements, 1}, cpu_device);
  for (int64_t i = 0; i < elements; ++i) all.data<double>()[i] = static_cast<double>(i) + 0.5;
  message.memories.push_back({all.storage_ptr(), 3, elements, false, false});
  message.tensors.push_back({Tensor::over(all.storage_ptr(), 3, {&shown, 1}, {&stride, 1}), 0});
  Codes codes;
  message.codes.push_back(codes.of("code"));
  return message;
}

Parcel through_socket(const Message& message) {
  const Sockets sockets;
  REQUIRE(Packet(message).send(sockets.first.get(), 7, 2, nullptr));
  Parcel parcel;
  REQUIRE(parcel.receive(sockets.second.get(), true) == Parcel::Received::yes);
  return parcel;
}

void check_elements(const Message& message) {
  REQUIRE(message.tensors.size() == 1);
  const Tensor& shown = message.tensors[0].tensor;
  REQUIRE(shown.numel() == 4);
  for (int64_t i = 0; i < 4; ++i) CHECK(shown.data<double>()[i] == static_cast<double>(i) + 3.5);
}

TEST_CASE("a message goes through a socket, in the packet or in a file of memory") {
  for (const int64_t elements : {int64_t{8}, int64_t{100'000}}) {
    Parcel parcel = through_socket(small_message(elements));
    CHECK(parcel.number() == 7);
    CHECK(parcel.sender() == 2);
    CHECK(!parcel.failed());
    Codes codes;
    Message received;
    parcel.unpack(codes, received);
    CHECK(received.count == 2);
    CHECK(received.bytes == "bytes");
    CHECK(received.texts == "texts");
    REQUIRE(received.codes.size() == 1);
    CHECK(received.codes[0] == codes.of("code"));
    check_elements(received);
  }
}

TEST_CASE("an error goes in the place of a message") {
  const Sockets sockets;
  REQUIRE(Packet(std::string("no")).send(sockets.first.get(), 1, 1, nullptr));
  Parcel parcel;
  REQUIRE(parcel.receive(sockets.second.get(), true) == Parcel::Received::yes);
  CHECK(parcel.failed());
  CHECK(parcel.error() == "no");
}

TEST_CASE("foreign bytes are an error, an empty socket has nothing, a closed one ends") {
  Sockets sockets;
  Parcel parcel;
  CHECK(parcel.receive(sockets.second.get(), false) == Parcel::Received::nothing);
  const std::string foreign(100, 'x');
  REQUIRE(::send(sockets.first.get(), foreign.data(), foreign.size(), 0) == static_cast<ssize_t>(foreign.size()));
  CHECK(parcel.receive(sockets.second.get(), true) == Parcel::Received::yes);
  CHECK(parcel.failed());
  sockets.first = Descriptor();
  CHECK(parcel.receive(sockets.second.get(), true) == Parcel::Received::end);
}

TEST_CASE("copied memory holds what the tensors show, and nothing that changes later") {
  Message message = small_message();
  const Tensor before = message.tensors[0].tensor;
  message.copy_memory();
  before.data<double>()[0] = -1;
  CHECK(message.memories[0].storage->size == 5);
  check_elements(message);
}

struct Never final : Patience {
  bool is_over() const override { return false; }
};
struct Over final : Patience {
  bool is_over() const override { return true; }
};

TEST_CASE("a mutex knows its thread, a wait ends when patience is over, and objects are found by number") {
  const auto mutex = make_shared_object<Mutex>();
  CHECK(find_shared(mutex->id) == mutex);
  CHECK(mutex->lock(Never()) == Mutex::Locked::yes);
  CHECK(mutex->lock(Never()) == Mutex::Locked::already);
  std::thread([&] {
    CHECK(!mutex->unlock());
    CHECK(mutex->lock(Over()) == Mutex::Locked::given_up);
  }).join();
  CHECK(mutex->unlock());
  const auto condition = make_shared_object<Condition>();
  CHECK(condition->wait(*mutex, Never()) == Condition::Waited::not_locked);
  CHECK(mutex->lock(Never()) == Mutex::Locked::yes);
  std::thread signaller([&] {
    CHECK(mutex->lock(Never()) == Mutex::Locked::yes);  // unlocked only while the other thread waits
    condition->signal();
    CHECK(mutex->unlock());
  });
  CHECK(condition->wait(*mutex, Never()) == Condition::Waited::yes);
  signaller.join();
  CHECK(mutex->unlock());
  const uint64_t id = std::make_unique<Mutex>()->id;
  CHECK(find_shared(id) == nullptr);
}

TEST_CASE("a pool's process runs a job, and its death ends the next one with an error") {
  ProcessPool pool(1);
  std::unique_ptr<ProcessPool::Place> place;
  uint64_t start = 0;
  if (pool.fork_one(place, start)) {
    Parcel job;
    Codes codes;
    place->next(job);
    place->answer(Packet(std::string("started")));
    while (place->next(job)) {
      Message message;
      job.unpack(codes, message);
      if (message.texts == "die") _exit(3);
      place->answer(Packet(small_message()));
    }
    _exit(0);
  }
  const auto wait = [&](uint64_t number) {
    ProcessPool::Done done;
    while (!pool.take(number, done)) pool.look(100);
    return done;
  };
  CHECK(wait(start).error == "started");
  ProcessPool::Done done = wait(pool.submit(small_message(), 0));
  CHECK(!done.failed);
  Codes codes;
  Message results;
  done.results.unpack(codes, results);
  check_elements(results);
  Message last = small_message();
  last.texts = "die";
  done = wait(pool.submit(last, 0));
  CHECK(done.failed);
  CHECK(done.error.find("ended with status 3") != std::string::npos);
  CHECK(pool.lacks_worker());
}

}  // namespace
}  // namespace mt::messages
