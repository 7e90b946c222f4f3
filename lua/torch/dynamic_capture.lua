--- Captures of graphs for any size of some dimensions: the option `dynamic` of `torch.graph.capture`. The function is captured with several
-- sizes of each name; numbers of the steps that differ become expressions of the sizes.
-- @module torch.dynamic_capture
local torch = require 'torch'
local messages = require 'torch.check.message'
local captures, object = require 'torch.graph_capture', require 'torch.graph_object'
local native, shapes = object.native, object.shapes

local function refuse(format, ...) error('capture: dynamic: ' .. format:format(...), 0) end

-- Reads the dimensions of one input, 2 or { [1] = 'batch', [2] = 'time' }, as a list of { dimension, name }; a number has the name ''.
local function readAxes(axes, input, x)
  local list = {}
  for dim, name in pairs(type(axes) == 'table' and axes or { [axes] = '' }) do
    if type(dim) ~= 'number' or dim < 1 or dim > x:dim() or dim % 1 ~= 0 then
      refuse('%s of %s, expected a dimension from 1 to %d', messages.value(dim), input, x:dim())
    end
    if type(axes) == 'table' and (type(name) ~= 'string' or not name:find '^[%a_][%w_]*$') then
      refuse('%s as the name of dimension %d of %s, expected letters and digits', messages.value(name), dim, input)
    end
    list[#list + 1] = { dim = dim, name = name }
  end
  table.sort(list, function(a, b) return a.dim < b.dim end)
  return list
end

-- Returns a list of { position = of the input, dim =, name = }, the names in order, and their sizes by name.
local function readDims(dynamic, names, tensors)
  if type(dynamic) ~= 'table' or next(dynamic) == nil then
    refuse('%s, expected a table of an input and its dimension', messages.value(dynamic))
  end
  local dims, order, sizes, count = {}, {}, {}, 0
  for i, input in ipairs(names) do
    local axes, x = dynamic[input], tensors[i]
    if axes == nil then axes = dynamic[i] end
    if axes ~= nil then
      count = count + 1
      for _, axis in ipairs(readAxes(axes, input, x)) do
        local size, known = x:size(axis.dim), sizes[axis.name]
        if known and size ~= known then
          refuse('size %d of %s, expected %d, as all of these dimensions have', size, input, known)
        end
        if size < 2 then refuse('size %d, expected 2 or more: a dimension of size 1 is broadcast', size) end
        if not known then order[#order + 1] = axis.name end
        sizes[axis.name] = size
        dims[#dims + 1] = { position = i, dim = axis.dim, name = axis.name }
      end
    end
  end
  for _ in pairs(dynamic) do count = count - 1 end
  if count ~= 0 then refuse 'a key that is no input, expected names or positions of inputs' end
  if #dims == 0 then refuse 'no dimension, expected one or more' end
  return dims, order, sizes
end

local STEPS = { 1, 3, 2, 5 }      -- by which sizes differ from the example's

-- The sizes of all captures, by name. From one to the next each name changes, so that tensors of the program that follow a size are resized
-- in all captures. The large sizes, no two of which are the same, show numbers that rise rarely; the small steps are in another order for
-- each name, which tells the names apart. The last ones are the example's.
local function sizesOfCaptures(order, sizes)
  local large, list, taken = {}, {}, {}
  for _, name in ipairs(order) do
    local size = 2 * sizes[name] + 5
    while taken[size] do size = size + 2 end
    taken[size], large[name] = true, size
  end
  list[1] = large
  for k = 1, #order == 1 and 2 or #STEPS do
    list[k + 1] = {}
    for i, name in ipairs(order) do
      local row = (i - 1) % #STEPS
      local step = STEPS[(k - 1 + row) % #STEPS + 1] + (i - 1 - row)
      list[k + 1][name] = sizes[name] + step
    end
  end
  list[#list + 1] = sizes
  return list
end

-- Returns copies of the inputs, with slices repeated up to sizes.
local function resized(tensors, dims, sizes)
  local list = {}
  for i, x in ipairs(tensors) do list[i] = x:clone() end
  for _, each in ipairs(dims) do
    local x, slices = list[each.position], {}
    for s = 1, sizes[each.name] do slices[s] = (s - 1) % x:size(each.dim) + 1 end
    list[each.position] = torch.index(x, each.dim, torch.LongTensor(slices))
  end
  return list
end

-- Calls a function for a capture with other sizes than the example's. Its errors name these.
local function withSizes(dims, sizes, f, ...)
  local done, result = pcall(f, ...)
  if done then return result end
  local parts = {}
  for i, each in ipairs(dims) do parts[i] = ('%d in dimension %d of input %d'):format(sizes[each.name], each.dim, each.position) end
  error(('%s (in the capture with size %s)'):format(tostring(result), table.concat(parts, ', ')), 0)
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

--- Captures a function for any size of some dimensions. The first run gives the results; the graph comes from later ones, which all find
-- the tensors of modules in other sizes, whatever the program did before.
-- @tparam function call gets a list of inputs
-- @tparam {string,...} names of the inputs
-- @tparam {torch.Tensor,...} tensors
-- @tparam table dynamic input -> dimension, or a table dimension -> name of its size
-- @treturn torch.Graph
-- @treturn table the results of the first run
-- @treturn {table,table} sizes of two captures by name, between which all of them differ; in the first one no two are the same
return function(call, names, tensors, dynamic)
  local dims, order, sizes = readDims(dynamic, names, tensors)
  local list, graphs = sizesOfCaptures(order, sizes), {}
  local before = resized(tensors, dims, sizes)               -- the function may write to its inputs
  local first, returned, shape = captures.list(function() return call(tensors) end, names, tensors, false, true)
  returned = copied(returned)
  local positions, axes, sizeNames = {}, {}, {}
  for k, each in ipairs(dims) do positions[k], axes[k], sizeNames[k] = each.position, each.dim, each.name end
  local captured
  withoutEffects(first, function()
    for k = 1, #list do
      local inputs = resized(before, dims, list[k])
      graphs[k] = withSizes(dims, list[k], captures.list, function() return call(inputs) end, names, inputs, false, true)
    end
    captured = native.generalize(graphs, positions, axes, sizeNames)
  end)
  shapes[captured] = shape
  return captured, returned, { list[1], sizes }
end
