--- The library's functions (cuda/api.h), called through FFI: their errors are raised with the messages that they leave.
-- Devices are counted from 0 in the library, and from 1 in Lua.
-- @module torch.cuda.api
local ffi = require 'ffi'
local C = require 'libmoontorch'
local check = require 'torch.check'
local plugin = require 'torch.cuda.plugin'

ffi.cdef [[
const char *mt_cuda_error_message(void);
int32_t mt_cuda_is_emulated(void);
int32_t mt_cuda_driver_version(void);
int32_t mt_cuda_runtime_version(void);
int32_t mt_cuda_device_count(void);
int32_t mt_cuda_current_device(void);
int32_t mt_cuda_set_current_device(int32_t device);
typedef struct mt_cuda_properties {
  size_t size;
  char name[256];
  int32_t major, minor;
  int32_t multiprocessors, threads_per_multiprocessor, threads_per_block, warp_size;
  int32_t clock_khz, memory_clock_khz, memory_bus_bits;
  int64_t total_bytes, shared_bytes_per_block, l2_cache_bytes;
  char id[40];
} mt_cuda_properties;
int32_t mt_cuda_device_properties(int32_t device, mt_cuda_properties *out);
int32_t mt_cuda_synchronize(int32_t device);
int32_t mt_cuda_can_access_peer(int32_t device, int32_t peer, int32_t *out);
int32_t mt_cuda_peer_access(int32_t device, int32_t peer, int32_t *out);
int32_t mt_cuda_set_peer_access(int32_t device, int32_t peer, int32_t on);
typedef struct mt_cuda_memory {
  size_t size;
  int64_t allocated_bytes, most_allocated_bytes, reserved_bytes, most_reserved_bytes, blocks, most_blocks, segments, limit_bytes;
  int64_t allocations, driver_allocations, driver_releases, retries, failures;
} mt_cuda_memory;
int32_t mt_cuda_memory_read(int32_t device, mt_cuda_memory *out);
int32_t mt_cuda_memory_reset_peaks(int32_t device);
int32_t mt_cuda_memory_info(int32_t device, int64_t *free_bytes, int64_t *total_bytes);
int32_t mt_cuda_empty_cache(int32_t device);
int32_t mt_cuda_set_memory_limit(int32_t device, int64_t bytes);
int32_t mt_cuda_set_memory_fraction(int32_t device, double fraction);
int32_t mt_cuda_memory_holders(int32_t device, char *text, size_t size, size_t *length);
int32_t mt_cuda_record_use(const void *data, int32_t stream);
int32_t mt_cuda_host_allocate(size_t bytes, void **out);
void mt_cuda_host_release(void *memory);
int32_t mt_cuda_is_pinned(const void *memory);
int32_t mt_cuda_copy_to_device(int32_t device, void *to, const void *host, size_t bytes);
int32_t mt_cuda_copy_to_host(int32_t device, void *host, const void *from, size_t bytes);
int32_t mt_cuda_stream_create(int32_t device, int32_t priority, int32_t *out);
int32_t mt_cuda_stream_destroy(int32_t stream);
int32_t mt_cuda_stream_device(int32_t stream, int32_t *out);
int32_t mt_cuda_current_stream(int32_t device, int32_t *out);
int32_t mt_cuda_set_current_stream(int32_t stream);
int32_t mt_cuda_stream_is_done(int32_t stream, int32_t *out);
int32_t mt_cuda_stream_synchronize(int32_t stream);
int32_t mt_cuda_stream_wait_event(int32_t stream, int32_t event);
int32_t mt_cuda_stream_wait_stream(int32_t stream, int32_t other);
int32_t mt_cuda_stream_handle(int32_t stream, void **out);
int32_t mt_cuda_event_create(int32_t device, int32_t timed, int32_t *out);
int32_t mt_cuda_event_destroy(int32_t event);
int32_t mt_cuda_event_record(int32_t event, int32_t stream);
int32_t mt_cuda_event_is_done(int32_t event, int32_t *out);
int32_t mt_cuda_event_synchronize(int32_t event);
int32_t mt_cuda_event_elapsed_ms(int32_t from, int32_t to, double *out);
int32_t mt_cuda_graph_begin(int32_t device, int32_t *out);
int32_t mt_cuda_graph_end(int32_t graph);
int32_t mt_cuda_graph_replay(int32_t graph);
int32_t mt_cuda_graph_destroy(int32_t graph);
int32_t mt_cuda_is_capturing(int32_t device, int32_t *out);
int32_t mt_cuda_nccl_version(int32_t *out);
int32_t mt_cuda_nccl_reduces(int32_t dtype, int32_t *out);
int32_t mt_cuda_unique_id(void *id);
int32_t mt_cuda_communicator_create(int32_t device, int32_t ranks, const void *id, int32_t rank, int32_t *out);
int32_t mt_cuda_communicators_create(const int32_t *devices, int32_t count, int32_t *out);
int32_t mt_cuda_communicator_destroy(int32_t communicator);
int32_t mt_cuda_communicator_abort(int32_t communicator);
int32_t mt_cuda_communicator_check(int32_t communicator);
typedef struct mt_cuda_collective {
  size_t size;
  int32_t kind, dtype, reduction, peer;
  int64_t count;
  const void *input;
  void *output;
} mt_cuda_collective;
int32_t mt_cuda_collectives_run(int32_t count, const int32_t *communicators, const int32_t *streams, const mt_cuda_collective *calls);
int32_t mt_cuda_work_create(int32_t communicator, int32_t stream, const mt_cuda_collective *call, int32_t *out);
int32_t mt_cuda_work_begin(int32_t work);
int32_t mt_cuda_work_await(int32_t work);
int32_t mt_cuda_work_is_done(int32_t work, int32_t *out);
int32_t mt_cuda_work_destroy(int32_t work);
typedef struct mt_cuda_counters {
  size_t size;
  int64_t launches, synchronizations, copies_to_device, copies_to_host, bytes_to_device, bytes_to_host, driver_allocations;
  int64_t fused_launches, compiled_kernels, read_kernels, refused_kernels;
} mt_cuda_counters;
int32_t mt_cuda_counters_read(mt_cuda_counters *out);
int32_t mt_cuda_compiler_log(char *text, size_t size, size_t *length);
]]

local api = {}

local library
local function functions()
  library = library or ffi.load(plugin.load())
  return library
end

--- The library, for functions that can't fail.
-- @raise an error that says what is missing
api.library = functions

--- Calls a function that returns a status.
-- @string where the start of messages: the name of the function that a program called
-- @string name of the function, after `mt_cuda_`
-- @param ... its arguments
-- @raise its error, at the line of the program's call
function api.call(where, name, ...)
  if functions()['mt_cuda_' .. name](...) == 0 then return end
  local message = ffi.string(functions().mt_cuda_error_message()):gsub('^mt_cuda_[%w_]+: ', '')
  check.raise(('%s: %s'):format(where, message))
end

local cells = { int32_t = ffi.typeof 'int32_t[1]', double = ffi.typeof 'double[1]' }

--- Calls a function that returns a number through its last pointer.
-- @string where
-- @string name
-- @param ... its arguments, without the pointer
-- @treturn number
function api.number(where, name, ...)
  local cell = cells[name == 'event_elapsed_ms' and 'double' or 'int32_t']()
  local arguments, count = { ... }, select('#', ...)
  arguments[count + 1] = cell
  api.call(where, name, unpack(arguments, 1, count + 1))
  return tonumber(cell[0])
end

--- Calls a function that fills in a struct whose first field is its size.
-- @string where
-- @string name
-- @string ctype of the struct
-- @param ... its arguments, without the pointer
-- @treturn cdata the struct
function api.struct(where, name, ctype, ...)
  local made = ffi.new(ctype)
  made.size = ffi.sizeof(ctype)
  local arguments, count = { ... }, select('#', ...)
  arguments[count + 1] = made
  api.call(where, name, unpack(arguments, 1, count + 1))
  return made
end

--- Returns the number of devices.
function api.count()
  plugin.load()
  local count = 0
  for _, name in ipairs(C.devices()) do
    if name:find '^cuda:%d+$' then count = count + 1 end
  end
  return count
end

--- Returns the current device, from 1.
function api.current()
  plugin.load()
  return tonumber(C.deviceNamed('cuda'):match '%d+')
end

--- Parses a program's device argument: its number from 1, or its name; nil means the current device.
-- @string where
-- @tparam ?int|string device
-- @treturn int from 0
function api.device(where, device)
  if device == nil or device == 'cuda' then return api.current() - 1 end
  local number = type(device) == 'string' and tonumber(device:match '^cuda:(%d+)$') or tonumber(device)
  local count = api.count()
  if not number or number % 1 ~= 0 or number < 1 or number > count then
    check.raise(('%s: device: %s, expected a number from 1 to %d or a name such as cuda:1'):format(where,
      type(device) == 'number' and tostring(device) or type(device) == 'string' and device or type(device), count))
  end
  return number - 1
end

return api
