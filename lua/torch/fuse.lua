--- torch.fuse: functions that run as graphs.
-- @module torch.fuse
-- @local
local C = require 'libmoontorch'
local messages, check = require 'torch.check.message', require 'torch.check'
local captures, object = require 'torch.graph_capture', require 'torch.graph_object'
local extensions = require 'torch.extensions'

local native, restored = object.native, object.restored

local limit = 64      -- graphs of a function

local inputNames = setmetatable({}, { __index = function(known, i)
  known[i] = 'x' .. i
  return known[i]
end })

-- Returns a function (tensors, names, ...) that runs f without the tape: as a graph from the second call on.
local function withoutTape(f)
  local graph, shape
  return function(tensors, names, ...)
    if graph then return unpack(restored(shape, { native.run(graph, unpack(tensors)) })) end
    local arguments, returned = { n = select('#', ...), ... }
    graph, returned, shape = captures.list(function() return f(unpack(arguments, 1, arguments.n)) end, names, tensors)
    return unpack(returned, 1, #returned)
  end
end

--- Returns a function that does the same as f, as a graph with fused loops, from the second call with arguments of the same sizes on.
-- Elementwise ops of f that follow each other run as one loop, and nothing in f runs in Lua any more. Tensors among the arguments are
-- inputs; numbers, booleans and strings have a graph for each value (docs/graph.md says what else is constant). If an argument, or a
-- parameter that f uses, is tracked, a second graph computes the gradients. Results have the bits of f.
-- @tparam function f its arguments are tensors, numbers, booleans and strings; it returns tensors or tables of tensors
-- @treturn function
-- @raise what torch.graph.capture raises for an f that can't be a graph
-- @usage
-- local gelu = torch.fuse(function(x) return torch.cmul(torch.mul(x, 0.5), torch.add(torch.erf(torch.mul(x, math.sqrt(0.5))), 1)) end)
return function(f)
  check.callable('fuse', 'f', f)
  local variants, count = {}, 0
  return function(...)
    if C.capturing() or C.lazyMode() then return f(...) end
    local arguments = { ... }
    local signature, tensors, tensorNames, isTracked = captures.signature(inputNames, arguments, select('#', ...), function(i)
      check.raise(('fuse: argument %d: %s, expected a tensor, a number, a boolean or a string'):format(i, messages.value(arguments[i])))
    end)
    local recording = C.gradMode()
    signature = (recording and '' or 'no tape;') .. signature
    local variant = variants[signature]
    if not variant then
      if count >= limit then return f(...) end
      local onTape = recording and (isTracked or extensions.registered.tape) and extensions.get 'fusedFunction'
      variant = (onTape or withoutTape)(f)
      variants[signature], count = variant, count + 1
    end
    return variant(tensors, tensorNames, ...)
  end
end
