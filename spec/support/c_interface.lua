--- The C interface (moontorch/moontorch.h, moontorch/lua.h) by FFI: calls of ops and objects as in C programs.
local torch = require 'torch'
local ffi, C = require 'ffi', require 'libmoontorch'

ffi.cdef [[
typedef struct { int32_t kind, count; union { void *pointer; double number; int64_t integer; } as; } spec_value;
typedef struct { const char *name; spec_value value; } spec_named;
int spec_session_create(const void *options, void **out) asm("mt_session_create");
int spec_session_close(void *session) asm("mt_session_close");
int spec_session_call(void *session, const char *op, const spec_value *args, int32_t count, const spec_named *named, int32_t named_count,
  int32_t results, void **out) asm("mt_session_call");
int spec_call_named(const char *op, const spec_value *args, int32_t count, const spec_named *named, int32_t named_count, int32_t results,
  void **out) asm("mt_call_named");
const void *spec_op_find(const char *name) asm("mt_op_find");
int spec_session_load(void *session, const char *path, void **out) asm("mt_session_load");
int spec_object_call(const void *object, const spec_value *args, int32_t count, const spec_named *named, int32_t named_count,
  int32_t results, void **out) asm("mt_object_call");
int spec_object_tensor(const void *object, void **out) asm("mt_object_tensor");
void spec_object_release(void *object) asm("mt_object_release");
int spec_tensor_borrow(int32_t dtype, void *data, int64_t count, int32_t dims, const int64_t *sizes, const int64_t *strides,
  void *deleter, void *context, void **out) asm("mt_tensor_borrow");
void spec_tensor_release(void *x) asm("mt_tensor_release");
int32_t spec_tensor_ndim(const void *x) asm("mt_tensor_ndim");
const int64_t *spec_tensor_sizes(const void *x) asm("mt_tensor_sizes");
const int64_t *spec_tensor_strides(const void *x) asm("mt_tensor_strides");
void *spec_tensor_data(const void *x) asm("mt_tensor_data");
int32_t spec_tensor_dtype(const void *x) asm("mt_tensor_dtype");
const char *spec_dtype_name(int32_t dtype) asm("mt_dtype_name");
const char *spec_error_message(void) asm("mt_error_message");
]]
local preset = os.getenv 'MT_PRESET' or 'release'
local engine = ffi.load(('build/%s/lib/libmoontorch.so'):format(preset))

local c = { TENSOR = 1, NUMBER = 2, INTEGER = 4, INDEX = 8, DIM = 16, BOOLEAN = 32, STRING = 64, SIZES = 128, TENSORS = 256, DTYPE = 512,
  GENERATOR = 1024, DIMS = 4096, INDICES = 8192 }
c.status = { [0] = 'ok', 'invalid', 'range', 'dtype', 'memory', 'unsupported', 'internal', 'interrupted', 'shape', 'file', 'lua' }

--- Whether a parameter of an op accepts one of some kinds.
-- @tparam table param from C.opInfo
function c.takes(param, ...)
  for _, kind in ipairs { ... } do
    if bit.band(param.kinds, kind) ~= 0 then return true end
  end
  return false
end
local has = c.takes

--- The message of the last error.
function c.message() return ffi.string(engine.spec_error_message()) end

local numberOf = {}
for i, dtype in ipairs(C.dtypes) do numberOf['torch.' .. dtype.torch .. 'Tensor'] = i - 1 end

-- Converts arguments for C; `held` keeps the memory alive that they point to.
local function valuesOf(named, held)
  local values = ffi.new('spec_named[?]', #named + 1)
  local function keep(object)
    held[#held + 1] = object
    return object
  end
  local function longs(list, isCounted)
    local array = keep(ffi.new('int64_t[?]', #list + 1))
    for i, v in ipairs(list) do array[i - 1] = isCounted and v > 0 and v - 1 or v end
    return array
  end
  local function handleOf(x)
    x = keep(x:clone())
    local out = ffi.new 'void *[1]'
    local data = x:nElement() > 0 and ffi.cast('void *', x:data()) or nil
    assert(engine.spec_tensor_borrow(numberOf[x:type()], data, x:nElement(), x:dim(), longs(x:size():totable()), nil, nil, nil, out) == 0,
      'a tensor')
    held.tensors[#held.tensors + 1] = out[0]
    return out[0]
  end
  for i, argument in ipairs(named) do
    local param, v, value = argument.param, argument.value, values[i - 1].value
    values[i - 1].name = keep(param.name)
    if torch.isTensor(v) then
      value.kind, value.as.pointer = c.TENSOR, handleOf(v)
    elseif type(v) == 'table' and torch.isTensor(v[1]) then
      local list = keep(ffi.new('void *[?]', #v))
      for k, x in ipairs(v) do list[k - 1] = handleOf(x) end
      value.kind, value.count, value.as.pointer = c.TENSORS, #v, list
    elseif type(v) == 'table' then
      value.kind, value.count, value.as.pointer = c.SIZES, #v, longs(v, has(param, c.DIM, c.DIMS, c.INDICES))
    elseif type(v) == 'boolean' then
      value.kind, value.as.integer = c.BOOLEAN, v and 1 or 0
    elseif type(v) == 'string' then
      value.kind, value.count, value.as.pointer = c.STRING, #v, ffi.cast('void *', ffi.cast('const char *', keep(v)))
    elseif has(param, c.NUMBER) then
      value.kind, value.as.number = c.NUMBER, v
    else
      local isCounted = has(param, c.INDEX) or has(param, c.DIM) and v > 0
      value.kind, value.as.integer = 4, isCounted and v - 1 or v
    end
  end
  return values
end

local function tensorOf(x)
  local sizes, strides = {}, {}
  for d = 1, engine.spec_tensor_ndim(x) do
    sizes[d], strides[d] = tonumber(engine.spec_tensor_sizes(x)[d - 1]), tonumber(engine.spec_tensor_strides(x)[d - 1])
  end
  local name = ffi.string(engine.spec_dtype_name(engine.spec_tensor_dtype(x)))
  local empty = #sizes == 0
  for _, size in ipairs(sizes) do empty = empty or size == 0 end
  local shown = empty and torch.DoubleTensor(torch.LongStorage(sizes))
    or torch.fromBlob(engine.spec_tensor_data(x), sizes, name, { strides = strides }):double():clone()
  return shown
end

--- Opens a session; close it afterwards.
function c.open()
  local out = ffi.new 'void *[1]'
  assert(engine.spec_session_create(nil, out) == 0, c.message())
  return out[0]
end
function c.close(session) engine.spec_session_close(session) end

--- Whether the engine has an op.
function c.hasOp(name) return engine.spec_op_find(name) ~= nil end

--- Calls a module or criterion from a file of torch.save with some arguments.
-- @treturn string the status
-- @treturn string the error's message
function c.callFile(session, path, ...)
  local object, out = ffi.new 'void *[1]', ffi.new 'void *[1]'
  assert(engine.spec_session_load(session, path, object) == 0, c.message())
  local named, held = {}, { tensors = {} }
  for i = 1, select('#', ...) do
    named[i] = { param = { name = 'x', kinds = c.NUMBER }, value = (select(i, ...)) }
  end
  local values = valuesOf(named, held)
  local plain = ffi.new('spec_value[?]', #named + 1)
  for i = 0, #named - 1 do plain[i] = values[i].value end
  local status = engine.spec_object_call(object[0], plain, #named, nil, 0, 1, out)
  for _, x in ipairs(held.tensors) do engine.spec_tensor_release(x) end
  if status == 0 then engine.spec_object_release(out[0]) end
  engine.spec_object_release(object[0])
  return c.status[status], c.message()
end

--- The first result of an op, or nil and the message.
-- @param session or nil
-- @string name of the op
-- @tparam {{param=,value=},...} named arguments, counted as in Lua
function c.call(session, name, named)
  local held, out = { tensors = {} }, ffi.new 'void *[1]'
  local values = valuesOf(named, held)
  local result, message
  if session then
    local object = ffi.new 'void *[1]'
    if engine.spec_session_call(session, name, nil, 0, values, #named, 1, object) == 0 then
      assert(engine.spec_object_tensor(object[0], out) == 0, ffi.string(engine.spec_error_message()))
      engine.spec_object_release(object[0])
    end
  else
    engine.spec_call_named(name, nil, 0, values, #named, 1, out)
  end
  if out[0] ~= nil then
    result = tensorOf(out[0])
    engine.spec_tensor_release(out[0])
  else
    message = ffi.string(engine.spec_error_message())
  end
  for _, x in ipairs(held.tensors) do engine.spec_tensor_release(x) end
  return result, message
end

return c
