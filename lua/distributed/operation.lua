--- One call of a rank: begins it in the native part, keeps its tensors alive until it has ended, and raises its errors.
-- @module distributed.operation
local ffi = require 'ffi'
local torch = require 'torch'
local C = require 'libmoontorch'
local check, guard = require 'torch.check', require 'torch.check.guard'
local native = require 'distributed.native'

local operation = {}

-- The numbers of kinds and reductions in the native part, by name.
local kinds, reductions = {}, { sum = 0, product = 1, min = 2, max = 3, mean = 4, avg = 4 }
for i, name in ipairs { 'barrier', 'broadcast', 'allReduce', 'reduce', 'gather', 'scatter', 'allGather', 'reduceScatter', 'allToAll',
  'send', 'receive' } do
  kinds[name] = i - 1
end

local dtypeNumbers = {}
for i, info in ipairs(C.dtypes) do dtypeNumbers[info.torch] = i - 1 end

local function devices() return require 'distributed.devices' end      -- loaded with the first tensor on a GPU
--- Returns an error's message without its position, as other ranks show it.
function operation.problem(message) return (tostring(message):gsub('^[^\n:]+:%d+: ', '')) end

local function isOnGpu(x) return x:device():find '^cuda' ~= nil end

local running, failed = {}, {}      -- handles by number; handles of failed calls, to whose tensors MPI may still write

local outer          -- the function of the package whose call begins operations of others, or nil
local note = ''      -- what ranks compare besides the call

-- Functions of the package have names without `torch.distributed`.
local function worded(name, what) return ('%s%s: %s'):format(name:find '^%l+%.%u' and '' or 'torch.distributed.', name, what) end

--- Returns a message of the package: `torch.distributed.NAME: what`, with the name of the function that the program has called.
function operation.message(name, what) return worded(outer or name, what) end

local isOurs = setmetatable({}, { __mode = 'k' })      -- by function

local function isOurFunction(f)
  local info = debug.getinfo(f, 'S')
  isOurs[f] = info.what == 'C' or guard.isOurSource(info.source)
  return isOurs[f]
end

--- Returns the line of the program that called the package.
function operation.line()
  for level = 2, math.huge do
    local info = debug.getinfo(level, 'f')
    if not info then return '?' end
    local known = isOurs[info.func]
    if known == nil then known = isOurFunction(info.func) end
    if not known then
      info = debug.getinfo(level, 'Sl')
      return ('%s:%d'):format(info.short_src, info.currentline)
    end
  end
end

--- What a call returns with `async = true`.
-- @type Handle
local Handle = {}
Handle.__index = Handle

-- Moves the results into their tensors.
local function conclude(self)
  local work, after = self._work, self._after
  self._work, self._after = nil, nil
  if work then devices().await(work) end
  if after then self._result = after() end
end

-- Records the end of an operation, with the native part's status.
local function finish(self, status)
  self._done = true
  running[self._number] = nil
  if status < 0 then
    self._problem = worded(self._name, ffi.string(native.mt_distributed_error()))
    failed[#failed + 1] = self
    return
  end
  self._keep = nil
  if not self._work then conclude(self) end      -- else in `wait`: until then, the program's stream goes on
end

-- Looks once, or waits: short waits let Lua see an interrupt between them.
local function look(self, seconds)
  if self._done then return true end
  local status = native.mt_distributed_wait(self._number, seconds)
  if status ~= 0 then finish(self, status) end
  return self._done
end

local patience, slice = 0.05, 0.002      -- seconds between two looks; while something is done meanwhile

local meanwhile      -- what a rank does while it waits, or nil

--- Sets what a rank does while it waits for an operation: the calls of others, of distributed.rpc.
-- @tparam ?function f
function operation.setMeanwhile(f) meanwhile = f end

-- Runs it, as if the program had not called this package.
local function goOn()
  local formerOuter, formerNote = outer, note
  outer, note = nil, ''
  local good, problem = pcall(meanwhile)
  outer, note = formerOuter, formerNote
  if not good then error(problem, 0) end
end

--- Waits until the operation has ended. With tensors on a GPU, makes the current stream wait for it, and not the program.
-- @return the result of the call
-- @raise the error of the call
function Handle:wait()
  while not look(self, meanwhile and slice or patience) do
    if meanwhile then goOn() end
  end
  if self._problem then check.raise(self._problem) end
  conclude(self)
  local convert = self._convert
  if convert then
    self._convert = nil
    self._result = convert(self._result)
  end
  return self._result
end

--- Returns whether the operation has ended, without waiting.
-- @treturn bool true also if it has failed: `wait` raises the error
function Handle:isCompleted()
  return look(self, 0) and (self._problem ~= nil or not self._work or devices().isDone(self._work)) or false
end

check.methods(Handle, 'a handle of torch.distributed')

-- Waits at most so many seconds, and returns whether the operation has ended.
function Handle:_await(seconds) return look(self, seconds) or false end

local call = ffi.new 'mt_distributed_call'

--- Calls a function that begins operations. What all ranks compare includes the note: if it differs, all of them get an error.
-- @string text of the note, after the calls in messages
-- @tparam function f
-- @param ... its arguments
-- @return its result
function operation.noting(text, f, ...)
  local former = note
  note = text
  local done, result = pcall(f, ...)
  note = former
  if not done then error(result, 0) end
  return result
end

--- Returns the start of messages of a function: the name of the one that the program has called.
function operation.where(name) return 'torch.distributed.' .. (outer or name) end

--- Calls a function that begins operations, whose messages then name another function of the package: the one that the program has called.
-- @string name
-- @tparam function f
-- @param ... its arguments
-- @return its result
function operation.naming(name, f, ...)
  local former = outer
  outer = former or name
  local done, result = pcall(f, ...)
  outer = former
  if not done then error(result, 0) end
  return result
end

-- Begins an operation on memory of the host, or, with `work`, one on a GPU that begins when the ranks have compared their calls.
local function begin(name, group, what, options, work)
  for _, handle in pairs(running) do look(handle, 0) end
  local input, output, line = what.input, what.output, options.line or operation.line()
  local key = what.key .. note
  call.key, call.call, call.line = key, what.text or key, line
  call.kind, call.dtype = kinds[what.kind], what.like and dtypeNumbers[C.dtypeOf(what.like)] or 0
  call.reduction, call.peer, call.tag = what.reduction and reductions[what.reduction] or 0, what.peer or -1, what.tag or 0
  call.count = what.count or 0
  call.begin, call.device_error, call.work = nil, nil, 0
  if work then
    local library = devices().library()
    call.begin, call.device_error, call.work = library.mt_cuda_work_begin, library.mt_cuda_error_message, work.id
    call.input, call.output = nil, nil
  else
    call.input, call.output = input and input:data() or nil, output and output:data() or nil
  end
  call.timeout = options.timeout or operation.timeout
  local number = tonumber(native.mt_distributed_begin(group._number, call))
  if number < 0 then check.raise(operation.message(name, ffi.string(native.mt_distributed_error()))) end
  local handle = setmetatable({
    _number = number, _name = outer or name, _keep = { input, output }, _after = what.after, _work = work }, Handle)
  running[number] = handle
  if not options.async then return handle:wait() end
  native.mt_distributed_continue()
  return handle
end

-- Begins an operation with tensors on a GPU. The ranks choose the route in a call that they compare like the operation itself.
local function beginOnGpu(name, group, what, options, x)
  local gpus = devices()
  local function collect(own)
    local all = torch.ByteTensor(group:size(), own:nElement())
    begin(name, group, { kind = 'allGather', key = what.key .. ', the first on its GPU', like = own, count = own:nElement(), input = own,
      output = all }, { timeout = options.timeout })
    local list = {}
    for i = 1, group:size() do list[i] = all[i] end
    return list
  end
  if not gpus.serves(what) or not gpus.route(group, x, collect).member then
    return begin(name, group, gpus.staged(what), options)
  end
  return begin(name, group, what, options, gpus.prepare(gpus.route(group, x), what))
end

--- Begins an operation.
-- @string name of the function, for messages
-- @tparam table group
-- @tparam table what `kind`; `key`, which must be the same on all ranks; `text`, the call in messages; `like`, a tensor for its dtype;
-- `count`; `input` and `output`, tensors with contiguous elements; `keeps`: `output` is not written; `peer`, `reduction`, `tag`; `after`, a
-- function that returns the result
-- @tparam table options `async`, `timeout`, `line` of the program, if it is known
-- @return the result, or a handle
function operation.run(name, group, what, options)
  local x = what.like and isOnGpu(what.like) and devices().tensorOf(what)
  if x then return beginOnGpu(name, group, what, options, x) end
  return begin(name, group, what, options)
end

--- Applies a function to what a call returned: at once, or to a handle's result when the program waits for it.
-- @param result of the call
-- @tparam function f
-- @return what f returns, or the handle
function operation.map(result, f)
  if getmetatable(result) ~= Handle then return f(result) end
  result._convert = f
  return result
end

--- Returns memory of a tensor's elements, in order, for reading.
-- @tparam torch.Tensor x
-- @treturn torch.Tensor over the memory of x, or over a copy
function operation.reading(x)
  if isOnGpu(x) then return C.detach(x):contiguous() end
  return C.lend(x:contiguous())
end

--- Returns memory for an operation that writes a tensor, and a function that moves the elements into it afterwards.
-- @tparam torch.Tensor x
-- @bool reads whether the operation reads the elements, too
-- @treturn torch.Tensor
-- @treturn function
function operation.writing(x, reads)
  if isOnGpu(x) then
    local inPlace = x:isContiguous()
    local memory = inPlace and C.detach(x) or reads and C.detach(x):contiguous() or x.new():resize(x:size())
    return memory, function()
      if inPlace then C.bumpVersion(x) else x:copy(memory) end
      return x
    end
  end
  if x:isContiguous() then
    return C.lend(x), function()
      C.bumpVersion(x)
      return x
    end
  end
  local copy = reads and x:contiguous() or torch[x:type():match '%.(.+)$']():resize(x:size())
  return C.lend(copy), function() return x:copy(copy) end
end

--- Checks the options of a call, by name: also the values of `timeout` and `async`.
-- @string name of the function
-- @tparam ?table options
-- @tparam {string,...} names of all options
-- @treturn table
function operation.options(name, options, names)
  local where = 'torch.distributed.' .. name
  options = check.options(where, options, names)
  if options.timeout ~= nil then check.number(where, 'timeout', options.timeout, { min = 0 }) end
  check.flag(where, 'async', options.async)
  return options
end

--- Checks that a value is a tensor on the CPU or a GPU.
function operation.tensor(name, argument, x)
  if not torch.isTensor(x) or x:device() ~= 'cpu' and not isOnGpu(x) then
    local came = torch.isTensor(x) and x:type() or torch.type(x)
    check.raise(operation.message(name, ('%s: %s, expected a tensor on the CPU or a GPU'):format(argument, came)))
  end
  return x
end

--- Checks the name of a reduction for the elements of a tensor; nil is 'sum'.
function operation.reduction(name, x, reduction)
  reduction = reduction or 'sum'
  if not reductions[reduction] then
    check.raise(operation.message(name, ("reduction: %s, expected 'sum', 'product', 'min', 'max' or 'mean'"):format(
      type(reduction) == 'string' and "'" .. reduction .. "'" or torch.type(reduction))))
  end
  if (reduction == 'min' or reduction == 'max') and x:isComplex() then
    check.raise(operation.message(name, ("reduction: '%s' of a %s, expected one of real numbers"):format(
      reduction, x:type():match '%.(.+)$')))
  end
  if reductions[reduction] == reductions.mean and not (x:isFloatingPoint() or x:isComplex()) then
    check.raise(operation.message(name, ("reduction: 'mean' of a %s, expected one of floats"):format(x:type():match '%.(.+)$')))
  end
  return reduction
end

--- Returns a tensor's type and sizes in words.
function operation.describe(x)
  local sizes = {}
  for i = 1, x:dim() do sizes[i] = x:size(i) end
  return ('%s of %s'):format(x:type():sub(7), #sizes > 0 and table.concat(sizes, ' x ') or 'no elements')
end

return operation
