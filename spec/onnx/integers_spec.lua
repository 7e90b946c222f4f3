-- Products and convolutions of 8-bit integers in models: the sums of float64, by the kernels for integers.
local torch, onnx = require 'torch', require 'onnx'
local files, protobuf = require 'spec.support.files', require 'spec.onnx.protobuf'

local value = protobuf.value
local types = { ['torch.ByteTensor'] = 2, ['torch.CharTensor'] = 3 }

local function random(kind, ...)
  local least = kind == 'torch.ByteTensor' and 0 or -128
  return torch.rand(...):mul(256):floor():add(least):type(kind)
end

local function constant(name, x, sizes)
  local raw = {}
  for i, v in ipairs(x:reshape(x:nElement()):totable()) do raw[i] = string.char(v % 256) end
  return { name = name, sizes = sizes or x:size():totable(), type = types[x:type()], raw = table.concat(raw) }
end

-- Loads a model of one node with the input x and constants.
local function load(op, inputs, x, tensors, attributes)
  local name = os.tmpname()
  files.write(name, protobuf.model { protobuf.graph {
    nodes = { { op, inputs, { 'y' }, attributes = attributes } }, tensors = tensors,
    inputs = { value('x', types[x:type()], x:size():totable()) }, outputs = { value('y', 6, nil) },
  } })
  local model = onnx.load(name)
  os.remove(name)
  return model
end

local function has(model, x, wanted)
  for _, op in ipairs(model:graph({ x = x }):info().ops) do
    if op == wanted then return true end
  end
  return false
end

-- x - zero in float64, with a zero point for all or one for each slice of a dimension.
local function centred(x, zero, dim)
  local sizes = {}
  for d = 1, x:dim() do sizes[d] = d == dim and zero:nElement() or 1 end
  return torch.csub(x:double(), zero:double():view(torch.LongStorage(sizes)):expandAs(x))
end

describe('a model with 8-bit integers', function()
  for _, kinds in ipairs {
    { 'torch.ByteTensor', 'torch.CharTensor' }, { 'torch.ByteTensor', 'torch.ByteTensor' },
    { 'torch.CharTensor', 'torch.CharTensor' }, { 'torch.CharTensor', 'torch.ByteTensor' },
  } do
    local ofX, ofW = unpack(kinds)
    it(('multiplies %s and %s exactly'):format(ofX, ofW), function()
      local x, w, sizes = random(ofX, 5, 37), random(ofW, 37, 19), {}
      for _, zeros in ipairs { { 1, 1 }, { 1, 19 }, { 5, 19 } } do
        local ofRows, ofColumns = random(ofX, zeros[1]), random(ofW, zeros[2])
        local wanted = torch.mm(centred(x, ofRows, 1), centred(w, ofColumns, 2)):int()
        local model = load('MatMulInteger', { 'x', 'w', 'a', 'b' }, x,
          { constant('w', w), constant('a', ofRows), constant('b', ofColumns) })
        assert.is_true(torch.equal(wanted, model:run(x)))
        assert.is_true(torch.equal(wanted, model:run(x)))      -- as a graph
        assert.is_true(has(model, x, 'int8Linear'))
        sizes[#sizes + 1] = wanted:size(2)
      end
      assert.same({ 19, 19, 19 }, sizes)
    end)

    it(('multiplies batches of %s and %s exactly'):format(ofX, ofW), function()
      for _, sizes in ipairs { { { 2, 3, 5, 9 }, { 3, 9, 7 } }, { { 5, 9 }, { 4, 9, 20 } } } do
        local x, y = random(ofX, unpack(sizes[1])), random(ofW, unpack(sizes[2]))
        local zero, ofY = random(ofX, 1), random(ofW, 1)
        local cases = {
          { {}, x:double(), y:double() }, { { 'a' }, centred(x, zero), y:double() }, { { 'a', 'b' }, centred(x, zero), centred(y, ofY) },
          { { '', 'b' }, x:double(), centred(y, ofY) },
        }
        for _, case in ipairs(cases) do
          local model = load('MatMulInteger', { 'x', 'w', unpack(case[1]) }, x,
            { constant('w', y), constant('a', zero, {}), constant('b', ofY, {}) })
          local wanted = torch.matmul(case[2], case[3]):int()
          assert.is_true(torch.equal(wanted, model:run(x)))
          assert.is_true(has(model, x, 'int8Matmul'))
          assert.is_false(has(model, x, 'matmul'))
        end
      end
    end)

    it(('convolves %s with %s exactly'):format(ofX, ofW), function()
      local x, w = random(ofX, 2, 4, 7, 8), random(ofW, 6, 2, 3, 2)
      for _, count in ipairs { 1, 6 } do
        local zero, ofFilters = random(ofX, 1), random(ofW, count)
        local wide = torch.zeros(2, 4, 10, 9)
        wide[{ {}, {}, { 2, 8 }, { 1, 8 } }] = centred(x, zero)
        local wanted = torch.conv2d(wide, centred(w, ofFilters, 1), nil, 2, 1, 0, 0, 1, 1, 2):int()
        local model = load('ConvInteger', { 'x', 'w', 'a', 'b' }, x,
          { constant('w', w), constant('a', zero, {}), constant('b', ofFilters, count == 1 and {} or nil) },
          { protobuf.integers('strides', { 2, 1 }), protobuf.integers('pads', { 1, 0, 2, 1 }), protobuf.integer('group', 2) })
        assert.is_true(torch.equal(wanted, model:run(x)))
        assert.is_true(has(model, x, 'int8Conv2d'))
      end
    end)
  end
end)
