--- Captures of graphs for any size of some dimensions: the option `dynamic` of `torch.graph.capture`. The function is captured with three
-- sizes; numbers of the steps that differ become expressions of the size.
-- @module torch.dynamic_capture
local torch = require 'torch'
local messages = require 'torch.check.message'
local captures, object = require 'torch.graph_capture', require 'torch.graph_object'
local native, shapes = object.native, object.shapes

-- Returns the positions of inputs, their dimensions, and the size of these.
local function readDims(dynamic, names, tensors)
  if type(dynamic) ~= 'table' or next(dynamic) == nil then
    error(('capture: dynamic: %s, expected a table of an input and its dimension'):format(messages.value(dynamic)), 0)
  end
  local positions, dims, size = {}, {}, nil
  for i, name in ipairs(names) do
    local dim, x = dynamic[name], tensors[i]
    if dim == nil then dim = dynamic[i] end
    if dim ~= nil then
      if type(dim) ~= 'number' or dim < 1 or dim > x:dim() or dim % 1 ~= 0 then
        error(('capture: dynamic: %s of %s, expected a dimension from 1 to %d'):format(messages.value(dim), name, x:dim()), 0)
      end
      if size and x:size(dim) ~= size then
        error(('capture: dynamic: size %d of %s, expected %d, as all of these dimensions have'):format(x:size(dim), name, size), 0)
      end
      size = x:size(dim)
      positions[#positions + 1], dims[#dims + 1] = i, dim
    end
  end
  local count = 0
  for _ in pairs(dynamic) do count = count + 1 end
  if count ~= #positions then error('capture: dynamic: a key that is no input, expected names or positions of inputs', 0) end
  if size < 2 then error(('capture: dynamic: size %d, expected 2 or more: a dimension of size 1 is broadcast'):format(size), 0) end
  return positions, dims, size
end

-- Returns copies of the inputs, with slices repeated up to a size.
local function resized(tensors, positions, dims, size)
  local list = {}
  for i, x in ipairs(tensors) do list[i] = x:clone() end
  for k, i in ipairs(positions) do
    local slices = {}
    for s = 1, size do slices[s] = (s - 1) % list[i]:size(dims[k]) + 1 end
    list[i] = torch.index(list[i], dims[k], torch.LongTensor(slices))
  end
  return list
end

-- Runs a function, and gives the tensors that a graph writes to, and the generator, their values back.
local function withoutEffects(graph, f)
  local saved, state = {}, torch.getRNGState()
  for _, name in ipairs(native.info(graph).constants) do
    local constant = native.constant(graph, name)
    saved[constant] = constant:clone()
  end
  local done, failure = pcall(f)
  for constant, before in pairs(saved) do
    if before:dim() > 0 and not torch.equal(constant, before) then constant:copy(before) end
  end
  torch.setRNGState(state)
  if not done then error(failure, 0) end
end

-- Returns results with copies of their tensors: those of modules change in the next run.
local function copied(value)
  if torch.isTensor(value) then return value:clone() end
  local list = {}
  for key, each in pairs(value) do list[key] = copied(each) end
  return list
end

--- Captures a function for any size of some dimensions.
-- @tparam function call gets a list of inputs
-- @tparam {string,...} names of the inputs
-- @tparam {torch.Tensor,...} tensors
-- @tparam table dynamic input -> dimension
-- @treturn torch.Graph
-- @treturn table the results of the first run
return function(call, names, tensors, dynamic)
  local positions, dims, size = readDims(dynamic, names, tensors)
  local before = resized(tensors, positions, dims, size)               -- the function may write to its inputs
  local first, returned, shape = captures.list(function() return call(tensors) end, names, tensors, false, true)
  returned = copied(returned)
  local graphs, sizes = { first }, { size, size + 1, size + 3 }
  local captured
  withoutEffects(first, function()
    for k = 2, #sizes do
      local inputs = resized(before, positions, dims, sizes[k])
      graphs[k] = captures.list(function() return call(inputs) end, names, inputs, false, true)
    end
    captured = native.generalize(graphs, sizes, positions, dims)
  end)
  shapes[captured] = shape
  return captured, returned
end
