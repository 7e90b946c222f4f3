-- NaNs with bits that LuaJIT takes for other types, as kernels and files have them.
local ffi = require 'ffi'
local torch = require 'torch'

-- A tensor whose elements have these bits, given as words, low ones first.
local function withBits(x, words)
  local p = ffi.cast('uint32_t *', x:data())
  for i, word in ipairs(words) do p[i - 1] = word end
  return x
end

local function isNaN(v) return type(v) == 'number' and v ~= v end

describe('a NaN of any bits', function()
  local double = withBits(torch.DoubleTensor(4), { 0xffffffff, 0xffffffff, 1, 0x7ff00000, 0, 0x7ff80000, 0xdeadbeef, 0xfffb1234 })
  local float = withBits(torch.FloatTensor(3), { 0xffffffff, 0x7f800001, 0x7fc00000 })

  it('is read as a number that is not itself', function()
    for i = 1, 4 do
      assert.is_true(isNaN(double[i]))
      assert.is_true(isNaN(double:storage()[i]))
    end
    for i = 1, 3 do
      assert.is_true(isNaN(float[i]))
      assert.is_true(isNaN(float:storage()[i]))
    end
  end)

  it('is read so by compiled loops, too', function()
    local count = 0
    for _ = 1, 500 do
      for i = 1, 4 do
        if isNaN(double[i]) then count = count + 1 end
      end
    end
    assert.equals(2000, count)
  end)
end)

describe('a tensor with NaNs of any bits', function()
  for _, kind in ipairs { 'Half', 'BFloat16', 'Float', 'Double' } do
    local x = torch[kind .. 'Tensor'](1, 2)
    ffi.fill(x:data(), 2 * x:elementSize(), 0xff)

    it('is shown, compared and written: ' .. kind, function()
      assert.equals((' nan  nan\n[torch.%sTensor of size 1x2]\n'):format(kind), tostring(x))
      assert.equals((' nan\n nan\n[torch.%sTensor of size 2]\n'):format(kind), tostring(x[1]))
      assert.is_true(isNaN(require('torch.tester.equality').distance(x, torch.ones(1, 2))))
      local name = os.tmpname()
      require('torch.file.csv').save(name, x)
      local file = io.open(name)
      assert.equals('nan,nan\n', file:read '*a')
      file:close()
      os.remove(name)
    end)
  end

  it('may be the norm of others', function()
    assert.equals(' nan\n[torch.FloatTensor of size 1x1]\n', tostring(torch.norm(torch.FloatTensor { { 1, 0 / 0 } }, 3, 2)))
  end)
end)

describe('what is no NaN', function()
  it('keeps its value: infinities, zeros of both signs, the smallest and the largest', function()
    local x = torch.DoubleTensor { math.huge, -math.huge, 0, -0.0, 2 ^ -1074, 1.7976931348623157e308 }
    local f = torch.FloatTensor { math.huge, -math.huge, 0, -0.0, 2 ^ -149, 3.4028234663852886e38 }
    for i, want in ipairs { math.huge, -math.huge, 0, -0.0 } do
      assert.equals(want, x[i])
      assert.equals(1 / want, 1 / x[i])
      assert.equals(1 / want, 1 / f[i])
    end
    assert.equals(2 ^ -1074, x[5])
    assert.equals(1.7976931348623157e308, x[6])
    assert.equals(2 ^ -149, f[5])
    assert.equals(3.4028234663852886e38, f:storage()[6])
  end)
end)

describe('a NaN of any bits in a file', function()
  it('is read and written as a NaN', function()
    local file = torch.MemoryFile('rw'):binary()
    file:writeDouble(withBits(torch.DoubleTensor(2), { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff }):storage())
    file:seek(1)
    assert.is_true(isNaN(file:readDouble()))
    local text = torch.MemoryFile('rw'):ascii()
    text:writeFloat(withBits(torch.FloatTensor(2), { 0xffffffff, 0xffffffff }):storage())
    text:seek(1)
    assert.is_true(isNaN(text:readFloat()))
  end)
end)
