--- The native part (packages/distributed/distributed.h), called through FFI.
-- @module distributed.native
local ffi = require 'ffi'

ffi.cdef [[
typedef struct {
  const char *key, *call, *line;
  int32_t kind, dtype, reduction, peer, tag;
  int64_t count;
  const void *input;
  void *output;
  double timeout;
  int32_t (*begin)(int32_t work);
  const char *(*device_error)(void);
  int32_t work;
} mt_distributed_call;
const char *mt_distributed_error(void);
int32_t mt_distributed_init(const char *board, const char *line, double timeout);
int32_t mt_distributed_rank(int32_t group);
int32_t mt_distributed_size(int32_t group);
int32_t mt_distributed_new_group(const int32_t *ranks, int32_t count, const char *call, const char *line, double timeout);
int64_t mt_distributed_begin(int32_t group, const mt_distributed_call *call);
int32_t mt_distributed_wait(int64_t operation, double seconds);
void mt_distributed_continue(void);
int64_t mt_distributed_pending(void);
void *mt_distributed_hold(int32_t group, const char *call, const char *line);
void mt_distributed_release(void);
int64_t mt_distributed_messages(void);
]]

return require('torch.native').functions 'distributed'
