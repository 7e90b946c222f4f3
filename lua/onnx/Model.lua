--- onnx.Model: an ONNX model, which runs, and gives graphs for inputs of fixed sizes. `onnx.load` creates it.
-- @classmod onnx.Model
local C, torch = require 'libmoontorch', require 'torch'
local call, messages = require('torch.check').call, require 'torch.check.message'
local captures, object = require 'torch.graph_capture', require 'torch.graph_object'
local native = object.native.onnx

local Model = torch.class 'onnx.Model'

local NONE = {}      -- no input is known before a run

function Model:__init(path, loaded)
  self.path, self.native = path, loaded
  self.declaredInputs, self.declaredOutputs, self.required = native.values(self.native)
end

-- Copies of declarations, which programs may change.
local function declared(values)
  local list = {}
  for i, value in ipairs(values) do
    list[i] = { name = value.name, dtype = value.dtype, sizes = value.sizes and { unpack(value.sizes) } }
  end
  return list
end

--- The inputs that a run needs, and behind them those that have a default in the file.
-- @treturn table a list of tables: `name`; `dtype`, nil for a sequence; `sizes`, of which an unknown one is its name or '?', nil if the
-- file says nothing, and empty for a number, which is a tensor with one element
function Model:inputs() return declared(self.declaredInputs) end

--- The outputs, like `inputs`.
-- @treturn table
function Model:outputs() return declared(self.declaredOutputs) end

--- Text that the file holds beside the network, such as the names of classes or the letters of an alphabet.
-- @treturn table strings by key; empty if the file has none
function Model:metadata() return native.metadata(self.native) end

-- For bin/minimal: lists of names, `ops`, the ops of nodes, with those of branches, loops and functions, and `dtypes`, the types
-- of tensors.
function Model:_needs()
  local ops, dtypes = native.needs(self.native)
  return { ops = ops, dtypes = dtypes }
end

local function listOf(values)
  local names = {}
  for i, value in ipairs(values) do names[i] = value.name end
  return table.concat(names, ', ')
end

-- The file may say anything: names of sizes are shown without control characters, and many sizes by their number.
local function shownSizes(sizes)
  if #sizes > 16 then return ('%d dimensions'):format(#sizes) end
  local parts = {}
  for i, size in ipairs(sizes) do parts[i] = tostring(size):sub(1, 80):gsub('[^ -~]', '?') end
  return #parts == 0 and 'a number' or table.concat(parts, ' x ')
end

local dtypeNames = {}      -- NumPy's, by Torch7's
for _, info in ipairs(C.dtypes) do dtypeNames[info.torch] = info.name end

-- Raises an error unless a value fits the declaration of an input.
local function check(value, input, level)
  if input.elements == 'no tensor' then
    if type(value) == 'table' or C.isTensor(value) then return end
    error(('onnx: %s: %s, expected a list of tensors'):format(input.name, messages.value(value)), level + 1)
  end
  if not C.isTensor(value) then
    error(('onnx: %s: %s, expected a tensor of %s'):format(input.name, messages.value(value), input.elements), level + 1)
  end
  if input.dtype and dtypeNames[C.dtypeOf(value)] ~= input.dtype then
    error(('onnx: %s: %s, expected a tensor of %s'):format(input.name, messages.tensor(value), input.elements), level + 1)
  end
  local sizes = input.sizes
  if not sizes then return end
  local fits = #sizes == 0 and value:nElement() == 1 or #sizes == value:dim()
  for i, size in ipairs(sizes) do fits = fits and (type(size) ~= 'number' or size == value:size(i)) end
  if not fits then
    error(('onnx: %s: sizes %s, expected %s'):format(input.name, messages.sizes(value), shownSizes(sizes)), level + 1)
  end
end

-- The values of the inputs in the order of the model, from a table by name or in order.
local function arranged(self, given, level)
  local inputs, list, known = self.declaredInputs, {}, {}
  for i, input in ipairs(inputs) do
    known[input.name] = true
    local value = given[input.name]
    if value == nil then value = given[i] end
    if value ~= nil then
      check(value, input, level + 1)
    elseif i <= self.required then
      error(('onnx: %s: nothing, expected a tensor of %s'):format(input.name, input.elements), level + 1)
    end
    list[i] = value
  end
  for key in pairs(given) do
    if not known[key] and not (type(key) == 'number' and inputs[key]) then
      error(('onnx: inputs: %s, expected %s'):format(messages.value(key), listOf(inputs)), level + 1)
    end
  end
  return list
end

-- Runs the model for values in the order of its inputs, as a graph where all are tensors.
local function run(self, list)
  local count, tensors = #self.declaredInputs, {}
  for i = 1, count do
    if list[i] ~= nil then
      if not C.isTensor(list[i]) then return { native.run(self.native, NONE, unpack(list, 1, count)) } end
      tensors[('i%d'):format(i)] = list[i]
    end
  end
  if next(tensors) == nil then return { native.run(self.native, NONE) } end
  self.graphs = self.graphs or torch.GuardedGraph(function(named)
    local values = {}
    for name, tensor in pairs(named) do values[tonumber(name:sub(2))] = tensor end
    return native.run(self.native, NONE, unpack(values, 1, count))
  end, nil, true)
  return { self.graphs:run(tensors) }
end

--- Runs the model. The second run with inputs of some sizes captures a graph, which later runs with these sizes use, unless values on
-- which the model's branches, loops or sizes depend have changed. The first run needs less time and memory than a capture.
-- @param ... the inputs, in order, or one table of them by name
-- @return the outputs in order, or a table by name if the inputs were in a table. A number is a tensor with one element, a sequence a list.
-- @raise if an input is missing, unknown, or of another dtype or other sizes than the file declares; and the errors of the nodes, by name
function Model:run(...)
  local isTable = select('#', ...) == 1 and type(...) == 'table' and not C.isTensor(...)
  local results = call(run, self, arranged(self, isTable and ... or { ... }, 2))
  if not isTable then return unpack(results, 1, #self.declaredOutputs) end
  local named = {}
  for i, output in ipairs(self.declaredOutputs) do named[output.name] = results[i] end
  return named
end

Model.__call = Model.run

--- The graph for inputs of these dtypes and sizes, which runs, is saved, and is prepared without the ONNX file.
-- @tparam table inputs samples by name: tensors whose sizes count
-- @tparam[opt] table constants inputs by name that have these values in all runs, such as those that choose a branch
-- @treturn torch.Graph its inputs are those of the first table, in the model's order. Characters of their names other than letters, digits,
-- _ and . became _.
-- @raise if branches, loops or sizes depend on the elements of an input: make it a constant, or use `run`
function Model:graph(inputs, constants)
  constants = constants or {}
  for name, value in pairs { inputs = inputs or false, constants = constants } do
    if type(value) ~= 'table' or C.isTensor(value) then
      error(('onnx: graph: %s: %s, expected a table of tensors by name'):format(name, messages.value(value or nil)), 2)
    end
  end
  local all = {}
  for name, value in pairs(inputs) do all[name] = value end
  for name, value in pairs(constants) do
    if inputs[name] ~= nil then error(('onnx: graph: constants: %s, which is also an input, expected one of both'):format(name), 2) end
    all[name] = value
  end
  local list, names, samples, known = arranged(self, all, 2), {}, {}, {}
  for i, input in ipairs(self.declaredInputs) do
    if list[i] ~= nil and (inputs[input.name] ~= nil or inputs[i] ~= nil) then
      table.insert(names, input.graphName)
      table.insert(samples, list[i])
    else
      known[i] = list[i] ~= nil
    end
  end
  local graph, _, shape = captures.list(function()
    return native.run(self.native, known, unpack(list, 1, #self.declaredInputs))
  end, names, samples)
  object.shapes[graph] = shape
  return graph
end

function Model:__tostring()
  local lines = { ('onnx.Model (%s)'):format(self.path) }
  local function add(kind, values)
    for _, value in ipairs(values) do
      local sizes = value.sizes and ', ' .. shownSizes(value.sizes) or ''
      lines[#lines + 1] = ('  %s %s: %s%s'):format(kind, value.name, value.elements, sizes)
    end
  end
  add('input', self.declaredInputs)
  add('output', self.declaredOutputs)
  return table.concat(lines, '\n')
end

function Model:write() error('onnx.Model: it is a file already, expected model:graph(inputs):save(file)', 2) end

return Model
