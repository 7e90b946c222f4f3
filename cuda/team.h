// Teams: the threads of a block that compute one result. All teams have the same power of two of threads. Neighbouring threads belong to
// the same team (rows), or to the teams of neighbouring results (columns: then a block has 32 teams or more).
#pragma once

#include <algorithm>
#include <bit>

#include "cuda/grid.h"
#include "cuda/launch.h"

namespace mt::cuda {

struct Teams {
  int size = 1;             // threads of a team
  int count = 1;            // teams of a block
  bool by_columns = false;  // thread number i belongs to team i % count, else to i / size

  constexpr int threads() const { return size * count; }
  MT_DEVICE int team(const Thread& t) const { return by_columns ? t.index() % count : t.index() / size; }
  MT_DEVICE int place(const Thread& t) const { return by_columns ? t.index() / count : t.index() % size; }

  // The number of states in shared memory that merge_team() needs.
  constexpr int shared_count() const { return by_columns ? (size > 1 ? threads() : 0) : (size > warp_size ? threads() / warp_size : 0); }
};

// The number of threads, and of parts, for a fold of n elements for each of `results` results, so that a large device is busy. It depends
// on sizes alone, and so do the rounding errors of sums.
struct Work {
  Teams teams;
  int64_t results = 1, n = 0;
  int64_t parts = 1, part_elements = 0;  // per result

  // by_columns: whether neighbours in memory are elements of different results.
  static Work of(int64_t n, int64_t results, bool by_columns);
  static Work undivided(int64_t n, int64_t results);  // one thread per result

  constexpr int64_t groups() const { return (results + teams.count - 1) / teams.count; }  // blocks for one part of each result
  int64_t blocks() const { return std::min(groups() * parts, most_blocks); }
};

inline Work Work::of(int64_t n, int64_t results, bool by_columns) {
  constexpr int64_t usual = 16, fewest = 4;    // elements per thread
  constexpr int64_t enough_threads = 1 << 17;  // to keep a device busy
  constexpr int64_t most_units = 1024;         // blocks beyond which results are not divided
  constexpr int64_t most_rows = 8;             // threads of a team with by_columns
  const auto power_of_two = [](int64_t i) { return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(i, 1)))); };
  Work work{.teams = {}, .results = results, .n = n, .parts = 1, .part_elements = n};
  if (by_columns) {
    const int64_t size = std::min(power_of_two(n / usual), most_rows);
    work.teams = {static_cast<int>(size), static_cast<int>(block_threads / size), true};
  } else {
    const bool many = results >= enough_threads / std::max<int64_t>(1, n / usual);
    const int64_t size = std::min<int64_t>(power_of_two(n / (many ? usual : fewest)), block_threads);
    const int64_t wanted = std::min<int64_t>(results, block_threads) * size;
    const int64_t threads = std::clamp<int64_t>(power_of_two(wanted), warp_size, block_threads);
    work.teams = {static_cast<int>(size), static_cast<int>(threads / size), false};
  }
  const int64_t least = work.teams.size * usual, most = std::max<int64_t>(1, most_units / std::max<int64_t>(1, work.groups())),
                parts = std::clamp<int64_t>(n / (2 * least), 1, most);
  if (parts == 1) return work;
  work.part_elements = ((n + parts - 1) / parts + least - 1) / least * least;
  work.parts = (n + work.part_elements - 1) / work.part_elements;
  return work;
}

inline Work Work::undivided(int64_t n, int64_t results) {
  return {.teams = {1, block_threads, true}, .results = results, .n = n, .parts = 1, .part_elements = n};
}

// Applies move(word) to each word of a value: for shuffles of values of any size.
template <class S, class Move> MT_DEVICE S moved_by_words(const S& value, Move move) {
  using Word = std::conditional_t<sizeof(S) <= 4, uint32_t, uint64_t>;
  constexpr int count = (sizeof(S) + sizeof(Word) - 1) / sizeof(Word);
  Word words[count] = {};
  std::memcpy(words, &value, sizeof(S));
  for (int i = 0; i < count; ++i) words[i] = move(words[i]);
  S other;
  std::memcpy(&other, words, sizeof(S));
  return other;
}
template <class S> MT_DEVICE S shuffled(Thread& t, const S& value, int mask) {  // from the lane whose number differs in the bits of `mask`
  return moved_by_words(value, [&](auto word) { return t.shuffle_xor(word, mask); });
}
template <class S> MT_DEVICE S shuffled_up(Thread& t, const S& value, int distance) {
  return moved_by_words(value, [&](auto word) { return t.shuffle_up(word, distance); });
}

// Sets each thread's state to the merged states of its team's threads, in order, by merge(into, later). `scratch`, of shared_count()
// elements, may be reused after the call.
template <class S, class Merge> MT_DEVICE void merge_team(Thread& t, const Teams& teams, S& state, Shared<S> scratch, Merge merge) {
  if (teams.size == 1) return;
  int parts = teams.size, first = teams.team(t), step = teams.count;
  if (teams.by_columns) {
    scratch.set(t.index(), state);
  } else {
    for (int mask = 1; mask < teams.size && mask < warp_size; mask *= 2) {
      S other = shuffled(t, state, mask);
      if ((t.lane() & mask) != 0) {
        merge(other, state);
        state = other;
      } else {
        merge(state, other);
      }
    }
    if (teams.size <= warp_size) return;
    parts = teams.size / warp_size;
    first = teams.team(t) * parts;
    step = 1;
    if (t.lane() == 0) scratch.set(t.warp(), state);
  }
  t.barrier();
  state = scratch.get(first);
  for (int i = 1; i < parts; ++i) merge(state, scratch.get(first + i * step));
  t.barrier();
}

}  // namespace mt::cuda
