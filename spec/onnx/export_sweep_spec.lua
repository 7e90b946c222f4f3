-- Runs first: it takes long.
-- All ops of the registry, and all declared modules, as ONNX files that onnx.load reads: their results are those of the graph.
local torch, onnx = require 'torch', require 'onnx'
local nested = require 'nn.nested'
local exported, samplesOfModules = require 'spec.onnx.exported', require 'spec.support.nn_samples'
local rules, reasons = require 'onnx.write.rules', require 'onnx.write.reasons'

-- What an op with a rule refuses, by pattern of the message.
local partly = {
  avgPool2d_grad = 'padding that does not count', avgPool3d_grad = 'padding that does not count', bagSum = 'bags of a vector with offsets',
  conv1d_weight_grad = '2 groups', conv2d_weight_grad = '2 groups', conv3d_weight_grad = '2 groups',
  int8Matmul = 'which the run quantises',
  lshift = 'expected uint8 or a float', rshift = 'expected uint8 or a float', resample = 'integers are rounded after each axis',
}
local opsets = { cumprod = 26 }
-- Larger differences: an epsilon is a float32 in ONNX, also for float64; and sums of many terms are scaled.
local limits = {
  batchNorm = { doubles = 1e-8 }, groupNorm = { doubles = 1e-8 }, layerNorm = { doubles = 1e-8 }, fft_c2r = { floats = 1e-5 },
}

-- Modules without a file for any size of their first dimension, with a part of the message.
local odd, fixed = 'must be even', 'sizes that differ from run to run'
local anySize = {
  GLU = odd, GatedLinearUnit = odd, InstanceNorm1d = fixed, InstanceNorm2d = fixed,
  InstanceNorm3d = fixed, SpatialUpSamplingNearest = fixed, Upsample = fixed,
}

local file = os.tmpname()

-- The largest difference for elements of a type.
function limits.of(kind, limit)
  if kind == 'torch.FloatTensor' then return limit and limit.floats or 2e-6 end
  return kind == 'torch.DoubleTensor' and (limit and limit.doubles or 1e-11) or 0
end

-- Whether a refusal is intended: it names an op with a reason, or is in the list above.
local function isIntended(message)
  if message:find '^run: ' then return true end      -- no capture
  local op = message:match '^onnx%.save: ([%w_]+)'
  if reasons[op] then return message:find(reasons[op], 1, true) ~= nil end
  return partly[op] ~= nil and message:find(partly[op], 1, true) ~= nil
end

-- The largest difference, relative to the element where it is above 1; or a text.
local function difference(x, y)
  if x:type() ~= y:type() then return ('%s, expected %s'):format(y:type(), x:type()) end
  if not x:isSameSizeAs(y) then
    return ('sizes %s, expected %s'):format(table.concat(y:size():totable(), ' '), table.concat(x:size():totable(), ' '))
  end
  local a, b, largest = x:double():contiguous():view(-1), y:double():contiguous():view(-1), 0
  for i = 1, x:nElement() do
    local want, got = a[i], b[i]
    if want ~= want or got ~= got then
      if want == want or got == got then return ('%g, expected %g'):format(got, want) end
    elseif want ~= got then
      largest = math.max(largest, math.abs(want - got) / math.max(1, math.abs(want)))
    end
  end
  return largest
end

-- The results agree: integers exactly, floats up to the rounding of a few nodes.
local function check(name, inputs, outputs, limit)
  local results = { onnx.load(file):run(unpack(inputs)) }
  assert.equal(#outputs, #results, name)
  for i, expected in ipairs(outputs) do
    local found = difference(expected, results[i])
    if type(found) == 'string' then error(('%s: result %d: %s'):format(name, i, found)) end
    local most = limits.of(expected:type(), limit)
    if found > most then error(('%s: result %d differs by %g'):format(name, i, found)) end
  end
end

describe('onnx.save', function()
  teardown(function() os.remove(file) end)

  for _, op in ipairs(torch.ops()) do
    it('exports every sample of ' .. op .. ', or says why not', function()
      local count = 0
      for _, kind in ipairs { 'torch.FloatTensor', 'torch.DoubleTensor', 'torch.LongTensor', 'torch.ByteTensor' } do
        local _, list = pcall(exported.samplesOf, op, kind)
        for _, sample in ipairs(type(list) == 'table' and list or {}) do
          local name = ('%s of %s'):format(tostring(sample.text), kind)
          local inputs, outputs = exported.op(op, sample, file, { opset = opsets[op] })
          if inputs then
            check(name, inputs, outputs, limits[op])
            count = count + 1
          else
            assert.is_true(isIntended(outputs), name .. ': ' .. outputs)
          end
        end
      end
      local info = torch.ops[op]
      if info and info.family and info.family ~= '' then
        local rule = rules.of(op)
        assert.is_truthy(rule, 'neither a rule nor a reason')
        if type(rule) == 'string' then assert.equal(0, count) end
      end
    end)
  end

  for _, class in ipairs(samplesOfModules.classes()) do
    for _, sample in ipairs(samplesOfModules.isCriterion(class) and {} or samplesOfModules.of(class)) do
      it('exports nn.' .. samplesOfModules.nameOf(sample), function()
        local module = samplesOfModules.moduleOf(sample):float()
        local input = nested.map(samplesOfModules.inputOf(sample), function(x)
          return x:type() == 'torch.DoubleTensor' and x:float() or x
        end)
        local inputs, outputs = exported.module(module, input, file)
        if not inputs and outputs:find 'read: an element' then return end      -- can't be captured without guards
        assert.is_truthy(inputs, outputs)
        check(sample[1], inputs, outputs)
      end)
    end
  end

  for _, class in ipairs(samplesOfModules.classes()) do
    for _, sample in ipairs(samplesOfModules.isCriterion(class) and {} or samplesOfModules.of(class)) do
      local name = samplesOfModules.nameOf(sample)
      local module, list, dynamic = samplesOfModules.moduleOf(sample):float(), {}, {}
      local input = nested.map(samplesOfModules.inputOf(sample), function(x) return x:type() == 'torch.DoubleTensor' and x:float() or x end)
      nested.flatten(input, list)
      local count = list[1]:dim() > 0 and list[1]:size(1) or 0
      for i, x in ipairs(list) do
        dynamic[#list == 1 and 'input' or 'input' .. i] = { 'n' }
        if x:dim() == 0 or x:size(1) ~= count then count = 0 end
      end
      if count >= 2 then
        it(('exports nn.%s for any size of its first dimension'):format(name), function()
          module:evaluate()
          local good, failure = pcall(onnx.save, module, file, { inputs = input, dynamic = dynamic })
          if not good then
            local reason = anySize[sample[1]:match '^%w+'] or not pcall(onnx.save, module, file, { inputs = input }) and ''
            assert.is_truthy(reason and failure:find(reason, 1, true), failure)
            return
          end
          for _, slices in ipairs { { 1, 2, 1 }, { 1, 2, 1, 2, 2, 1 } } do      -- not 1, for which some modules drop a dimension
            local other = nested.map(input, function(x) return torch.index(x, 1, torch.LongTensor(slices)) end)
            local ok, output = pcall(module.forward, module, other)
            if ok then      -- it accepts other sizes
              check(name, nested.flatten(other, {}), nested.flatten(nested.map(output, function(x) return x:clone() end), {}))
            end
          end
        end)
      end
    end
  end

  for _, network in ipairs(require 'spec.onnx.programs') do
    it('exports a ' .. network.name .. ' for any number of examples', function()
      onnx.save(network.x, file, { inputs = network.inputs[1], inputNames = { 'input' }, dynamic = { input = { [1] = 'batch' } } })
      local model = onnx.load(file)
      assert.equal('batch', model:inputs()[1].sizes[1])
      assert.equal('batch', model:outputs()[1].sizes[1])
      for _, input in ipairs(network.inputs) do check(network.name, { input }, { network.run(input) }) end
    end)
  end
end)
