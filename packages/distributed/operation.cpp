#include "packages/distributed/operation.h"

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string_view>

namespace mt::distributed {
namespace {

enum MessagePart { message_header, message_answer, message_elements };

constexpr size_t most_elements = 1 << 30;  // of one transfer: MPI counts in int

uint64_t hash(std::string_view text) {  // FNV-1a
  uint64_t code = 0xcbf29ce484222325u;
  for (const char c : text) code = (code ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return code;
}

template <size_t n> void copy_text(char (&to)[n], const char* from) { std::snprintf(to, n, "%s", from); }

constexpr uint64_t accepted = 1, refused = 0;

constexpr size_t most_named = 4;  // ranks in a message

}  // namespace

Operation::Operation(World& world, Group& group, const mt_distributed_call& call)
    : world_(world), group_(group), call_(call), bytes_(size_of(call.dtype)), own_{}, answer_{}, begun_(now()) {
  own_.key = hash(call.key);
  copy_text(own_.call, call.call);
  copy_text(own_.line, call.line);
  call_.key = call_.call = call_.line = nullptr;
  const Kind kind = static_cast<Kind>(call.kind);
  lane_ = int64_t{group.number} << 40;
  if (kind == Kind::send || kind == Kind::receive) {
    lane_ = -(lane_ | (int64_t{call.peer} + 1) << 20 | int64_t{call.tag % 0x7ffff} << 1 | (kind == Kind::send));
    kind == Kind::send ? plan_send() : plan_receive();
    return;
  }
  if (group.size > 1) {
    then([this] {
      const Agreement::Cargo blocks = cargo();
      has_cargo_ = blocks.bytes > 0;
      agreement_ = std::make_unique<Agreement>(world_, group_, own_, call_.timeout, blocks);
    });
    then([this] { compare(); });
  }
  then([this] { plan(); });
}

void Operation::send(const void* from, size_t count, size_t bytes, int rank, int tag) {
  for (size_t begin = 0; begin < count; begin += most_elements) {
    const int n = static_cast<int>(std::min(count - begin, most_elements));
    const Request request = world_.send(group_, static_cast<const std::byte*>(from) + begin * bytes, n, world_.element(bytes), rank, tag);
    transfers_.push_back({request, rank, false, left_});
    if (left_ != nullptr) ++*left_;
  }
}

void Operation::receive(void* to, size_t count, size_t bytes, int rank, int tag) {
  for (size_t begin = 0; begin < count; begin += most_elements) {
    const int n = static_cast<int>(std::min(count - begin, most_elements));
    const Request request = world_.receive(group_, static_cast<std::byte*>(to) + begin * bytes, n, world_.element(bytes), rank, tag);
    transfers_.push_back({request, rank, true, left_});
    if (left_ != nullptr) ++*left_;
  }
}

int Operation::whole_count() const {
  if (call_.count > INT_MAX) throw std::runtime_error("count: " + std::to_string(call_.count) + " elements, expected at most 2147483647");
  return static_cast<int>(call_.count);
}

bool Operation::transfers_ended() {
  std::erase_if(transfers_, [&](Transfer& transfer) {
    const bool done = world_.ended(transfer.request);
    if (done && transfer.left != nullptr) --*transfer.left;
    return done;
  });
  return transfers_.empty();
}

bool Operation::exchanges_ended() const { return (agreement_ == nullptr || agreement_->ended()) && (chain_ == nullptr || chain_->ended()); }

bool Operation::advance() {
  bool moved = false;
  try {
    if (!group_.broken.empty()) fail(group_.broken);
    while (!ended_) {
      bool any_moved = false;
      for (Exchange* const exchange : {static_cast<Exchange*>(agreement_.get()), static_cast<Exchange*>(chain_.get())}) {
        if (exchange != nullptr && !exchange->ended()) any_moved = exchange->advance() || any_moved;
      }
      moved = moved || any_moved;
      const bool all_ended = transfers_ended() && exchanges_ended();
      if (any_moved && !all_ended) continue;
      if (combine_next_block()) {
        moved = true;
        continue;
      }
      if (!all_ended) break;
      moved = true;
      if (stages_.empty()) {
        ended_ = true;
        break;
      }
      const Stage stage = std::move(stages_.front());
      stages_.pop_front();
      stage();
    }
    if (!ended_ && !moved) check_time();
  } catch (const std::exception& problem) {
    group_.broken = "an earlier call failed: " + std::string(problem.what());
    fail(problem.what());
  }
  return moved || ended_;
}

void Operation::fail(const std::string& reason) {
  error_ = reason;
  ended_ = true;
}

std::vector<int> Operation::waited_for() const {
  std::vector<int> ranks;
  const auto add = [&](int place) {
    const int rank = group_.members[static_cast<size_t>(place)];
    if (std::find(ranks.begin(), ranks.end(), rank) == ranks.end()) ranks.push_back(rank);
  };
  for (const Transfer& transfer : transfers_) {
    if (transfer.rank >= 0 && transfer.incoming) add(transfer.rank);
  }
  for (const Transfer& transfer : transfers_) {
    if (transfer.rank >= 0 && ranks.empty()) add(transfer.rank);
  }
  for (const Exchange* const exchange : {static_cast<Exchange*>(agreement_.get()), static_cast<Exchange*>(chain_.get())}) {
    if (exchange == nullptr || exchange->ended()) continue;
    for (const int place : exchange->waits_for()) add(place);
  }
  if (!ranks.empty() || transfers_.empty()) return ranks;
  // A collective call of MPI does not say which ranks are late: those whose processes are stopped, or any.
  for (const bool lost : {true, false}) {
    for (int place = 0; place < group_.size && (!lost || ranks.size() < most_named); ++place) {
      if (place != group_.rank && (!lost || world_.board->is_lost(group_.members[static_cast<size_t>(place)]))) add(place);
    }
    if (!ranks.empty()) break;
  }
  return ranks;
}

std::string Operation::waits_for() const {
  std::string text;
  for (const int rank : waited_for()) {
    if (text.size() > 60) return text + ", ...";
    text += (text.empty() ? "" : ", ") + std::to_string(rank);
  }
  return text;
}

std::string Operation::waited_ranks() const {
  std::string text;
  size_t found = 0;
  for (const int rank : waited_for()) {
    if (++found > most_named) return text + " and others";
    text += (found == 1 ? " for rank " : ", rank ") + std::to_string(rank);
    std::string state = world_.board->about(rank);
    const auto place = std::find(group_.members.begin(), group_.members.end(), rank) - group_.members.begin();
    const std::string last = group_.last_call(static_cast<int>(place));
    if (state.empty() && !last.empty()) state = "whose last call was " + last;
    if (!state.empty()) text += ", " + state;
  }
  return text;
}

void Operation::check_time() {
  constexpr double grace = 2;  // seconds in which the last transfers of a rank that has finished arrive
  const double passed = now() - begun_;
  const bool too_long = passed >= call_.timeout;
  if (!too_long) {
    if (passed < grace) return;
    const std::vector<int> ranks = waited_for();
    if (std::none_of(ranks.begin(), ranks.end(), [&](int rank) { return world_.board->has_finished(rank, grace); })) return;
  }
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%g", call_.timeout);
  const std::string reason = "rank " + std::to_string(group_.members[static_cast<size_t>(group_.rank)]) +
                             (too_long ? " waited " + std::string(seconds) + " s" : " waits") + waited_ranks();
  group_.broken = "an earlier call failed: " + reason;
  fail(reason);
}

// The blocks of a short call.
Agreement::Cargo Operation::cargo() const {
  const Kind kind = static_cast<Kind>(call_.kind);
  const size_t bytes = static_cast<size_t>(call_.count) * bytes_;
  const bool has_root = kind == Kind::broadcast;
  const bool can = has_root || kind == Kind::all_reduce || kind == Kind::reduce || kind == Kind::all_gather;
  const int root = has_root ? call_.peer : -1;
  if (!can || call_.begin != nullptr || !Agreement::carries(group_, bytes, root)) return {nullptr, 0, -1};
  return {has_root ? call_.output : call_.input, bytes, root};
}

void Operation::compare() {
  std::string refusal = agreement_->refusal();
  if (!refusal.empty()) return fail(refusal);
  group_.agreed = own_;
}

int Operation::message_tag(int what) const { return message_tags + 4 * call_.tag + what; }

void Operation::plan_send() {
  then([this] {
    send(&own_, sizeof(Header), 1, call_.peer, message_tag(message_header));
    receive(&answer_, sizeof(Header), 1, call_.peer, message_tag(message_answer));
  });
  then([this] {
    if (answer_.key == accepted)
      return send(call_.input, static_cast<size_t>(call_.count), bytes_, call_.peer, message_tag(message_elements));
    fail(own_.text() + " was refused: rank " + std::to_string(group_.members[static_cast<size_t>(call_.peer)]) + " expects " +
         answer_.text());
  });
}

void Operation::plan_receive() {
  then([this] { receive(&theirs_, sizeof(Header), 1, call_.peer, message_tag(message_header)); });
  then([this] {
    answer_ = own_;
    answer_.key = theirs_.key == own_.key ? accepted : refused;
    send(&answer_, sizeof(Header), 1, call_.peer, message_tag(message_answer));
    if (answer_.key == accepted) receive(call_.output, static_cast<size_t>(call_.count), bytes_, call_.peer, message_tag(message_elements));
  });
  then([this] {
    if (answer_.key == accepted) return;
    fail(own_.text() + " got another message: " + theirs_.text() + " from rank " +
         std::to_string(group_.members[static_cast<size_t>(call_.peer)]));
  });
}

}  // namespace mt::distributed
