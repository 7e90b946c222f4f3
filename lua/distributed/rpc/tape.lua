--- The tape across ranks: a call is recorded as one op on the caller's tape. The callee keeps its graph; in a backward pass the caller
-- sends it the gradients of the results, and gets those of the arguments. Gradients of the callee's own leaves stay there.
-- @module distributed.rpc.tape
local torch, C, check = require 'torch', require 'libmoontorch', require 'torch.check'
local Function = require 'autograd.function'
local held = require 'distributed.rpc.held'

local tape = {}

--- Returns whether the caller records, and the numbers of its arguments that require a gradient.
-- @tparam table arguments with `n`
function tape.ofArguments(arguments)
  if not C.gradMode() then return false end
  local list = {}
  for i = 1, arguments.n do
    if torch.isTensor(arguments[i]) and C.tracked(arguments[i]) then list[#list + 1] = i end
  end
  return list
end

--- Returns values without their history, and false in some places.
-- @tparam table values with `n`
-- @tparam[opt] table places by number
function tape.plain(values, places)
  local result = { n = values.n }
  for i = 1, values.n do
    local x = values[i]
    if places and places[i] then x = false end
    result[i] = torch.isTensor(x) and C.tracked(x) and x:detach() or x
  end
  return result
end

--- At the callee: arguments that are leaves of its tape.
-- @tparam table arguments
-- @tparam {int,...} list
function tape.leaves(arguments, list)
  for _, i in ipairs(list) do arguments[i]:requiresGrad() end
end

--- At the callee: keeps the graph of results, and returns the numbers of those that have one.
function tape.keep(caller, id, arguments, list, results)
  local tracked, outputs = {}, {}
  for i = 1, results.n do
    if torch.isTensor(results[i]) and C.tracked(results[i]) then
      tracked[#tracked + 1], outputs[#outputs + 1] = i, results[i]
    end
  end
  if #tracked == 0 then return tracked end
  local inputs = {}
  for k, i in ipairs(list) do inputs[k] = arguments[i] end
  held.put(caller, id, { inputs = inputs, outputs = outputs })
  return tracked
end

--- At the callee: runs the backward pass of a call, and returns the gradients of its arguments; false for none.
function tape.backward(caller, id, gradients)
  local graph = held.get(caller, id)
  if not graph then error('the graph of the call is gone: its backward pass has run', 0) end
  held.drop(caller, id)
  local sum
  for i, y in ipairs(graph.outputs) do
    if gradients[i] then
      local term = torch.sum(torch.cmul(y, gradients[i]))
      sum = sum and sum + term or term
    end
  end
  if sum then sum:backward() end
  local result = {}
  for i, x in ipairs(graph.inputs) do result[i] = x.grad or false end
  return result
end

local record = Function {
  name = 'distributed.rpc.call',
  forward = function(ctx, info, _, ...)
    ctx.info, ctx.count = info, select('#', ...)
    return unpack(info.results)
  end,
  backward = function(ctx, ...)
    if C.gradMode() then      -- the callee's part of the graph of the gradients would be missing
      check.raise 'torch.distributed.rpc: backward: createGraph: true, expected first derivatives alone of a call of another rank'
    end
    local gradients = {}
    for i = 1, #ctx.info.results do gradients[i] = (select(i, ...)) or false end
    local ofArguments = ctx.info.backward(gradients)
    local list = {}
    for i = 1, ctx.count do list[i] = ofArguments[i] or nil end
    return nil, nil, unpack(list, 1, ctx.count)
  end,
}

--- At the caller: records a call, whose results get a history.
-- @tparam table arguments
-- @tparam {int,...} list which of them require a gradient
-- @tparam table results is changed
-- @tparam {int,...} tracked which of them have a graph at the callee
-- @tparam function backward (gradients) returns the arguments' gradients from the callee
function tape.record(arguments, list, results, tracked, backward)
  local given, made = {}, {}
  for k, i in ipairs(list) do given[k] = arguments[i] end
  for k, i in ipairs(tracked) do made[k] = results[i] end
  -- The first tensor stands for the callee's leaves, so that calls without gradients of arguments are recorded, too.
  local outputs = { record({ results = made, backward = backward }, torch.zeros(1):requiresGrad(), unpack(given)) }
  for k, i in ipairs(tracked) do results[i] = outputs[k] end
end

return tape
