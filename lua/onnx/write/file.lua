--- onnx.save: writes graphs, modules and functions as ONNX files.
-- @module onnx.write.file
local C, torch = require 'libmoontorch', require 'torch'
local check, messages, object = require 'torch.check', require 'torch.check.message', require 'torch.graph_object'
local emitter, steps = require 'onnx.write.emitter', require 'onnx.write.steps'
local native, utf8 = object.native, require 'torch.file.utf8'

local OLDEST, NEWEST, USUAL = 17, 26, 18      -- operator sets
-- A graph for any size is compared in two runs: what differs is not fixed, also behind strides. The sizes of the first name, and how much
-- larger those of the next one are:
local SIZES, STEPS = { 16, 23 }, { 13, 17 }

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

-- Reads { input = { [1] = 'batch', [2] = 'time' } }, with inputs by name or position, as a table: position -> dimension -> name.
local function readDynamic(dynamic, names)
  if dynamic == nil then return nil end
  if type(dynamic) ~= 'table' or next(dynamic) == nil then
    refuse('dynamic', messages.value(dynamic), "a table such as { input = { [1] = 'batch' } }")
  end
  local symbols, positions = {}, {}
  for i, name in ipairs(names) do positions[name] = i end
  for key, axes in pairs(dynamic) do
    local position = positions[key] or names[key] and key
    if not position then refuse('dynamic', 'the key ' .. messages.value(key), 'one of the inputs ' .. table.concat(names, ', ')) end
    if type(axes) ~= 'table' or next(axes) == nil then refuse('dynamic', messages.value(axes), "a table such as { [1] = 'batch' }") end
    symbols[position] = symbols[position] or {}
    for dim, name in pairs(axes) do
      if type(dim) ~= 'number' then refuse('dynamic', 'the key ' .. messages.value(dim), 'a dimension') end
      if type(name) ~= 'string' or name == '' or not utf8.isValid(name) then
        refuse('dynamic', messages.value(name), 'the name of a size in UTF-8')
      end
      symbols[position][dim] = name
    end
  end
  return symbols
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

-- Returns the graph of a function, and the sizes of each name in two runs.
local function captured(f, names, tensors, symbols)
  if not symbols then return (require 'torch.graph_capture'.list(function() return f(tensors) end, names, tensors)), {} end
  local dynamic, inner, count = {}, {}, 0      -- names of sizes in graphs are letters and digits
  for i, axes in pairs(symbols) do
    local dims = {}
    for dim, symbol in pairs(axes) do
      if not inner[symbol] then
        count = count + 1
        inner[symbol] = 'n' .. count
      end
      dims[dim] = inner[symbol]
    end
    dynamic[names[i]] = dims
  end
  local graph, _, runs = require 'torch.dynamic_capture'(f, names, tensors, dynamic)
  local sizes = {}
  for symbol, name in pairs(inner) do sizes[symbol] = { runs[1][name], runs[2][name] } end
  return graph, sizes
end

local function ofFunction(f, options)
  local names, tensors, byName = tensorsOf(options.inputs)
  local shown = named(options, names)
  local symbols = readDynamic(options.dynamic, shown)
  local function call(list)
    if not byName then return f(unpack(list, 1, #list)) end
    local given = {}
    for i, name in ipairs(names) do given[name] = list[i] end
    return f(given)
  end
  local graph, sizes = captured(call, names, tensors, symbols)
  return graph, shown, symbols or {}, sizes
end

local function ofModule(module, options)
  local sample = require 'nn.support.sample_input'
  local tensors, names = {}, {}
  if options.inputs == nil then refuse('inputs', 'nothing', 'an input of the module') end
  local shape = sample.describe('onnx.save', options.inputs, module:type(), tensors)
  for i in ipairs(tensors) do names[i] = #tensors == 1 and 'input' or 'input' .. i end
  local shown = named(options, names)
  local symbols, sizes = readDynamic(options.dynamic, shown), nil
  local graph = sample.inEvaluation(module, function()
    return torch.noGrad(function()
      local made
      made, sizes = captured(function(list)
        module:clearState()
        return (module:forward((sample.assembled(shape, list, 1))))
      end, names, tensors, symbols)
      return made
    end)
  end)
  return graph, shown, symbols or {}, sizes
end

local function ofGraph(graph, options)
  local names, types = native.inputs(graph)
  local shown = named(options, names)
  local given, sizes, count = readDynamic(options.dynamic, shown) or {}, {}, 0
  local symbols, usual = {}, nil      -- the only name that is given is that of all sizes without one
  for _, axes in pairs(given) do
    for _, symbol in pairs(axes) do usual = (usual == nil or usual == symbol) and symbol end
  end
  for i, type in ipairs(types) do
    symbols[i] = {}
    for d, size in ipairs(type and type.sizes or {}) do
      if size < 0 then
        local own = type.names[d]
        local symbol = given[i] and given[i][d] or own ~= '' and own or usual or 'n'
        symbols[i][d] = symbol
        if not sizes[symbol] then
          sizes[symbol] = { SIZES[1] + count * STEPS[1], SIZES[2] + count * STEPS[2] }
          count = count + 1
        end
      end
    end
  end
  return graph, shown, symbols, sizes, options.inputs and select(2, tensorsOf(options.inputs))
end

-- ---- the file

-- The graph with types in two runs, as tables. `symbols` has the names of sizes by input and dimension, `sizes` the sizes of each name in
-- the runs. Sizes of bodies of control flow have no names.
local function described(graph, symbols, sizes, samples)
  local function typed(run)
    local list = {}
    for i, axes in pairs(symbols) do
      list[i] = {}
      for d, symbol in pairs(axes) do list[i][d] = sizes[symbol][run] end
    end
    return native.steps(native.typed(graph, samples, list, SIZES[run]))
  end
  local first = typed(1)
  return first, next(sizes) and typed(2) or first
end

local function declarations(o, names, first, second, symbols)
  local values, list = {}, {}
  for i, name in ipairs(names) do
    local type = first.inputs[i]
    if not type then refuse(name, 'an input without a type', 'a tensor in the option inputs') end
    local sizes, open = {}, {}
    for d, size in ipairs(type.sizes) do
      local isFixed = size == second.inputs[i].sizes[d]
      sizes[d], open[d] = isFixed and size or symbols[i][d], isFixed and size
    end
    if not o.reserve(name) then refuse('inputNames', name .. ' twice', 'different names') end
    list[i] = { name = name, dtype = type.dtype, sizes = sizes }
    values[i] = emitter.value(name, type.dtype, open, type.sizes)
    values[i].other = second.inputs[i].sizes
  end
  return values, list
end

local function outputsOf(o, outputs, options, symbolSizes)
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
      sizes[d] = size or ('%s_%d'):format(name, d)
      for symbol, runs in pairs(symbolSizes) do
        if not size and value.sample[d] == runs[1] and value.other[d] == runs[2] then sizes[d] = symbol end
      end
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
  local graph, names, symbols, sizes, samples
  if torch.typename(x) == 'torch.Graph' then
    graph, names, symbols, sizes, samples = ofGraph(x, options)
  elseif torch.isTypeOf(x, 'nn.Module') then
    graph, names, symbols, sizes = ofModule(x, options)
  elseif type(x) == 'function' then
    graph, names, symbols, sizes = ofFunction(x, options)
  else
    refuse('x', messages.value(x), 'a graph, a module or a function')
  end
  local first, second = described(graph, symbols, sizes, samples)
  if first.updates > 0 then refuse('graph', first.updates .. ' writes to inputs or constants', 'none: ONNX graphs have no state') end
  local o = emitter.new(opset)
  local values, inputs = declarations(o, names, first, second, symbols)
  local outputs = steps.translate(o, first, second, values)
  o.from ''
  local declared = outputsOf(o, outputs, options, sizes)
  check.call(native.onnx.write, o.graph(inputs, declared), file, opset, options.external or false)
end
