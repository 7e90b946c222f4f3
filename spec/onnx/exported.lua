--- Samples of ops and modules as ONNX files, for specs and for spec/onnx/written.lua.
local torch = require 'torch'
local onnx = require 'onnx'
require 'nn'
local nested = require 'nn.nested'
local samples, sweepOp = require 'torch.sweep.samples', require 'torch.sweep.op'

local exported = {}

-- Numbers and booleans that a call returns are no outputs.
local function tensorsIn(...)
  local list = {}
  for i = 1, select('#', ...) do
    local y = select(i, ...)
    if torch.isTensor(y) then list[#list + 1] = y end
  end
  return list
end

-- Captures a function as the export does, and saves it.
local function saved(f, inputs, target, file, options)
  local good, result = pcall(f, unpack(inputs))
  if not good then return nil, 'run: ' .. tostring(result) end
  local settings = { inputs = inputs }
  for key, value in pairs(options or {}) do settings[key] = value end
  local failure
  good, failure = pcall(onnx.save, target, file, settings)
  if not good then return nil, failure end
  return inputs, result
end

--- Exports an op with a sample.
-- @string name of an op
-- @tparam table sample
-- @string file
-- @tparam[opt] table options of onnx.save
-- @return the inputs and the expected outputs, as lists; or nil and the error
function exported.op(name, sample, file, options)
  local op, inputs = sweepOp.of(name), samples.tensors(sample)
  if #inputs == 0 then return nil, 'run: no input' end
  local function f(...)
    local given, next = { ... }, 0
    local arguments = samples.map(sample, function()
      next = next + 1
      return given[next]:clone()
    end)
    return unpack(tensorsIn(op.call(unpack(arguments, 1, sample.n))))
  end
  local function run(...)
    local graph = torch.graph.capture(f, { ... })
    local outputs = { graph:run(...) }
    if #outputs == 0 then error('no output', 0) end
    return outputs
  end
  return saved(run, inputs, f, file, options)
end

--- The samples of an op for a type.
function exported.samplesOf(name, kind) return samples.of(sweepOp.of(name), kind) end

--- Exports a module.
-- @tparam nn.Module module
-- @param input a tensor, or a table of these
-- @string file
-- @tparam[opt] table options
-- @return the inputs and the expected outputs, as lists; or nil and the error
function exported.module(module, input, file, options)
  local inputs = nested.flatten(input, {})
  module:evaluate()
  local function run() return nested.flatten(nested.map(module:forward(input), function(x) return x:clone() end), {}) end
  local settings = { inputs = input }
  for key, value in pairs(options or {}) do settings[key] = value end
  return saved(run, inputs, module, file, settings)
end

return exported
