--- Graphs: programs of ops as values. A graph has inputs, constants and steps; it runs without Lua, can be printed, parsed and transformed.
-- @module torch.graph
local C, torch = require 'libmoontorch', require 'torch'
local extensions, modules = require 'torch.extensions', require 'torch.modules'
local messages, object = require 'torch.check.message', require 'torch.graph_object'

local native, shapes = object.native, object.shapes

local graph = {}

-- Returns the names of inputs, the inputs in this order, and whether they have names: a list has the names x1, x2, ..., a table its keys in
-- alphabetical order.
local function namedInputs(inputs)
  local names, tensors, count = {}, {}, 0
  for _ in pairs(inputs) do count = count + 1 end
  if #inputs == count then
    for i = 1, count do names[i], tensors[i] = 'x' .. i, inputs[i] end
    return names, tensors, false
  end
  for name in pairs(inputs) do
    if type(name) ~= 'string' or name == '' then
      error(('capture: inputs: the key %s, expected a list or names'):format(messages.value(name)), 3)
    end
    names[#names + 1] = name
  end
  table.sort(names)
  for i, name in ipairs(names) do tensors[i] = inputs[name] end
  return names, tensors, true
end

-- Appends the tensors in a value to a list, and returns the value with positions in the list in their place.
local function flattened(value, list)
  if C.isTensor(value) then
    list[#list + 1] = value
    return #list
  end
  if type(value) ~= 'table' then
    error('capture: results: ' .. messages.value(value) .. ', expected tensors or tables of tensors', 0)
  end
  local positions = {}
  for key, each in pairs(value) do positions[key] = flattened(each, list) end
  return positions
end

-- Captures f with inputs by position. Returns the graph, the results, and how they are put together.
local function captureList(f, names, tensors)
  local capture = native.beginCapture(names, tensors, modules.folder)
  local list, returned, shape = {}, nil, nil
  local done, failure = pcall(function()
    returned = { f() }
    shape = flattened(returned, list)
  end)
  if not done then
    native.endCapture(capture)
    error(failure, 0)
  end
  return native.endCapture(capture, list), returned, shape
end

--- Runs a function once and returns the ops that it ran as a graph.
--
-- The rule that tells inputs from constants: the tensors in `inputs` are inputs; every other tensor that the function reads and that
-- existed before is a constant, which the graph shares with the program: a run reads the elements that it has then. If the function writes
-- to an input or to a constant (parameters, running statistics), each run writes to it, too. Numbers and all other values of Lua are as
-- they were during the capture, and so are the branches that the function took. Ops that return a number, such as `x:sum()`, return a
-- tensor with one element. Random numbers are drawn anew in each run.
-- @tparam function f its arguments are the inputs, or the table of inputs by name; it returns tensors or tables of tensors
-- @tparam table inputs a list of tensors, or tensors by name
-- @treturn torch.Graph
-- @return the results of this first run
-- @raise if the function reads elements as numbers, writes to elements by pointers, or runs ops whose sizes depend on elements
function graph.capture(f, inputs)
  if type(inputs) ~= 'table' or C.isTensor(inputs) then
    error(('capture: inputs: %s, expected a table of tensors'):format(messages.value(inputs)), 2)
  end
  local names, tensors, byName = namedInputs(inputs)
  for i, tensor in ipairs(tensors) do
    if not C.isTensor(tensor) then error(('capture: %s: %s, expected a tensor'):format(names[i], messages.value(tensor)), 2) end
  end
  local captured, returned, shape = captureList(function()
    if byName then return f(inputs) end
    return f(unpack(tensors, 1, #tensors))
  end, names, tensors)
  shapes[captured] = shape
  return captured, unpack(returned, 1, #returned)
end

--- Returns the gradient of a graph as a graph.
-- It has the inputs of the graph, and for each output with several elements one more, `g1` for the first: the gradient of this output. An
-- output with one element, such as a loss, counts with the gradient 1. The gradients of several outputs add up. All inputs of the graph
-- must have types with fixed sizes, as in a captured graph; updates are left out. The gradient of a gradient works likewise.
-- @tparam torch.Graph g
-- @tparam string|{string,...} wrt names of inputs or constants
-- @treturn torch.Graph which returns the gradients in the order of `wrt`; that of an input without influence is 0
-- @raise if an op has no derivative
function graph.gradient(g, wrt)
  if torch.typename(g) ~= 'torch.Graph' then error(('graph.gradient: g: %s, expected a graph'):format(messages.value(g)), 2) end
  if type(wrt) == 'string' then wrt = { wrt } end
  if type(wrt) ~= 'table' or #wrt == 0 then
    error(('graph.gradient: wrt: %s, expected names of inputs'):format(messages.value(wrt)), 2)
  end
  local derive = extensions.get 'graphGradient'
  if not derive then error('graph.gradient: g: the package autograd is not installed, expected it', 2) end
  local backward, names, samples = derive(g, wrt)
  return (captureList(function() return backward(unpack(samples, 1, #names)) end, names, samples))
end

--- Parses the text of a graph, as `tostring` returns it.
-- @string text
-- @tparam[opt] table constants name -> tensor, for each constant of the text
-- @treturn torch.Graph
function graph.parse(text, constants)
  if type(text) ~= 'string' then error(('graph.parse: text: %s, expected a string'):format(messages.value(text)), 2) end
  return native.parse(text, constants)
end

return graph
