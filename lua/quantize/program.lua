--- Runs the steps of a graph with other functions in place of the ops.
-- @module quantize.program
-- @local
local torch = require 'torch'
local native, control = require('torch.graph_object').native, require 'torch.graph_control'

local program = {}

--- Returns a function of the inputs that runs a graph. For each step it calls `step(number, name of the op, arguments...)`, whose results
-- are those of the step. Values may be anything that has a method `size`. Steps inside of branches and loops run as they are.
-- @tparam torch.Graph graph
-- @tparam {torch.Tensor,...} constants in the order of `graph:info().constants`
-- @tparam function step
-- @tparam function resolve returns a value as a tensor
-- @treturn function
function program.runner(graph, constants, step, resolve)
  local number, inside = 0, 0
  local ops = setmetatable({}, { __index = function(_, name)
    local op = torch[name]
    if type(op) ~= 'function' then return op end
    return function(...)
      if inside > 0 then return op(...) end
      number = number + 1
      return step(number, name, ...)
    end
  end })
  local function replay(op, bodies, state, sequences, invariants, option)
    local lists = { state, sequences, invariants }
    for k = 1, 3 do
      local list = {}
      for i, value in ipairs(lists[k] or {}) do list[i] = resolve(value) end
      lists[k] = list
    end
    inside = inside + 1
    local results = { pcall(control.replay, op, bodies, lists[1], lists[2], lists[3], resolve(option)) }
    inside = inside - 1
    if not results[1] then error(results[2], 0) end
    return unpack(results, 2)
  end
  local run = assert(loadstring(native.source(graph), '=graph'))(ops, constants, replay)
  return function(...)
    number = 0
    return run(...)
  end
end

--- Returns the constants of a graph in order.
-- @tparam torch.Graph graph
-- @treturn {torch.Tensor,...}
function program.constants(graph)
  local list = {}
  for i, name in ipairs(native.info(graph).constants) do list[i] = native.constant(graph, name) end
  return list
end

return program
