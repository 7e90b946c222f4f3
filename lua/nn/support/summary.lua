--- nn.Module's `summary`: a table of the layers that a forward calls.
-- Hooks note the calls of modules; between two of these events, a trace has the ops, which belong to the innermost module that runs.
-- @module nn.support.summary
local torch, C, check = require 'torch', require 'libmoontorch', require 'torch.check'
local state, sample, freeze = require 'nn.support.state', require 'nn.support.sample_input', require 'nn.support.freeze'
local nested, multiplyAdds = require 'nn.nested', require 'nn.support.multiply_adds'
local withCommas = require 'nn.support.with_commas'

local Summary = {}

-- Returns the number of elements of each module's own parameters, and the bytes of all; a parameter counts in the first module that has it.
local function parametersOf(module)
  local counts, bytes, met = {}, 0, {}
  for _, entry in ipairs((state.entries(module))) do
    if not entry.isBuffer and not met[entry.source] then
      met[entry.source] = true
      counts[entry.module] = (counts[entry.module] or 0) + entry.source:nElement()
      bytes = bytes + entry.source:nElement() * entry.source:elementSize()
    end
  end
  return counts, bytes
end

local function sizesText(value)
  if C.isTensor(value) then return table.concat(value:size():totable(), ' x ') end
  local texts = {}
  for i, x in ipairs(nested.flatten(value, {})) do texts[i] = sizesText(x) end
  return #texts > 0 and table.concat(texts, ', ') or '-'
end

local function bytesOf(value)
  local bytes = 0
  for _, x in ipairs(nested.flatten(value, {})) do bytes = bytes + x:nElement() * x:elementSize() end
  return bytes
end

-- Runs the forward, and appends a layer for each call of a module.
local function run(module, names, result, forward)
  local stack, handles = {}, {}
  local function settle()
    local _, calls = C.traceOps(false)
    local top = stack[#stack]
    if top then top.multiplyAdds = top.multiplyAdds + multiplyAdds(calls) end
    C.traceOps(true)
  end
  local seen = {}
  for _, pair in ipairs(names) do
    local name, each = pair[1], pair[2]
    handles[#handles + 1] = each:registerForwardPreHook(function()
      settle()
      local layer = {
        name = name, type = torch.type(each), depth = #stack, multiplyAdds = 0, isLeaf = true,
        parameters = not seen[each] and result.counts[each] or 0, isRepeated = seen[each] or false,
      }
      seen[each] = true
      if stack[#stack] then stack[#stack].isLeaf = false end
      stack[#stack + 1], result.layers[#result.layers + 1] = layer, layer
    end)
    handles[#handles + 1] = each:registerForwardHook(function(_, _, output)
      settle()
      local layer = table.remove(stack)
      layer.output = sizesText(output)
      if layer.isLeaf then result.outputBytes = result.outputBytes + bytesOf(output) end
    end)
  end
  C.traceOps(true)
  local random = torch.getRNGState()
  local done, message = pcall(sample.inEvaluation, module, function() return torch.noGrad(forward) end)
  torch.setRNGState(random)
  C.traceOps(false)
  for _, handle in ipairs(handles) do handle:remove() end
  if not done then error(message, 0) end
end

local function ofBytes(bytes)
  if bytes < 1e3 then return ('%d bytes'):format(bytes) end
  if bytes < 1e6 then return ('%.1f kB'):format(bytes / 1e3) end
  return ('%.1f MB'):format(bytes / 1e6)
end

function Summary:__tostring()
  local rows, widths = { { 'layer', 'output', 'parameters', 'multiply-adds' } }, {}
  for i, layer in ipairs(self.layers) do
    local name = layer.name ~= '' and layer.name:match '[^.]*$' .. ': ' or ''
    local label = ('  '):rep(layer.depth) .. name .. layer.type .. (layer.isRepeated and ' (again)' or '')
    rows[i + 1] = {
      label, layer.output or '-', layer.parameters > 0 and withCommas(layer.parameters) or '-',
      layer.multiplyAdds > 0 and withCommas(layer.multiplyAdds) or '-',
    }
  end
  for _, row in ipairs(rows) do
    for k, cell in ipairs(row) do widths[k] = math.max(widths[k] or 0, #cell) end
  end
  local lines = {}
  for i, row in ipairs(rows) do
    local cells = {}
    for k, cell in ipairs(row) do
      local gap = (' '):rep(widths[k] - #cell)
      cells[k] = k <= 2 and cell .. gap or gap .. cell
    end
    lines[i] = (table.concat(cells, '  '):gsub('%s+$', ''))
  end
  lines[#lines + 1] = ('%s parameters (%s trainable), %s multiply-adds'):format(withCommas(self.parameters), withCommas(self.trainable),
    withCommas(self.multiplyAdds))
  lines[#lines + 1] = ('input %s, outputs %s, parameters %s'):format(ofBytes(self.inputBytes), ofBytes(self.outputBytes),
    ofBytes(self.parameterBytes))
  return table.concat(lines, '\n')
end

-- Returns the inputs for the arguments of `summary`.
local function inputsFor(module, ...)
  local list, shapes, inputs, at = {}, {}, {}, 1
  local count = select('#', ...)
  if type((...)) == 'number' then
    shapes[1] = sample.describe('summary', { ... }, module:type(), list)
  else
    for i = 1, count do shapes[i] = sample.describe('summary', select(i, ...), module:type(), list) end
  end
  for i, shape in ipairs(shapes) do inputs[i], at = sample.assembled(shape, list, at) end
  return inputs
end

--- Returns the summary of a module.
-- @tparam nn.Module module
-- @param ... sizes of the input, or samples
-- @treturn table
return function(module, ...)
  local result = setmetatable({ layers = {}, multiplyAdds = 0, inputBytes = 0, outputBytes = 0 }, Summary)
  result.counts, result.parameterBytes = parametersOf(module)
  result.parameters, result.trainable = freeze.count(module)
  if select('#', ...) == 0 then
    for _, pair in ipairs(state.modules(module)) do
      local _, depth = pair[1]:gsub('[^.]+', '')
      result.layers[#result.layers + 1] = {
        name = pair[1], type = torch.type(pair[2]), depth = depth, parameters = result.counts[pair[2]] or 0, multiplyAdds = 0,
      }
    end
  else
    if C.capturing() then check.raise(torch.type(module) .. ': summary: a capture, expected a call outside of one') end
    local inputs = inputsFor(module, ...)
    result.inputBytes = bytesOf(inputs)
    run(module, state.modules(module), result, function() module(unpack(inputs)) end)
  end
  for _, layer in ipairs(result.layers) do
    result.multiplyAdds = result.multiplyAdds + layer.multiplyAdds
    layer.isLeaf = nil
  end
  result.counts = nil
  return result
end
