--- Captures of graphs: names of inputs, and how results are put together.
-- @module torch.graph_capture
local C = require 'libmoontorch'
local messages, modules = require 'torch.check.message', require 'torch.modules'
local object = require 'torch.graph_object'

local native, Constant = object.native, object.Constant

local captures = {}

--- Returns the names of inputs, the inputs in this order, and whether they have names: a list has the names x1, x2, ..., a table its keys
-- in alphabetical order.
-- @tparam table inputs
function captures.named(inputs)
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

local scalars = { ['nil'] = true, number = true, boolean = true, string = true }

--- Returns a text for what the graph of a call depends on: dtypes and sizes of tensors, all other values, and the precision.
-- @tparam {string,...} names of the arguments
-- @tparam table arguments
-- @int count their number
-- @tparam function refuse raises an error for the number of an argument that a graph can't have
-- @treturn string
-- @treturn {torch.Tensor,...} the tensors among the arguments
-- @treturn {string,...} their names
-- @treturn boolean whether one of them is tracked
function captures.signature(names, arguments, count, refuse)
  local parts, tensors, tensorNames, isTracked = { tostring(C.autocast()) }, {}, {}, false
  for i = 1, count do
    local value, name, kind = arguments[i], names[i], type(arguments[i])
    if C.isTensor(value) then
      tensors[#tensors + 1], tensorNames[#tensors + 1] = value, name
      local tracked = C.tracked(value)
      isTracked = isTracked or tracked
      kind = ('%s[%s]%s'):format(value:type(), table.concat(value:size():totable(), ','), tracked and '*' or '')
    elseif scalars[kind] then
      kind = ('%s:%q'):format(kind, kind == 'number' and ('%.17g'):format(value) or tostring(value))
    else
      refuse(i)
    end
    parts[#parts + 1] = ('%s:%s'):format(name, kind)
  end
  return table.concat(parts, ';'), tensors, tensorNames, isTracked
end

-- Appends the tensors in a value to a list, and returns the value with positions in the list in their place. `keeps`: other values, such as
-- numbers, are results, too.
local function flattened(value, list, keeps)
  if C.isTensor(value) then
    list[#list + 1] = value
    return #list
  end
  if type(value) ~= 'table' then
    if keeps then return setmetatable({ value = value }, Constant) end
    error('capture: results: ' .. messages.value(value) .. ', expected tensors or tables of tensors', 0)
  end
  local positions = {}
  for key, each in pairs(value) do positions[key] = flattened(each, list, keeps) end
  return positions
end

--- Returns the tensors in a value, in the order of the outputs of a graph.
-- @tparam table value
-- @treturn {torch.Tensor,...}
function captures.tensors(value)
  local list = {}
  flattened({ unpack(value, 1, value.n or #value) }, list)
  return list
end

-- Runs f inside a capture, and returns what native.endCapture does for the outputs that it returns. `anySize`: as one of several captures
-- with other sizes, without the passes.
local function captured(f, names, tensors, guards, anySize)
  local capture = native.beginCapture(names, tensors, modules.folder, guards, anySize)
  local done, outputs, first = pcall(f)
  if not done then
    native.endCapture(capture)
    error(outputs, 0)
  end
  return native.endCapture(capture, outputs, anySize or first)
end

--- Captures a function.
-- @tparam function f has no arguments
-- @tparam {string,...} names of the inputs
-- @tparam {torch.Tensor,...} tensors the inputs
-- @bool[opt] guards whether reads become guards
-- @bool[opt] anySize whether it is one of several captures with other sizes; the passes are left out
-- @return the graph; with guards a table of the graphs `checks` and `rest` and of `guards`
-- @treturn table the results
-- @return how they are put together
-- @treturn {torch.Tensor,...} the tensors among them
function captures.list(f, names, tensors, guards, anySize)
  local list, returned, shape = {}, nil, nil
  local graph, rest, conditions = captured(function()
    returned = { f() }
    shape = flattened(returned, list, guards)
    return list
  end, names, tensors, guards, anySize)
  if guards then graph = { checks = graph, rest = rest, guards = conditions } end
  return graph, returned, shape, list
end

--- Captures a function as two graphs.
-- @tparam function f has no arguments; it returns a list of outputs and the number of those of the first graph
-- @tparam {string,...} names of the inputs
-- @tparam {torch.Tensor,...} tensors the inputs
-- @treturn torch.Graph which also returns what the second one needs
-- @treturn torch.Graph whose inputs are those of the first one, and these values
function captures.parts(f, names, tensors) return captured(f, names, tensors) end

return captures
