// The hook of profiles: it measures ops, regions and loops, and with a watch of storages memory.
//
// Events are in the order of their beginnings; an event inside of another one names it as its parent. Times are nanoseconds of the steady
// clock since the profile began.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "bindings/lua/profile/places.h"
#include "engine/core/loop_observer.h"
#include "engine/core/observing_hook.h"
#include "engine/core/storage_watch.h"

namespace mt::lua {

class Profiler final : public ObservingHook, public LoopObserver, public StorageWatch {
 public:
  struct Options {
    bool stacks = false;       // Lua's stack of each event
    bool shapes = false;       // sizes of the arguments
    bool memory = false;       // blocks of storages
    bool synchronize = false;  // an event on another device ends when its work there is done
  };
  enum class Kind : uint8_t { op, unit, region };
  struct Event {
    Kind kind;
    bool backward;
    int name, parent, line, module, shapes, stack;  // parent: -1 for none; the others are numbers of texts, stack of a list in stacks()
    int64_t start, end;                             // end 0: not ended
    int64_t bytes;                                  // allocated inside
  };
  struct Slice {  // a part of a loop in a thread
    int event, thread;
    int64_t start, end;
  };
  struct MemoryEvent {
    int64_t time, bytes;  // negative: a release
    int line, module;
  };

  explicit Profiler(Places& places) : places_(places) {}
  ~Profiler() { pause(); }
  Profiler(const Profiler&) = delete;
  Profiler& operator=(const Profiler&) = delete;

  void begin(const Options& options);
  void pause();  // until resume(), nothing is measured; in the same thread
  void resume();
  void end();
  void clear();  // forgets all events

  int begin_region(std::string_view name);
  void end_event(int event);  // and all inside of it

  void run(Call& call) override;
  bool run_unit(Unit kind, std::string_view name, bool (*unit)(void* data), void* data) override;
  void ran(Time start, Time end) noexcept override;
  void allocated(const void* data, size_t bytes, DeviceId device) noexcept override;
  void released(const void* data) noexcept override;

  const Options& options() const { return options_; }
  bool is_on() const { return is_on_; }
  int64_t now() const { return nanoseconds(std::chrono::steady_clock::now()); }
  int64_t measured() const;  // nanoseconds without pauses
  int64_t origin() const { return std::chrono::duration_cast<std::chrono::nanoseconds>(start_.time_since_epoch()).count(); }
  const std::vector<Event>& events() const { return events_; }
  const std::vector<Slice>& slices() const { return slices_; }
  const std::vector<MemoryEvent>& memory() const { return memory_; }
  const std::vector<std::vector<int>>& stacks() const { return stacks_; }
  int thread() const { return thread_; }  // of the program

 private:
  struct Live {
    int64_t bytes;
    int line, module;
  };
  class Measured;

  int64_t nanoseconds(Time time) const { return std::chrono::duration_cast<std::chrono::nanoseconds>(time - start_).count(); }
  int begin_event(Kind kind, std::string_view name, const Place& place);
  int stack();
  void wait_for(const Call& call) const;

  Places& places_;
  Options options_;
  Time start_, resumed_;
  int64_t measured_ = 0;
  int thread_ = 0;
  bool is_on_ = false;
  std::vector<Event> events_;
  std::vector<int> open_;  // events that have not ended, the outermost first
  std::vector<std::vector<int>> stacks_{1};
  std::unordered_map<std::string, int> stack_numbers_;
  std::mutex mutex_;  // of the fields below, which other threads change
  std::vector<Slice> slices_;
  std::vector<MemoryEvent> memory_;
  std::unordered_map<const void*, Live> live_;
};

}  // namespace mt::lua
