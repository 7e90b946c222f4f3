--- The matrix of a linear function of tensors, for Jacobians.
-- @module autograd.linear_map
local torch, C = require 'torch', require 'libmoontorch'
local captures, native = require 'torch.graph_capture', require('torch.graph_object').native
local noGrad = require('autograd.mode').noGrad

local linearMap = {}

local fewest = 32             -- unit vectors for which a capture takes less time than one run for each
local most = 2 ^ 18           -- elements of the vectors and results in a batch

-- Captures a linear function; returns a function (count, tensors) that applies it to `count` vectors at once, or nil if it can't.
local function batched(linear, samples)
  local names, inDims, constants = {}, {}, {}
  for k in ipairs(samples) do names[k], inDims[k] = 'x' .. k, true end
  local done, graph = pcall(captures.list, function() return unpack(linear(samples)) end, names, samples)
  if not done then return nil end
  for i, name in ipairs(native.info(graph).constants) do constants[i] = native.constant(graph, name) end
  local readable, source = pcall(native.source, graph)
  if not readable then return nil end
  local batching = require 'autograd.batching'
  return function(count, tensors) return { batching.functionOf(source, constants, count, inDims)(unpack(tensors)) } end
end

--- Returns the matrices of a linear function: for each result one whose row i is the result for unit vector i. The unit vectors count the
-- elements of all arguments, one tensor after another. The function is captured (`torch.graph.capture`) and runs for many vectors at once,
-- if there are several and a capture is possible; otherwise it runs for one after another.
-- @tparam function linear a list of tensors -> a list of tensors
-- @tparam {torch.Tensor,...} samples tensors like its arguments
-- @treturn {torch.Tensor,...} of sizes (elements of the arguments, elements of the result)
function linearMap.matrices(linear, samples)
  local total = 0
  for _, x in ipairs(samples) do total = total + x:nElement() end
  local function units(first, count)
    local list, offset = {}, 0
    for k, x in ipairs(samples) do
      local n = x:nElement()
      local unit = torch.zeros(count, n):type(x:type())
      for i = math.max(1, offset + 1 - first + 1), math.min(count, offset + n - first + 1) do unit[i][first + i - 1 - offset] = 1 end
      list[k], offset = unit, offset + n
    end
    return list
  end
  local function inSizes(list, count)
    for k, x in ipairs(samples) do
      local sizes = x:size():totable()
      if count then table.insert(sizes, 1, count) end
      list[k] = torch.view(list[k], torch.LongStorage(sizes))
    end
    return list
  end
  return noGrad(function()
    local apply = total >= fewest and not C.capturing() and batched(linear, inSizes(units(1, 1)))
    local rows, first, step = {}, 1, 1
    while first <= total do
      local count = math.min(step, total - first + 1)
      local results = apply and apply(count, inSizes(units(first, count), count)) or linear(inSizes(units(first, 1)))
      local elements = total
      for k, y in ipairs(results) do
        local n = y:nElement() / count
        rows[k] = rows[k] or {}
        table.insert(rows[k], torch.reshape(C.detach(y), count, n))
        elements = math.max(elements, n)
      end
      first = first + count
      if apply then step = math.max(1, math.floor(most / elements)) end
    end
    for k, parts in ipairs(rows) do rows[k] = torch.cat(parts, 1) end
    return rows
  end)
end

return linearMap
