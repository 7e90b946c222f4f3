--- Control flow that captures record as one step: the functions cond, whileLoop and scan of torch.graph.
--
-- Outside of captures they are plain loops and branches. Inside, each function that they get runs once, as a capture of its own, with
-- copies of the first arguments; this run leaves no trace. Then the step runs.
-- @module torch.graph_control
-- @local
local C, torch = require 'libmoontorch', require 'torch'
local check, messages, modules = require 'torch.check', require 'torch.check.message', require 'torch.modules'
local native, extensions = require('torch.graph_object').native, require 'torch.extensions'

local control = {}

local function pack(...) return { n = select('#', ...), ... } end

local function refuse(where, name, actual, expected) check.raise(('%s: %s: %s, expected %s'):format(where, name, actual, expected)) end

local function checkTensors(where, name, list)
  if type(list) ~= 'table' or C.isTensor(list) then refuse(where, name, messages.value(list), 'a list of tensors') end
  for i = 1, #list do
    if not C.isTensor(list[i]) then refuse(where, name, messages.value(list[i]), 'tensors') end
  end
  return list
end

local function checkResults(where, name, results, least, most)
  if results.n < least or most and results.n > most then
    refuse(where, name, results.n .. ' results', most and tostring(most) or ('%d or more'):format(least))
  end
  for i = 1, results.n do
    if not C.isTensor(results[i]) then refuse(where, name, messages.value(results[i]), 'tensors') end
  end
  return results
end

-- Checks results against tensors of the same dtypes and sizes. `when`: a text for messages.
local function checkTypes(where, name, results, wanted, when)
  for i, tensor in ipairs(wanted) do
    if results[i]:type() ~= tensor:type() or not results[i]:isSize(tensor:size()) then
      refuse(where, name, ('%s as result %d%s'):format(messages.value(results[i]), i, when), messages.value(tensor))
    end
  end
end

-- Calls a function of the program, which must not write to its arguments.
local function called(where, name, f, ...)
  local versions = {}
  for i = 1, select('#', ...) do versions[i] = C.versionOf((select(i, ...))) end
  local results = pack(f(...))
  for i = 1, #versions do
    if C.versionOf((select(i, ...))) ~= versions[i] then
      refuse(where, name, ('a write to argument %d'):format(i), 'a function that returns new values')
    end
  end
  return results
end

-- Replaces results by copies: modules of nn write each output to the memory of the one before. The tape keeps what it has recorded.
local function kept(results)
  for i = 1, results.n do
    if not C.tracked(results[i]) then results[i] = torch.clone(results[i]) end
  end
  return results
end

-- Replaces results that are operands, or the same tensor again, by copies.
local function separate(results, count, ...)
  local known = {}
  for _, list in ipairs { ... } do
    for _, tensor in ipairs(list) do known[tensor] = true end
  end
  for i = 1, count do
    if known[results[i]] then results[i] = torch.clone(results[i]) end
    known[results[i]] = true
  end
  return unpack(results, 1, count)
end

local function isTrue(where, name, value)
  if C.isTensor(value) then
    if value:nElement() ~= 1 then refuse(where, name, messages.value(value), 'one element') end
    value = value:item()
  end
  if type(value) ~= 'boolean' and type(value) ~= 'number' then
    refuse(where, name, messages.value(value), 'a tensor with one element, a boolean or a number')
  end
  return value ~= false and value ~= 0
end

local function numbered(letter, count, names)
  for i = 1, count do names[#names + 1] = letter .. i end
  return names
end

-- Calls f, which captures bodies, inside a capture of a program.
local function withinCapture(f, ...)
  if C.capturing() then return f(...) end
  local capture = native.beginCapture({}, {}, modules.folder)
  local done, graph, results = pcall(f, ...)
  native.endCapture(capture)
  if not done then error(graph, 0) end
  return graph, results
end

--- Captures a function of the program as a body.
-- @string where
-- @string name of the function, for messages
-- @tparam function f
-- @tparam {string,...} names of its arguments
-- @tparam {torch.Tensor,...} tensors of which it gets copies, or those of the first slices
-- @int plain number of tensors that are no sequences
-- @int least number of its results
-- @int[opt] most
-- @treturn torch.Graph whose constants are the other tensors that it reads
-- @treturn table the results
local function captured(where, name, f, names, tensors, plain, least, most)
  local body, samples = native.beginBody(names, tensors, plain, modules.folder)
  local done, results = pcall(function() return checkResults(where, name, pack(f(unpack(samples))), least, most) end)
  if not done then
    native.endBody(body)
    error(results, 0)
  end
  return native.endBody(body, results), results
end

local function isTracked(...)
  if not C.gradMode() then return false end
  for _, list in ipairs { ... } do
    for _, tensor in ipairs(list) do
      if C.tracked(tensor) then return true end
    end
  end
  return false
end

-- Returns the function that runs a step with tracked tensors.
local function derivative(where, op)
  local derivatives = extensions.get 'controlDerivatives'
  if not derivatives then refuse(where, 'operands', 'a tracked tensor without the package autograd', 'that package') end
  return derivatives[op]
end

--- See torch.graph.cond.
function control.cond(predicate, ifTrue, ifFalse, operands)
  local where = 'graph.cond'
  check.callable(where, 'ifTrue', ifTrue)
  check.callable(where, 'ifFalse', ifFalse)
  operands = checkTensors(where, 'operands', operands or {})
  if not (C.capturing() and C.isTensor(predicate)) then
    local holds = isTrue(where, 'predicate', predicate)
    local name, f = holds and 'ifTrue' or 'ifFalse', holds and ifTrue or ifFalse
    local results = checkResults(where, name, called(where, name, f, unpack(operands)), 1)
    return separate(results, results.n, operands)
  end
  if predicate:nElement() ~= 1 then refuse(where, 'predicate', messages.value(predicate), 'one element') end
  local names = numbered('x', #operands, {})
  local first, results = captured(where, 'ifTrue', ifTrue, names, operands, #operands, 1)
  local second, others = captured(where, 'ifFalse', ifFalse, names, operands, #operands, results.n, results.n)
  checkTypes(where, 'ifFalse', others, results, '')
  if isTracked(operands, results, others) then return derivative(where, 'cond')(predicate, ifTrue, ifFalse, operands) end
  return native.runControl('cond', { first, second }, operands, {}, predicate)
end

--- See torch.graph.whileLoop.
function control.whileLoop(condition, body, state, limit)
  local where = 'graph.whileLoop'
  check.callable(where, 'condition', condition)
  check.callable(where, 'body', body)
  checkTensors(where, 'state', state)
  if #state == 0 then refuse(where, 'state', 'no tensor', 'one or more') end
  if limit ~= nil then check.int(where, 'limit', limit, { min = 0 }) end
  local count = #state
  if not C.capturing() then
    local now = state
    for i = 1, limit or math.huge do
      local holds = called(where, 'condition', condition, unpack(now))
      if not isTrue(where, 'condition', holds[1]) then break end
      now = kept(checkResults(where, 'body', called(where, 'body', body, unpack(now)), count, count))
      checkTypes(where, 'body', now, state, ' of iteration ' .. i)
    end
    return separate({ unpack(now) }, count, state)
  end
  local names = numbered('s', count, {})
  local test, tests = captured(where, 'condition', condition, names, state, count, 1, 1)
  local step, results = captured(where, 'body', body, names, state, count, count, count)
  if isTracked(state, tests, results) then
    refuse(where, 'state', 'a tracked tensor inside a capture', 'none: a loop of unknown length has no derivative; a scan has')
  end
  return native.runControl('while', { test, step }, state, {}, limit)
end

-- A slice of a vector has one element.
local function slice(sequence, at)
  return sequence:dim() == 1 and torch.narrow(sequence, 1, at, 1) or torch.select(sequence, 1, at)
end

local function lengthOf(where, sequences)
  if #sequences == 0 then refuse(where, 'sequences', 'no tensor', 'one or more') end
  for _, sequence in ipairs(sequences) do
    if sequence:dim() == 0 then refuse(where, 'sequences', messages.value(sequence), 'one dimension or more') end
    if sequence:size(1) ~= sequences[1]:size(1) then
      refuse(where, 'sequences', ('%d and %d slices'):format(sequence:size(1), sequences[1]:size(1)), 'sequences of one length')
    end
  end
  return sequences[1]:size(1)
end

local function joined(a, b)
  local list = { unpack(a) }
  for i, value in ipairs(b) do list[#a + i] = value end
  return list
end

local function captureScan(where, body, state, sequences)
  local names = numbered('x', #sequences, numbered('s', #state, {}))
  return captured(where, 'body', body, names, joined(state, sequences), #state, math.max(#state, 1))
end

-- The results for sequences of length 0.
local function withoutSlices(where, body, state, sequences)
  local _, results = withinCapture(captureScan, where, body, state, sequences)
  local list = { unpack(state) }
  for k = #state + 1, results.n do
    local sizes = results[k]:size():totable()
    list[k] = results[k].new():resize(0, unpack(sizes))
  end
  return separate(list, results.n, state)
end

-- The loop in Lua.
local function unrolled(where, body, state, sequences, reverse)
  local length, count = lengthOf(where, sequences), #state
  if length == 0 then return withoutSlices(where, body, state, sequences) end
  local now, stacks, first = state, {}, nil
  for i = 1, length do
    local at, slices = reverse and length + 1 - i or i, {}
    for k, sequence in ipairs(sequences) do slices[k] = slice(sequence, at) end
    local results = called(where, 'body', body, unpack(joined(now, slices)))
    kept(checkResults(where, 'body', results, first and first.n or math.max(count, 1), first and first.n))
    first = first or results
    checkTypes(where, 'body', results, joined(state, { unpack(first, count + 1, first.n) }), ' of iteration ' .. i)
    for k = count + 1, first.n do
      stacks[k] = stacks[k] or {}
      stacks[k][at] = results[k]
    end
    now = { unpack(results, 1, count) }
  end
  local list = { unpack(now, 1, count) }
  for k = count + 1, first.n do list[k] = torch.stack(stacks[k], 1) end
  return separate(list, first.n, state, sequences)
end

--- See torch.graph.scan.
function control.scan(body, state, sequences, reverse)
  local where = 'graph.scan'
  check.callable(where, 'body', body)
  checkTensors(where, 'state', state)
  checkTensors(where, 'sequences', sequences)
  if reverse ~= nil and type(reverse) ~= 'boolean' then refuse(where, 'reverse', messages.value(reverse), 'true or false') end
  lengthOf(where, sequences)
  if not C.capturing() then return unrolled(where, body, state, sequences, reverse) end
  local graph, results = captureScan(where, body, state, sequences)
  if isTracked(state, sequences, results) then
    -- A backward pass runs the body again, which must do the same then.
    local info = native.info(graph)
    if info.draws or info.updates > 0 then return unrolled(where, body, state, sequences, reverse) end
    return derivative(where, 'scan')(body, state, sequences, reverse)
  end
  return native.runControl('scan', { graph }, state, sequences, reverse)
end

-- Returns a function of a body's own arguments, which passes the invariants on.
local function withInvariants(body, invariants)
  return function(...) return body(unpack(joined({ ... }, invariants))) end
end

--- Runs a step of a graph as a call of these functions.
-- @string op
-- @tparam {function,...} bodies
-- @tparam {torch.Tensor,...} state or operands
-- @tparam {torch.Tensor,...} sequences of a scan
-- @tparam {torch.Tensor,...} invariants
-- @param option predicate, limit or direction
-- @return the results
function control.replay(op, bodies, state, sequences, invariants, option)
  if op == 'cond' then return control.cond(option, bodies[1], bodies[2], state) end
  for i, body in ipairs(bodies) do bodies[i] = withInvariants(body, invariants) end
  if op == 'while' then return control.whileLoop(bodies[1], bodies[2], state, option) end
  return control.scan(bodies[1], state, sequences, option)
end

control.captured, control.captureScan, control.withinCapture = captured, captureScan, withinCapture

return control
