--- The tape across ranks: a call is recorded as one op on the caller's tape. The callee keeps its graph; in a backward pass the caller
-- sends it the gradients of the results, and gets those of the arguments. Gradients of the callee's own leaves stay there.
-- With createGraph that exchange is a further call on the caller's tape, of the arguments and the gradients of the results, and the callee
-- keeps the graph of what it returns: so there are derivatives of any order.
-- @module distributed.rpc.tape
local torch, C = require 'torch', require 'libmoontorch'
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

--- At the callee: runs the backward pass of a call.
-- @int caller
-- @int id of the call
-- @tparam table gradients of its results; false for none
-- @param number of the graph to keep of the gradients; false for none: then the graph of the call ends, if none was kept before
-- @treturn table the gradients of its arguments; false for none
-- @treturn {int,...} which of them have a graph
function tape.backward(caller, id, gradients, number)
  local graph = held.get(caller, id)
  if not graph then error('the graph of the call is gone: its backward pass has run', 0) end
  local inputs, sum = { unpack(graph.inputs) }, nil
  graph.isShared = graph.isShared or number ~= false      -- those of gradients refer to it, and the caller's guard ends it
  if not graph.isShared then held.drop(caller, id) end
  for i, y in ipairs(graph.outputs) do
    local g = gradients[i]
    if g then
      if number then inputs[#inputs + 1] = g:requiresGrad() end
      local term = torch.sum(torch.cmul(y, g))
      sum = sum and sum + term or term
    end
  end
  if sum then sum:backward { createGraph = number ~= false, retainGraph = graph.isShared } end
  local result, tracked, outputs = {}, {}, {}
  for i, x in ipairs(graph.inputs) do
    local g = x.grad
    if number and g and C.tracked(g) then tracked[#tracked + 1], outputs[#outputs + 1] = i, g end
    result[i] = g and g:detach() or false
  end
  for _, x in ipairs(inputs) do x.grad = nil end      -- for the next pass
  if #tracked > 0 then held.put(caller, number, { inputs = inputs, outputs = outputs, isShared = true }) end
  return result, tracked
end

local record

-- Returns the gradients of a call's arguments with a history.
local function differentiable(ctx, gradients)
  local inputs = { ctx:saved() }
  for _, g in ipairs(gradients) do inputs[#inputs + 1] = g or nil end
  local result, tracked, backward = ctx.info.backward(gradients, true)
  tape.record(inputs, result, tracked, backward)
  return result
end

record = Function {
  name = 'distributed.rpc.call',
  forward = function(ctx, info, _, ...)
    ctx.info, ctx.count = info, select('#', ...)
    ctx:save(...)
    return unpack(info.results)
  end,
  backward = function(ctx, ...)
    local gradients = {}
    for i = 1, #ctx.info.results do gradients[i] = (select(i, ...)) or false end
    local ofArguments = C.gradMode() and differentiable(ctx, gradients) or ctx.info.backward(gradients, false)
    local list = {}
    for i = 1, ctx.count do list[i] = ofArguments[i] or nil end
    return nil, nil, unpack(list, 1, ctx.count)
  end,
}

--- At the caller: records a call, whose results get a history.
-- @tparam {torch.Tensor,...} given the arguments that require a gradient
-- @tparam table results is changed
-- @tparam {int,...} tracked which of them have a graph at the callee
-- @tparam function backward (gradients, createGraph) returns the arguments' gradients from the callee; with createGraph also which of them
--   have a graph there, and such a function for that
function tape.record(given, results, tracked, backward)
  if #tracked == 0 then return end
  local made = {}
  for k, i in ipairs(tracked) do made[k] = results[i] end
  -- The first tensor stands for the callee's leaves, so that calls without gradients of arguments are recorded, too.
  local outputs = { record({ results = made, backward = backward }, torch.zeros(1):requiresGrad(), unpack(given)) }
  for k, i in ipairs(tracked) do results[i] = outputs[k] end
end

return tape
