// Implements cuda/vendor/collectives.h on the host: transfers through memory that processes share (exchange.h), reductions in the order of
// the ranks. If the environment variable MOONTORCH_EMULATED_NCCL is 0, the library is missing.
#include "cuda/vendor/collectives.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

#include "cuda/emulated/exchange.h"
#include "cuda/emulated/launch.h"
#include "cuda/runtime/context.h"
#include "cuda/runtime/fork.h"
#include "cuda/runtime/streams.h"
#include "engine/core/environment.h"
#include "packages/distributed/reduction.h"

namespace mt::cuda::collectives {

using emulated::Exchange;

// A stream does its work when a thread waits for it. A rank that waits in a transfer is no such thread for the others, so each member has a
// thread that starts its streams' work while another rank waits.
struct Member {
  Member(const UniqueId& id, int all, int own, int on)
      : exchange(reinterpret_cast<const char*>(id.data()), all, own, on), device(on), watcher([this] { watch(); }) {}
  ~Member() {
    ends = true;
    watcher.join();
  }

  void watch() {
    while (!ends) {
      if (exchange.is_waited_for()) demand();
      std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
  }
  void demand() {
    const std::lock_guard guard(lock);
    for (emulated::Queue* const queue : queues) queue->demand();
  }
  bool is_idle() {
    const std::lock_guard guard(lock);
    return std::all_of(queues.begin(), queues.end(), [](emulated::Queue* queue) { return queue->is_done(); });
  }
  void use(Stream stream) {
    const std::lock_guard guard(lock);
    auto* const queue = static_cast<emulated::Queue*>(stream.handle);
    if (std::find(queues.begin(), queues.end(), queue) == queues.end()) queues.push_back(queue);
  }
  void fail(const std::string& text) {
    const std::lock_guard guard(lock);
    if (failure.empty()) failure = text;
  }

  Exchange exchange;
  const int device;
  std::mutex lock;
  std::vector<emulated::Queue*> queues;  // that have run its work
  std::string failure;
  std::atomic<bool> ends = false;
  std::thread watcher;
};

namespace {

// All communicators. When the process exits, all streams must finish their work together.
struct Members {
  std::mutex lock;
  std::vector<std::unique_ptr<Member>> all;

  ~Members() {
    if (is_unusable_child()) {  // the threads exist in the parent alone
      static const auto* const abandoned = new auto(std::move(all));
      static_cast<void>(abandoned);
      return;
    }
    for (int looks = 0; looks < 2000; ++looks) {  // 2 s, for ranks that have failed
      bool idle = true;
      for (const auto& member : all) {
        member->demand();
        idle = idle && member->is_idle();
      }
      if (idle) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    for (const auto& member : all) member->exchange.abort();
  }
};
Members& members() {
  default_stream(0);  // streams must outlive them
  static Members all;
  return all;
}

Communicator add(std::unique_ptr<Member> member) {
  const std::lock_guard guard(members().lock);
  return members().all.emplace_back(std::move(member)).get();
}

template <class F> auto raising(const char* what, F run) {
  try {
    return run();
  } catch (const std::runtime_error& problem) {
    raise(std::string(what) + ": " + problem.what());
  }
}

// Runs work in the stream's thread.
template <class F> void enqueue(Communicator member, Stream stream, F work) {
  count(Count::launch);
  member->use(stream);
  emulated::enqueue(stream, [member, work](emulated::Block&) {
    try {
      work(member->exchange);
    } catch (const std::runtime_error& problem) {
      member->fail(problem.what());
      emulated::Queue::report("nccl", problem.what());
    }
  });
}

enum Kind : int32_t { broadcasting, gathering, reducing_all, reducing, scattering };

std::byte* seen(const void* address) { return driver::reachable(static_cast<std::byte*>(const_cast<void*>(address))); }

// Messages of the group that this thread has begun.
struct Passing {
  Communicator member;
  Stream stream;
  std::vector<emulated::Message> messages;
};
thread_local int depth = 0;
thread_local std::vector<Passing> grouped;

void pass(Communicator member, Stream stream, const emulated::Message& message) {
  begin_group();
  auto found = std::find_if(grouped.begin(), grouped.end(), [&](const Passing& p) { return p.member == member && p.stream == stream; });
  if (found == grouped.end()) found = grouped.insert(found, {member, stream, {}});
  found->messages.push_back(message);
  end_group();
}

// Reduces all ranks' elements at the same place; `begin` is the byte of an input where the reduced part begins.
void reduce_part(Exchange& exchange, const std::byte* in, size_t begin, std::byte* out, const Reduced& elements) {
  const size_t size = static_cast<size_t>(size_of(elements.dtype));
  exchange.move(
      elements.count * size, [&](std::byte* slot, size_t at, size_t bytes) { std::memcpy(slot, in + begin + at, bytes); },
      [&](size_t at, size_t bytes) {
        if (out == nullptr) return;
        std::vector<const void*> inputs;
        for (int rank = 0; rank < exchange.ranks(); ++rank) inputs.push_back(exchange.slot(rank));
        distributed::reduce(static_cast<distributed::Reduction>(elements.reduction), static_cast<int32_t>(elements.dtype), inputs, out + at,
                            bytes / size);
      });
}

emulated::CallSignature signature(Kind kind, const Reduced& elements, int root = -1) {
  return {kind, static_cast<int32_t>(elements.dtype), static_cast<int32_t>(elements.reduction), root, elements.count};
}

}  // namespace

std::string missing() {
  const char* const wanted = own_variable("MOONTORCH_EMULATED_NCCL");
  return wanted != nullptr && std::string_view(wanted) == "0" ? "NCCL is needed, and MOONTORCH_EMULATED_NCCL=0 says that it is missing"
                                                              : "";
}
int version() { return 22809; }
bool reduces(DType dtype) { return ordered_dtypes.contains(dtype) && dtype != DType::int16; }  // as NCCL

std::string device_id(int device) { return "emulated " + std::to_string(device + 1); }

UniqueId unique_id() {
  UniqueId id{};
  const std::string name = Exchange::new_name();
  std::memcpy(id.data(), name.data(), name.size());
  return id;
}

Communicator join(int device, int ranks, const UniqueId& id, int rank) {
  return raising("join", [&] { return add(std::make_unique<Member>(id, ranks, rank, device)); });
}

std::vector<Communicator> join_all(const std::vector<int>& devices) {
  const UniqueId id = unique_id();
  const int ranks = static_cast<int>(devices.size());
  std::vector<std::unique_ptr<Member>> made(devices.size());
  std::vector<std::thread> joining;  // each waits for the others
  std::string problem;
  std::mutex lock;
  for (int rank = 0; rank < ranks; ++rank) {
    joining.emplace_back([&, rank] {
      const size_t place = static_cast<size_t>(rank);
      try {
        made[place] = std::make_unique<Member>(id, ranks, rank, devices[place]);
      } catch (const std::runtime_error& failed) {
        const std::lock_guard guard(lock);
        problem = failed.what();
      }
    });
  }
  for (std::thread& thread : joining) thread.join();
  if (!problem.empty()) raise("join: " + problem);
  std::vector<Communicator> all;
  for (std::unique_ptr<Member>& member : made) all.push_back(add(std::move(member)));
  return all;
}

void leave(Communicator communicator) noexcept {
  std::unique_ptr<Member> own;
  {
    const std::lock_guard guard(members().lock);
    const auto found = std::find_if(members().all.begin(), members().all.end(), [&](const auto& m) { return m.get() == communicator; });
    own = std::move(*found);
    members().all.erase(found);
  }
  for (emulated::Queue* const queue : own->queues) queue->settle();
}

void abort(Communicator communicator) noexcept {
  communicator->exchange.abort();
  communicator->fail("aborted");
}

std::string failure(Communicator communicator) {
  const std::lock_guard guard(communicator->lock);
  return communicator->failure;
}

void begin_group() { ++depth; }
void end_group() {
  if (--depth > 0) return;
  for (Passing& own : std::exchange(grouped, {})) {
    enqueue(own.member, own.stream, [messages = std::move(own.messages)](Exchange& exchange) { exchange.pass(messages); });
  }
}

void broadcast(Communicator communicator, Stream stream, const void* in, void* out, size_t bytes, int root) {
  enqueue(communicator, stream, [in = seen(in), out = seen(out), bytes, root](Exchange& exchange) {
    exchange.agree({broadcasting, 0, 0, root, bytes});
    const bool is_root = exchange.rank() == root;
    exchange.move(
        bytes,
        [&](std::byte* slot, size_t at, size_t n) {
          if (is_root) std::memcpy(slot, in + at, n);
        },
        [&](size_t at, size_t n) { std::memcpy(out + at, exchange.slot(root), n); });
  });
}

void all_gather(Communicator communicator, Stream stream, const void* in, void* out, size_t bytes) {
  enqueue(communicator, stream, [in = seen(in), out = seen(out), bytes](Exchange& exchange) {
    exchange.agree({gathering, 0, 0, -1, bytes});
    exchange.move(
        bytes, [&](std::byte* slot, size_t at, size_t n) { std::memcpy(slot, in + at, n); },
        [&](size_t at, size_t n) {
          for (int rank = 0; rank < exchange.ranks(); ++rank)
            std::memcpy(out + static_cast<size_t>(rank) * bytes + at, exchange.slot(rank), n);
        });
  });
}

void send(Communicator communicator, Stream stream, const void* in, size_t bytes, int peer) {
  pass(communicator, stream, {true, seen(in), bytes, peer});
}
void receive(Communicator communicator, Stream stream, void* out, size_t bytes, int peer) {
  pass(communicator, stream, {false, seen(out), bytes, peer});
}

void all_reduce(Communicator communicator, Stream stream, const void* in, void* out, const Reduced& elements) {
  enqueue(communicator, stream, [in = seen(in), out = seen(out), elements](Exchange& exchange) {
    exchange.agree(signature(reducing_all, elements));
    reduce_part(exchange, in, 0, out, elements);
  });
}

void reduce(Communicator communicator, Stream stream, const void* in, void* out, const Reduced& elements, int root) {
  enqueue(communicator, stream, [in = seen(in), out = seen(out), elements, root](Exchange& exchange) {
    exchange.agree(signature(reducing, elements, root));
    reduce_part(exchange, in, 0, exchange.rank() == root ? out : nullptr, elements);
  });
}

void reduce_scatter(Communicator communicator, Stream stream, const void* in, void* out, const Reduced& elements) {
  enqueue(communicator, stream, [in = seen(in), out = seen(out), elements](Exchange& exchange) {
    exchange.agree(signature(scattering, elements));
    const size_t bytes = elements.count * static_cast<size_t>(size_of(elements.dtype));
    for (int rank = 0; rank < exchange.ranks(); ++rank)
      reduce_part(exchange, in, static_cast<size_t>(rank) * bytes, exchange.rank() == rank ? out : nullptr, elements);
  });
}

}  // namespace mt::cuda::collectives
