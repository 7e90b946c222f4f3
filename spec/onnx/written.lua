-- Writes the samples of ops and modules as ONNX files with inputs and outputs, for spec/onnx/check_written.py.
--
--   th spec/onnx/written.lua FOLDER [ops|modules|programs]
--
-- FOLDER gets two files for each sample, NUMBER.onnx and NUMBER.data, a model without nodes whose outputs in_0, in_1, ..., out_0, ... are
-- the inputs and the results; and list.tsv: number, kind (op, module or program), name, sample, and why a file is missing.
local torch, onnx = require 'torch', require 'onnx'
package.path = './?.lua;' .. package.path
local exported = require 'spec.onnx.exported'
local native = require 'torch.graph_object'.native.onnx
local emitter = require 'onnx.write.emitter'

local folder, wanted = arg[1], arg[2]
assert(folder, 'expected a folder')
os.execute('mkdir -p ' .. folder)
local list, count = assert(io.open(folder .. '/list.tsv', 'w')), 0

-- A model whose outputs are tensors.
local function writeData(name, inputs, outputs)
  local graph = { nodes = {}, initializers = {}, inputs = {}, outputs = {} }
  local function add(prefix, tensors)
    for i, x in ipairs(tensors) do
      local each = ('%s_%d'):format(prefix, i - 1)
      table.insert(graph.initializers, { name = each, tensor = x })
      table.insert(graph.outputs, { name = each, dtype = emitter.dtypeOf(x), sizes = x:size():totable() })
    end
  end
  add('in', inputs)
  add('out', outputs)
  native.write(graph, name, 18, false)
end

local function write(kind, name, text, inputs, outputs)
  count = count + 1
  if inputs then
    writeData(('%s/%d.data'):format(folder, count), inputs, outputs)
    outputs = ''
  end
  list:write(table.concat({ count, kind, name, text, (tostring(outputs):gsub('%s+', ' ')) }, '\t'), '\n')
end

local function next() return ('%s/%d.onnx'):format(folder, count + 1) end

local options = { cumprod = { opset = 26 } }

local sections = {}

function sections.ops()
  for _, name in ipairs(torch.ops()) do
    for _, kind in ipairs { 'torch.FloatTensor', 'torch.LongTensor' } do
      local good, samples = pcall(exported.samplesOf, name, kind)
      for _, sample in ipairs(good and samples or {}) do
        local inputs, outputs = exported.op(name, sample, next(), options[name])
        write('op', name, kind:match '%.(%u%l+)' .. ' ' .. tostring(sample.text), inputs, outputs)
      end
    end
  end
end

function sections.modules()
  local samples, nested = require 'spec.support.nn_samples', require 'nn.nested'
  for _, class in ipairs(samples.classes()) do
    for _, sample in ipairs(samples.isCriterion(class) and {} or samples.of(class)) do
      local module = samples.moduleOf(sample):float()
      local input = nested.map(samples.inputOf(sample), function(x) return x:type() == 'torch.DoubleTensor' and x:float() or x end)
      local inputs, outputs = exported.module(module, input, next())
      write('module', class.declaration.name, samples.nameOf(sample), inputs, outputs)
    end
  end
end

function sections.programs()
  for _, program in ipairs(require 'spec.onnx.programs') do
    local name = program.name
    for _, input in ipairs(program.inputs) do
      onnx.save(program.x, next(), { inputs = program.inputs[1], inputNames = { 'input' }, dynamic = { input = { [1] = 'batch' } } })
      write('program', name, table.concat(input:size():totable(), ' x '), { input }, { program.run(input) })
    end
  end
end

for _, section in ipairs(wanted and { wanted } or { 'ops', 'modules', 'programs' }) do sections[section]() end
list:close()
