--- Remote calls: ranks call functions of others by the names under which these have registered them. `torch.distributed.rpc`.
-- A rank runs the calls of others while it waits itself: in `call`, in a future's `wait`, in `poll`, in `shutdown`, and in calls of
-- torch.distributed. Only registered functions run; arguments and results are values without functions. See docs/distributed.md.
-- @module distributed.rpc
-- @usage local rpc = dist.rpc      -- th-launch -n 2 program.lua
-- rpc.init()
-- rpc.register('add', function(a, b) return a + b end)
-- if dist.rank() == 0 then print(rpc.call(1, 'add', torch.ones(2), 3)) end
-- rpc.shutdown()      -- serves the others until all have called it
local torch, check = require 'torch', require 'torch.check'
local now = require('torch.clock').monotonic
local group, operation, mode = require 'distributed.group', require 'distributed.operation', require 'autograd.mode'
local held, tape, wire = require 'distributed.rpc.held', require 'distributed.rpc.tape', require 'distributed.rpc.wire'

-- A compiled loop refers to the functions that it has called, and these to arguments and results of calls: references among them would
-- never be released.
jit.off(true, true)

local rpc = {}

local where = 'torch.distributed.rpc'
local callKind, replyKind, errorKind, releaseKind, byeKind, holdKind = 1, 2, 3, 4, 5, 6
local defaultTimeout = 60      -- seconds, as PyTorch's

local functions = {}           -- by name
local state                    -- of this rank, between `init` and `shutdown`
local count = 0                -- of the calls of this rank: their numbers

local function say(name, what) check.raise(('%s.%s: %s'):format(where, name, what)) end

local function running(name)
  if not state then say(name, 'not started, expected a call of torch.distributed.rpc.init before') end
  return state
end

local function pack(...) return { n = select('#', ...), ... } end

local function withTraceback(problem)
  return { message = tostring(problem), traceback = debug.traceback('', 2):gsub('^\n', '') }
end

local function split(isGood, ...)
  if isGood then return true, pack(...) end
  return false, (...)
end

-- Calls f; returns whether it succeeded, and its results, or the error with its traceback. The tape records, also if this rank waits in a
-- backward pass, which records nothing.
local function try(f)
  return mode.enableGrad(function() return split(xpcall(f, withTraceback)) end)
end

-- Functions of this module that calls reach, by names that programs can't register.
local own = {}

-- Returns what a remote reference stands for.
local function valueOf(maker, id)
  local kept = held.get(maker, id)
  if not kept then error('the reference is not kept here any more', 0) end
  if kept.isMade == nil then error('the value of the reference is still being made', 0) end
  if not kept.isMade then error(kept.problem, 0) end
  return unpack(kept.results, 1, kept.results.n)
end

own['(fetch)'] = function(_, maker, id) return valueOf(maker, id) end
own['(backward)'] = tape.backward

local received, described      -- references in messages, see below

-- Returns what to answer with results, or an error.
local function answerOf(isGood, results, caller)
  if not isGood then return false, results end
  local references
  isGood, references = try(function() return described(results, caller, true) end)
  if not isGood then return false, references end
  return true, { results = tape.plain(results, references[1]), references = references[1] }
end

-- Runs a call of a rank; returns whether it succeeded, and what to answer.
local function run(caller, id, request)
  local name, arguments = request.name, request.arguments
  local f = own[name]
  if f then
    local isGood, results = try(function() return f(caller, unpack(arguments, 1, arguments.n)) end)
    return answerOf(isGood, results, caller)
  end
  local references = type(request.references) == 'table' and request.references or {}
  received(arguments, references)      -- before anything may fail: their holds end with them
  f = functions[name]
  if not f then
    return false, { message = ("no function is registered under '%s', expected the name of one"):format(tostring(name)), traceback = '' }
  end
  if request.keeps then held.put(caller, request.keeps, {}) end
  local isGood, values = try(function()
    for i, reference in pairs(references) do
      if reference.owner == group.world:rank() then arguments[i] = (valueOf(reference.maker, reference.id)) end
    end
    if request.tape then tape.leaves(arguments, request.tape) end
    return f(unpack(arguments, 1, arguments.n))
  end)
  if request.keeps then
    held.set(caller, request.keeps, { isMade = isGood, results = values, problem = not isGood and values.message or nil })
    return isGood, isGood and { results = { n = 0 } } or values
  end
  local hasAnswer, response = answerOf(isGood, values, caller)
  if hasAnswer then response.tracked = request.tape and tape.keep(caller, id, arguments, request.tape, values) or {} end
  return hasAnswer, response
end

local function answer(rank, id, isGood, value)
  if rank == group.world:rank() then
    table.insert(state.own, { kind = isGood and replyKind or errorKind, id = id, value = value })
    return
  end
  local good, problem = pcall(wire.send, rank, isGood and replyKind or errorKind, id, value)
  if not good then wire.send(rank, errorKind, id, { message = operation.problem(problem), traceback = '' }) end
end

local function finish(id, isGood, value)
  if isGood and type(value.references) == 'table' then received(value.results, value.references, true) end
  local future = state.pending[id]
  state.pending[id] = nil
  if not future then return end      -- it was given up
  future._done, future._isGood, future._value = true, isGood, value
end

local function isTable(value, isRead) return isRead and type(value) == 'table' end

local function deliver(rank, kind, id, isRead, value)
  if kind == callKind then
    if not isTable(value, isRead) or type(value.arguments) ~= 'table' then
      return answer(rank, id, false, { message = tostring(value), traceback = '' })
    end
    local good, isGood, results = pcall(run, rank, id, value)
    if not good then isGood, results = false, { message = tostring(isGood), traceback = '' } end
    return answer(rank, id, isGood, results)
  elseif kind == replyKind or kind == errorKind then
    local good = isTable(value, isRead)
    return finish(id, good and kind == replyKind, good and value or { message = tostring(value), traceback = '' })
  elseif kind == releaseKind and isTable(value, isRead) then
    for _, hold in ipairs(value) do held.drop(unpack(hold, 1, 3)) end
  elseif kind == holdKind and isTable(value, isRead) then
    held.add(unpack(value, 1, 3))
  elseif kind == byeKind then
    state.said[rank] = true
  end
end

-- After this rank's last message the others receive nothing from it any more: a send would never end.
local function release()
  local dropped = held.takeDropped()
  if not dropped or state.isLeaving then return end
  for rank, list in pairs(dropped) do
    if rank == group.world:rank() then
      for _, hold in ipairs(list) do held.drop(unpack(hold, 1, 3)) end
    else
      wire.send(rank, releaseKind, 0, list)
    end
  end
end

-- Calls of this rank to itself.
local function deliverOwn()
  local found = false
  while state.own[1] do
    local message = table.remove(state.own, 1)
    found = true
    deliver(group.world:rank(), message.kind, message.id, true, message.value)
  end
  return found
end

local function poll()
  release()
  local isOwn = deliverOwn()
  return wire.poll(deliver) or isOwn
end

local slice = 0.02      -- seconds between two looks for an interrupt

-- Serves other ranks until done() is true, or the time is over. Returns whether it is.
local function serveUntil(done, seconds)
  local limit = now() + seconds
  while not done() do
    if not poll() then
      if done() then break end
      if now() > limit then return false end
      wire.rest(math.min(slice, math.max(0, limit - now())))
    end
  end
  return true
end

--- The result of a call that may not have returned.
-- @type Future
local Future = {}
Future.__index = Future

--- Returns whether the call has returned, or failed; serves other ranks meanwhile.
-- @treturn bool
function Future:isCompleted()
  running 'async'
  if not self._done then poll() end
  return self._done or false
end

--- Waits until the call has returned; runs calls of other ranks meanwhile.
-- @number[opt] seconds the longest wait, as of `init`
-- @return the results
-- @raise the error of the function, with the traceback of the other rank; that the time is over: the answer is dropped then
function Future:wait(seconds)
  local text = ('%s on rank %d'):format(self._name, self._rank)
  if seconds ~= nil then check.number(where .. ': wait', 'seconds', seconds, { min = 0 }) end
  if not self._done then
    seconds = seconds or running('wait').timeout
    local isOver = not serveUntil(function() return self._done or wire.lost(self._rank) end, seconds)
    if not self._done then
      state.pending[self._id] = nil
      self._done, self._isGood = true, false
      self._value = { traceback = '',
        message = isOver and ('no answer within %g seconds'):format(seconds) or 'it has left: ' .. wire.lost(self._rank) }
    end
  end
  if not self._isGood then
    local problem = self._value
    local trace = tostring(problem.traceback or '')
    trace = trace ~= '' and ('\n[rank %d] %s'):format(self._rank, trace) or ''
    check.raise(('%s: %s: %s%s'):format(where, text, tostring(problem.message), trace))
  end
  local results, tracked = self._value.results, self._value.tracked
  if self._arguments and tracked and #tracked > 0 then self:_record(results, tracked) end
  self._arguments = nil
  return unpack(results, 1, results.n)
end

local begin, newNumber, backwardOf

-- Returns the function for tape.record that runs the backward pass of a call at its rank. The graph there ends with the function.
function backwardOf(rank, id)
  local guard = held.guard(rank, group.world:rank(), id)
  return function(gradients, createsGraph)
    local plain, number = {}, createsGraph and newNumber() or false
    for i, g in ipairs(gradients) do plain[i] = g and g:detach() end
    local list, tracked = begin('backward', rank, '(backward)', { n = 3, id, plain, number }, {}):wait()
    return guard and list, tracked, number and backwardOf(rank, number)
  end
end

-- Puts the call on this rank's tape.
function Future:_record(results, tracked)
  local given = {}
  for k, i in ipairs(self._tape) do given[k] = self._arguments[i] end
  tape.record(given, results, tracked, backwardOf(self._rank, self._id))
end

check.methods(Future, 'a future of torch.distributed.rpc')

--- A value that another rank keeps.
-- @type Reference
local Reference = {}
Reference.__index = Reference

--- Returns the value; waits until it is made.
-- @number[opt] seconds as of a future's `wait`
-- @return the results of the function
-- @raise the function's error
function Reference:toHere(seconds)
  if self._future then self._future:wait(seconds) end
  return begin('toHere', self._rank, '(fetch)', { n = 2, self._maker, self._id }, {}):wait(seconds)
end

--- Returns the rank that keeps the value.
-- @treturn int
function Reference:owner() return self._rank end

check.methods(Reference, 'a reference of torch.distributed.rpc')

-- Returns a reference of this rank with a hold.
local function newReference(owner, maker, id, hold, future)
  return setmetatable({ _rank = owner, _maker = maker, _id = id, _future = future, _guard = held.guard(owner, maker, id, hold) }, Reference)
end

function newNumber()
  count = count + 1
  return count
end

-- Announces a hold of another rank to the owner of a reference's value, once that is made: the other rank may ask for it at once.
local function passOn(reference)
  if reference._future then reference._future:wait() end
  local owner, me = reference._rank, group.world:rank()
  local hold = ('%d:%d'):format(me, newNumber())
  if owner == me then
    held.add(reference._maker, reference._id, hold)
  else
    release()
    local lost = wire.send(owner, holdKind, 0, { reference._maker, reference._id, hold })
    if lost then error(('rank %d, which keeps the value of the reference, has left: %s'):format(owner, lost), 0) end
  end
  return hold
end

-- Returns descriptions of the references among values to a rank, by number. The owner gets the value itself, except as a result.
function described(values, rank, isResult)
  local list = {}
  for i = 1, values.n do
    local x = values[i]
    if type(x) == 'table' and getmetatable(x) == Reference then
      list[i] = { owner = x._rank, maker = x._maker, id = x._id, hold = (isResult or x._rank ~= rank) and passOn(x) or nil }
    end
  end
  return list
end

-- Gives up the holds of a message that was not sent.
local function takeBack(references)
  for _, one in pairs(references) do
    if one.hold then held.letGo(one.owner, one.maker, one.id, one.hold) end
  end
end

-- Makes references of descriptions that came with values.
function received(values, references)
  for i, one in pairs(references) do
    if one.hold then values[i] = newReference(one.owner, one.maker, one.id, one.hold) end
  end
end

local function placeOf(name, rank) return group.place('rpc.' .. name, 'rank', group.world, rank) and rank end

-- Sends a call.
function begin(caller, rank, name, arguments, options)
  running(caller)
  placeOf(caller, rank)
  local references = described(arguments, rank)
  local id, me = newNumber(), group.world:rank()
  local request = { name = name, references = references, keeps = options.keeps and id or nil }
  if not own[name] and not options.keeps then request.tape = tape.ofArguments(arguments) or nil end
  request.arguments = tape.plain(arguments, references)
  local future = setmetatable({ _id = id, _rank = rank, _name = name, _arguments = arguments, _tape = request.tape }, Future)
  state.pending[id] = future
  if rank == me then
    table.insert(state.own, { kind = callKind, id = id, value = request })
  else
    release()
    local good, lost = pcall(wire.send, rank, callKind, id, request)
    if not good or lost then takeBack(references) end
    if not good then      -- an argument that can't be sent
      state.pending[id] = nil
      error(lost, 0)
    end
    if lost then finish(id, false, { message = 'it has left: ' .. lost, traceback = '' }) end
  end
  return future
end

--- Starts remote calls. All ranks call it, after or instead of `torch.distributed.init`.
-- @tparam[opt] table options `timeout`: the longest wait for a call in seconds, 60 by default
-- @treturn table this module
function rpc.init(options)
  options = check.options(where .. '.init', options, { 'timeout' })
  local timeout = check.number(where .. '.init', 'timeout', options.timeout or defaultTimeout, { min = 0 })
  if not group.world then torch.distributed.init() end
  if state then
    state.timeout = timeout
    return rpc
  end
  state = { timeout = timeout, pending = {}, own = {}, said = {} }
  wire.start()
  operation.setMeanwhile(function()
    if not wire.isBusy() then poll() end
  end)
  return rpc
end

--- Lets other ranks call a function, before or after `init`.
-- @string name
-- @tparam ?function f nil: no more
function rpc.register(name, f)
  name = check.text(where .. '.register', 'name', name)
  if f ~= nil then check.callable(where .. '.register', 'f', f) end
  functions[name] = f
end

--- Calls a function of a rank, and waits for its results. Tensors on the tape are recorded: the backward pass runs on both ranks, and
-- gradients of the other's own leaves add to their `grad` there.
-- @int rank this one, too
-- @string name
-- @param ... values that torch.save accepts without functions; references: to values of the other rank it gets the values themselves, to
-- those of third ranks a reference of its own
-- @return the function's results
-- @raise its error, with its traceback; that no answer came in time
function rpc.call(rank, name, ...)
  return begin('call', rank, check.text(where .. '.call', 'name', name), pack(...), {}):wait()
end

--- Calls a function of a rank, and returns at once.
-- @int rank
-- @string name
-- @param ... as of `call`
-- @treturn Future
function rpc.async(rank, name, ...) return begin('async', rank, check.text(where .. '.async', 'name', name), pack(...), {}) end

--- Calls a function of a rank, which keeps the results, until the reference is collected here, and those on other ranks that it was passed
-- to, as an argument or result.
-- @int rank
-- @string name
-- @param ... as of `call`
-- @treturn Reference at once
function rpc.remote(rank, name, ...)
  local future = begin('remote', rank, check.text(where .. '.remote', 'name', name), pack(...), { keeps = true })
  future._arguments = nil
  return newReference(rank, group.world:rank(), future._id, nil, future)
end

--- Runs the calls of others that have come, without waiting.
function rpc.poll()
  running 'poll'
  while poll() do end
end

--- Returns the number of values and graphs that this rank keeps for others.
-- @treturn int
function rpc.kept() return held.count() end

--- Runs calls of others until all ranks have called it, and ends remote calls.
-- @number[opt] seconds the longest wait, without end by default
-- @raise if the time is over: which ranks have not called it
function rpc.shutdown(seconds)
  running 'shutdown'
  if seconds ~= nil then check.number(where .. '.shutdown', 'seconds', seconds, { min = 0 }) end
  seconds = seconds or math.huge
  serveUntil(function() return next(state.pending) == nil end, seconds)
  wire.each(function(rank) wire.send(rank, byeKind, 0, true) end)
  local missing
  local function allSaid()
    missing = {}
    wire.each(function(rank, peer)
      if not state.said[rank] and not peer.lost then missing[#missing + 1] = rank end
    end)
    return #missing == 0
  end
  if not serveUntil(allSaid, seconds) then
    say('shutdown', ('ranks %s have not called it within %g seconds'):format(table.concat(missing, ', '), seconds))
  end
  state.isLeaving = true
  wire.each(function(rank) wire.send(rank, wire.last, 0, true) end)
  serveUntil(function()
    local isOver = true
    wire.each(function(_, peer) isOver = isOver and (peer.lost or not peer.handle and not peer.sending[1]) end)
    return isOver
  end, seconds)
  operation.setMeanwhile(nil)
  state = nil
end

return rpc
