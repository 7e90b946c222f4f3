-- Unsigned integers in ONNX models: exact results, also of numbers from 2^63 on, and 8-bit floats as initializers and by Cast.
local ffi = require 'ffi'
local torch, onnx = require 'torch', require 'onnx'
local files, protobuf = require 'spec.support.files', require 'spec.onnx.protobuf'

local value = protobuf.value
local uint64, float8e4m3fn, float8e5m2 = 13, 17, 19

local function load(parts)
  local name = os.tmpname()
  files.write(name, protobuf.model { protobuf.graph(parts), version = 21 })
  local ok, model = pcall(onnx.load, name)
  os.remove(name)
  return assert(ok and model, model)
end

local numbers = {
  0xffffffffffffffffULL, 0x8000000000000000ULL, 0x7fffffffffffffffULL, 0x8000000000000001ULL, 12345678901234567891ULL, 7ULL, 1ULL,
  0xfffffffffffffffeULL, 3ULL, 0x100000001ULL,
}

local function tensor(list)
  local x = torch.UInt64Tensor(#list)
  for i, each in ipairs(list) do x[i] = each end
  return x
end

-- All pairs of the numbers.
local function pairsOf()
  local a, b = {}, {}
  for _, x in ipairs(numbers) do
    for _, y in ipairs(numbers) do a[#a + 1], b[#b + 1] = x, y end
  end
  return a, b
end

describe('unsigned integers in ONNX', function()
  local cases = {
    Add = function(x, y) return x + y end,
    Sub = function(x, y) return x - y end,
    Mul = function(x, y) return x * y end,
    Div = function(x, y) return x / y end,
    Mod = function(x, y) return x % y end,
    Max = function(x, y) return x > y and x or y end,
    Min = function(x, y) return x < y and x or y end,
    BitwiseXor = function(x, y) return bit.bxor(x, y) end,
  }
  for op, expected in pairs(cases) do
    it('are exact to the last bit: ' .. op, function()
      local model = load {
        nodes = { { op, { 'x', 'y' }, { 'z' } } }, inputs = { value('x', uint64, { 'n' }), value('y', uint64, { 'n' }) },
        outputs = { value('z', uint64, { 'n' }) },
      }
      local a, b = pairsOf()
      for _ = 1, 2 do      -- node by node, and as a graph
        local z = model:run { x = tensor(a), y = tensor(b) }.z
        assert.equal('torch.UInt64Tensor', z:type())
        for i = 1, #a do
          local x, y = ffi.cast('uint64_t', a[i]), ffi.cast('uint64_t', b[i])
          local what = ('%s of %s and %s: %s'):format(op, tostring(x), tostring(y), tostring(z[i]))
          assert.is_true(ffi.cast('uint64_t', z[i]) == expected(x, y), what)
        end
      end
    end)
  end

  it('are in their order: TopK, Clip and Greater', function()
    local three = { name = 'k', sizes = { 1 }, type = 7, raw = '\3\0\0\0\0\0\0\0' }
    local model = load {
      nodes = {
        { 'TopK', { 'x', 'k' }, { 'v', 'i' } }, { 'Greater', { 'x', 'y' }, { 'g' } },
        { 'TopK', { 'x', 'k' }, { 'w', 'j' }, attributes = { protobuf.integer('largest', 0) } },
      },
      tensors = { three }, inputs = { value('x', uint64, { 10 }), value('y', uint64, { 1 }) },
      outputs = { value('v', uint64, { 3 }), value('w', uint64, { 3 }), value('g', 9, { 10 }) },
    }
    local results = model:run { x = tensor(numbers), y = tensor { 0x8000000000000000ULL } }
    assert.is_true(torch.equal(tensor { 0xffffffffffffffffULL, 0xfffffffffffffffeULL, 12345678901234567891ULL }, results.v))
    assert.is_true(torch.equal(tensor { 1, 3, 7 }, results.w))
    assert.same({ 1, 0, 0, 1, 1, 0, 0, 1, 0, 0 }, results.g:byte():totable())
    local clip = load {
      nodes = { { 'Clip', { 'x', 'l', 'm' }, { 'y' } } },
      inputs = { value('x', uint64, { 10 }), value('l', uint64, {}), value('m', uint64, {}) }, outputs = { value('y', uint64, { 10 }) },
    }
    local y = clip:run { x = tensor(numbers), l = tensor { 5 }, m = tensor { 0x8000000000000000ULL } }.y
    assert.is_true(y[1] == 0x8000000000000000ULL and y[3] == 0x7fffffffffffffffULL and y[7] == 5 and y[6] == 7)
  end)
end)

describe('8-bit floats in ONNX', function()
  -- Tensors of each form: raw bytes, and int32_data (field 5).
  it('are initializers of either form', function()
    for type, dtype in pairs { [float8e4m3fn] = 'Float8E4m3', [float8e5m2] = 'Float8E5m2' } do
      local model = load {
        nodes = { { 'Cast', { 'c' }, { 'y' }, attributes = { protobuf.integer('to', 1) } }, { 'Identity', { 'c' }, { 'z' } } },
        tensors = { { name = 'c', sizes = { 4 }, type = type, raw = '\56\184\1\127' } },
        outputs = { value('y', 1, { 4 }), value('z', type, { 4 }) },
      }
      local results = model:run {}
      assert.equal('torch.' .. dtype .. 'Tensor', results.z:type())
      assert.equal('\56\184\1\127', ffi.string(results.z:data(), 4))
      local y = results.y
      assert.same(dtype == 'Float8E4m3' and { 1, -1, 2 ^ -9 } or { 0.5, -0.5, 2 ^ -16 }, { y[1], y[2], y[3] })
      assert.is_true(y[4] ~= y[4])
    end
  end)

  it('saturate or overflow as Cast says', function()
    local inf, nan = math.huge, 0 / 0
    local x = torch.FloatTensor { 448, 464, 465, -1e9, inf, nan, 57344, 61439, 61440, -inf, 1 }
    local expected = {
      [float8e4m3fn] = {
        [1] = { 448, 448, 448, -448, 448, nan, 448, 448, 448, -448, 1 }, [0] = { 448, 448, nan, nan, nan, nan, nan, nan, nan, nan, 1 },
      },
      [float8e5m2] = {
        [1] = { 448, 448, 448, -57344, 57344, nan, 57344, 57344, 57344, -57344, 1 },
        [0] = { 448, 448, 448, -inf, inf, nan, 57344, 57344, inf, -inf, 1 },
      },
    }
    for type, byFlag in pairs(expected) do
      for saturate, values in pairs(byFlag) do
        local model = load {
          nodes = { { 'Cast', { 'x' }, { 'y' }, attributes = { protobuf.integer('to', type), protobuf.integer('saturate', saturate) } } },
          inputs = { value('x', 1, { 11 }) }, outputs = { value('y', type, { 11 }) },
        }
        for _ = 1, 2 do
          local y = model:run { x = x }.y
          for i = 1, 11 do
            local a, b = y[i], values[i]
            assert.is_true(a == b or a ~= a and b ~= b, ('type %d, saturate %d, %g: %g, expected %g'):format(type, saturate, x[i], a, b))
          end
        end
      end
    end
  end)
end)
