--- onnx.save: writes graphs, modules and functions as ONNX files.
-- @module onnx.write.file
local C, torch = require 'libmoontorch', require 'torch'
local check, messages, object = require 'torch.check', require 'torch.check.message', require 'torch.graph_object'
local emitter, steps = require 'onnx.write.emitter', require 'onnx.write.steps'
local native, utf8 = object.native, require 'torch.file.utf8'

local OLDEST, NEWEST, USUAL = 17, 26, 18      -- operator sets
local SIZES = { 16, 23 }      -- with which a graph for any size is compared: what differs is not fixed, also behind strides

local function refuse(argument, actual, expected)
  check.raise(('onnx.save: %s: %s, expected %s'):format(argument, actual, expected))
end

local known = { inputs = true, inputNames = true, outputNames = true, dynamic = true, opset = true, external = true }

local function checkOptions(options)
  if type(options) ~= 'table' or C.isTensor(options) then refuse('options', messages.value(options), 'a table') end
  for key in pairs(options) do
    if not known[key] then
      refuse('options', 'the key ' .. messages.value(key), 'inputs, inputNames, outputNames, dynamic, opset or external')
    end
  end
  local opset = options.opset or USUAL
  if type(opset) ~= 'number' or opset % 1 ~= 0 or opset < OLDEST or opset > NEWEST then
    refuse('opset', messages.value(opset), ('a whole number from %d to %d'):format(OLDEST, NEWEST))
  end
  for _, name in ipairs { 'inputNames', 'outputNames' } do
    local list = options[name]
    if list ~= nil and type(list) ~= 'table' then refuse(name, messages.value(list), 'a list of names') end
    for _, each in ipairs(list or {}) do
      if type(each) ~= 'string' or each == '' or not utf8.isValid(each) then refuse(name, messages.value(each), 'names in UTF-8') end
    end
  end
  local external = options.external
  if external ~= nil and type(external) ~= 'boolean' then refuse('external', messages.value(external), 'a boolean') end
  return opset
end

-- ---- dynamic sizes

-- Reads { input = { [1] = 'batch' } } as { input = 1 } and the name; inputs by name, or by position.
local function readDynamic(dynamic, names)
  if dynamic == nil then return nil end
  if type(dynamic) ~= 'table' or next(dynamic) == nil then
    refuse('dynamic', messages.value(dynamic), "a table such as { input = { [1] = 'batch' } }")
  end
  local dims, symbol, positions = {}, nil, {}
  for i, name in ipairs(names) do positions[name] = i end
  for key, axes in pairs(dynamic) do
    local position = positions[key] or names[key] and key
    if not position then refuse('dynamic', 'the key ' .. messages.value(key), 'one of the inputs ' .. table.concat(names, ', ')) end
    if type(axes) ~= 'table' then refuse('dynamic', messages.value(axes), "a table such as { [1] = 'batch' }") end
    for dim, name in pairs(axes) do
      if type(dim) ~= 'number' then refuse('dynamic', 'the key ' .. messages.value(dim), 'a dimension') end
      if type(name) ~= 'string' or name == '' or not utf8.isValid(name) then
        refuse('dynamic', messages.value(name), 'the name of a size in UTF-8')
      end
      if symbol and symbol ~= name then
        refuse('dynamic', ('the sizes %s and %s'):format(symbol, name), 'one name: a graph has one size that differs')
      end
      if dims[position] then refuse('dynamic', 'two dimensions of ' .. names[position], 'one') end
      dims[position], symbol = dim, name
    end
  end
  return dims, symbol
end

-- ---- what is saved, as a graph with names of inputs

local function tensorsOf(inputs)
  local captures = require 'torch.graph_capture'
  if C.isTensor(inputs) then inputs = { inputs } end
  if type(inputs) ~= 'table' then refuse('inputs', messages.value(inputs), 'tensors') end
  local names, tensors, byName = captures.named(inputs)
  for i, tensor in ipairs(tensors) do
    if not C.isTensor(tensor) then refuse('inputs: ' .. names[i], messages.value(tensor), 'a tensor') end
  end
  if #tensors == 0 then refuse('inputs', 'none', 'tensors') end
  return names, tensors, byName
end

local function named(options, names)
  local list = options.inputNames
  if list and #list ~= #names then refuse('inputNames', #list .. ' names', #names) end
  return list or names
end

local function captured(f, names, tensors, dims)
  local graph
  if dims then
    local dynamic = {}
    for i, dim in pairs(dims) do dynamic[names[i]] = dim end
    graph = require 'torch.dynamic_capture'(f, names, tensors, dynamic)
  else
    graph = require 'torch.graph_capture'.list(function() return f(tensors) end, names, tensors)
  end
  return graph
end

local function ofFunction(f, options)
  local names, tensors, byName = tensorsOf(options.inputs)
  local shown = named(options, names)
  local dims, symbol = readDynamic(options.dynamic, shown)
  local function call(list)
    if not byName then return f(unpack(list, 1, #list)) end
    local given = {}
    for i, name in ipairs(names) do given[name] = list[i] end
    return f(given)
  end
  return captured(call, names, tensors, dims), shown, symbol
end

local function ofModule(module, options)
  local sample = require 'nn.support.sample_input'
  local tensors, names = {}, {}
  if options.inputs == nil then refuse('inputs', 'nothing', 'an input of the module') end
  local shape = sample.describe('onnx.save', options.inputs, module:type(), tensors)
  for i in ipairs(tensors) do names[i] = #tensors == 1 and 'input' or 'input' .. i end
  local shown = named(options, names)
  local dims, symbol = readDynamic(options.dynamic, shown)
  local graph = sample.inEvaluation(module, function()
    return torch.noGrad(function()
      return captured(function(list)
        module:clearState()
        return (module:forward((sample.assembled(shape, list, 1))))
      end, names, tensors, dims)
    end)
  end)
  return graph, shown, symbol
end

local function ofGraph(graph, options)
  local names = native.inputs(graph)
  local shown = named(options, names)
  local _, symbol = readDynamic(options.dynamic, shown)
  return graph, shown, symbol or 'n', options.inputs and select(2, tensorsOf(options.inputs))
end

-- ---- the file

-- The graph with types for two sizes of the dimensions that have any, as tables.
local function described(graph, samples)
  local _, types = native.inputs(graph)
  local isOpen = false
  for i, type in ipairs(types) do
    for _, size in ipairs(type and not (samples and samples[i]) and type.sizes or {}) do isOpen = isOpen or size < 0 end
  end
  local first = native.steps(native.typed(graph, samples, SIZES[1]))
  return first, isOpen and native.steps(native.typed(graph, samples, SIZES[2])) or first
end

local function declarations(o, names, first, second, symbol)
  local values, list = {}, {}
  for i, name in ipairs(names) do
    local type = first.inputs[i]
    if not type then refuse(name, 'an input without a type', 'a tensor in the option inputs') end
    local sizes, open = {}, {}
    for d, size in ipairs(type.sizes) do
      local isFixed = size == second.inputs[i].sizes[d]
      sizes[d], open[d] = isFixed and size or symbol, isFixed and size
    end
    if not o.reserve(name) then refuse('inputNames', name .. ' twice', 'different names') end
    list[i] = { name = name, dtype = type.dtype, sizes = sizes }
    values[i] = emitter.value(name, type.dtype, open, type.sizes)
    values[i].other = second.inputs[i].sizes
  end
  return values, list
end

local function outputsOf(o, outputs, options, symbol)
  local names, list = options.outputNames, {}
  if #outputs == 0 then refuse('x', 'no results', 'one or more') end
  if names and #names ~= #outputs then refuse('outputNames', #names .. ' names', #outputs) end
  for i, value in ipairs(outputs) do
    local name = names and names[i] or #outputs == 1 and 'output' or 'output' .. i
    if not o.reserve(name) then
      if names then refuse('outputNames', name .. ', which is taken', 'other names') end
      name = name .. '_'
      o.reserve(name)
    end
    o.output(value, name)
    local sizes = {}
    for d, size in ipairs(value.sizes) do
      local isSymbol = value.sample[d] == SIZES[1] and value.other[d] == SIZES[2]
      sizes[d] = size or isSymbol and symbol or ('%s_%d'):format(name, d)
    end
    list[i] = { name = name, dtype = value.dtype, sizes = sizes }
  end
  return list
end

--- Writes an ONNX file. See `onnx.save`.
return function(x, file, options)
  options = options == nil and {} or options
  local opset = checkOptions(options)
  if type(file) ~= 'string' then refuse('file', messages.value(file), 'a string') end
  local graph, names, symbol, samples
  if torch.typename(x) == 'torch.Graph' then
    graph, names, symbol, samples = ofGraph(x, options)
  elseif torch.isTypeOf(x, 'nn.Module') then
    graph, names, symbol = ofModule(x, options)
  elseif type(x) == 'function' then
    graph, names, symbol = ofFunction(x, options)
  else
    refuse('x', messages.value(x), 'a graph, a module or a function')
  end
  local first, second = described(graph, samples)
  if first.updates > 0 then refuse('graph', first.updates .. ' writes to inputs or constants', 'none: ONNX graphs have no state') end
  local o = emitter.new(opset)
  local values, inputs = declarations(o, names, first, second, symbol)
  local outputs = steps.translate(o, first, second, values)
  o.from ''
  local declared = outputsOf(o, outputs, options, symbol)
  check.call(native.onnx.write, o.graph(inputs, declared), file, opset, options.external or false)
end
