-- Integers of 8 bits: exact sums, rounding, bounds and gradients of rounding. The truth is arithmetic in float64.
local torch = require 'torch'

local function random(kind, least, most, ...) return torch.rand(...):mul(most - least + 1):floor():add(least):type(kind) end

local function same(wanted, got)
  assert.equal(wanted:type(), got:type())
  assert.is_true(torch.equal(wanted, got))
end

-- Sums of (x - zero) (w - weightZero), which float64 holds exactly.
local function product(x, w, zero, weightZero)
  local a, b = x:double():csub(zero), w:double()
  if weightZero then b = torch.csub(b, weightZero:double():view(-1, 1):expandAs(b)) end
  return torch.mm(a, b:t())
end

describe('int8Linear', function()
  it('has exact sums for all sizes, zero points and both dtypes', function()
    for _, sizes in ipairs { { 1, 1, 1 }, { 3, 5, 7 }, { 7, 64, 16 }, { 50, 100, 70 }, { 97, 33, 129 }, { 2, 1027, 17 } } do
      local m, k, n = unpack(sizes)
      local w, weightZero = random('torch.CharTensor', -128, 127, n, k), random('torch.IntTensor', -128, 127, n)
      local packed = torch.int8Pack(w)
      for kind, bounds in pairs { ['torch.ByteTensor'] = { 0, 255 }, ['torch.CharTensor'] = { -128, 127 } } do
        local x = random(kind, bounds[1], bounds[2], m, k)
        for _, zero in ipairs { bounds[1], 3, bounds[2] } do
          same(product(x, w, zero):int(), torch.int8Linear(x, packed, n, zero))
          same(product(x, w, zero, weightZero):int(), torch.int8Linear(x, packed, n, zero, nil, nil, weightZero))
        end
      end
    end
  end)

  it('does not saturate: pairs of products exceed 16 bits', function()
    local x, w = torch.ByteTensor(3, 4096):fill(255), torch.CharTensor(5, 4096):fill(-128)
    same(torch.IntTensor(3, 5):fill(-255 * 128 * 4096), torch.int8Linear(x, torch.int8Pack(w), 5))
  end)

  it('rounds half to even and stays within the bounds of the dtype', function()
    local packed, x = torch.int8Pack(torch.CharTensor { { 1 } }), torch.ByteTensor { 1, 3, 5, 255, 0 }:view(5, 1)
    local half = torch.FloatTensor { 0.5 }
    assert.same({ { 10 }, { 12 }, { 12 }, { 138 }, { 10 } },
      torch.int8Linear(x, packed, 1, 0, half, nil, nil, 10, 'torch.ByteTensor'):totable())
    local many = torch.FloatTensor { 100 }
    assert.same({ { 110 }, { 255 }, { 255 }, { 255 }, { 10 } },
      torch.int8Linear(x, packed, 1, 0, many, nil, nil, 10, 'torch.ByteTensor'):totable())
    assert.same({ { 0 }, { 127 }, { 127 }, { 127 }, { -100 } },
      torch.int8Linear(x, packed, 1, 0, many, nil, nil, -100, 'torch.CharTensor'):totable())
    assert.same({ { 0 }, { 0 }, { 0 }, { 0 }, { 255 } },
      torch.int8Linear(x, packed, 1, 0, torch.FloatTensor { -1000 }, torch.FloatTensor { 900 }, nil, 5, 'torch.ByteTensor'):totable())
  end)

  it('has the same bits for any number of threads', function()
    local x, packed = torch.randn(200, 300):float(), torch.int8Pack(random('torch.CharTensor', -128, 127, 150, 300))
    local multiplier, threads, results = torch.rand(150):float(), torch.getnumthreads(), {}
    for i, count in ipairs { 1, 2, 3 } do
      torch.setnumthreads(count)
      results[i] = torch.int8Linear(x, packed, 150, 0, multiplier)
    end
    torch.setnumthreads(threads)
    same(results[1], results[2])
    same(results[1], results[3])
  end)

  it('quantises each row of floats by its own range', function()
    local w = random('torch.CharTensor', -127, 127, 6, 40)
    local x = torch.randn(5, 40):float()
    for i = 1, 5 do x[i]:mul(10 ^ (i - 3)) end
    local got = torch.int8Linear(x, torch.int8Pack(w), 6, 0, torch.FloatTensor(6):fill(1))
    for i = 1, 5 do
      local least, most = math.min(0, x[i]:min()), math.max(0, x[i]:max())
      -- Each element is off by half a step at most.
      local bound = torch.abs(w:double()):sum(2):mul((most - least) / 255 * 0.51):view(-1)
      local off = torch.csub(got[i]:double(), torch.mv(w:double(), x[i]:double())):abs()
      assert.is_true(torch.all(torch.le(off, bound)))
    end
    local alone = torch.int8Linear(x[3], torch.int8Pack(w), 6, 0, torch.FloatTensor(6):fill(1))
    same(got[3]:clone(), alone)
  end)

  it('withstands NaN, infinities and rows of zeros', function()
    local packed, one = torch.int8Pack(torch.CharTensor { { 1, 1 } }), torch.FloatTensor { 1 }
    local x = torch.FloatTensor { { 0, 0 }, { 0 / 0, 2 }, { 1 / 0, 1 }, { -1 / 0, 1 / 0 }, { 3e38, -3e38 } }
    local y = torch.int8Linear(x, packed, 1, 0, one)
    assert.equal(0, y[1][1])
    assert.equal(2, y[2][1])
  end)

  it('names sizes that do not fit', function()
    local packed, x = torch.int8Pack(torch.CharTensor(2, 8):fill(1)), torch.ByteTensor(3, 4)
    assert.error_matches(function() torch.int8Linear(x, packed, 2) end, 'int8Linear: packed: %[1, 192%], expected %[1, 128%]')
    assert.error_matches(function() torch.int8Linear(torch.FloatTensor(3, 8), packed, 2) end, 'int8Linear: multiplier: nothing')
    assert.error_matches(function() torch.int8Linear(torch.ByteTensor(3, 8), packed, 2, 256) end, 'zero: 256, expected 0 to 255')
    assert.error_matches(function() torch.int8Linear(torch.CharTensor(3, 8), packed, 2, 128) end, 'zero: 128, expected %-128 to 127')
    assert.error_matches(function() torch.int8Linear(torch.ByteTensor(3, 8), packed, 2, 0, nil, nil, nil, 0, 'torch.ByteTensor') end,
      'dtype: torch.ByteTensor, expected torch.IntTensor')
    assert.error_matches(function() torch.int8Pack(torch.CharTensor(1, 65537)) end, 'int8Pack: weight: .*at most 65536')
  end)
end)

describe('int8Conv2d', function()
  it('has the sums of conv2d in float64 for windows, groups and paddings', function()
    local cases = {
      { 3, 5, 9, 8, 3, 3, { 1, 1, 1, 1, 1, 1, 1, 1 }, 1 }, { 4, 6, 7, 9, 2, 3, { 2, 1, 1, 2, 1, 2, 1, 2 }, 2 },
      { 8, 20, 5, 5, 1, 1, { 1, 1, 0, 0, 0, 0, 1, 1 }, 1 }, { 6, 6, 8, 8, 3, 3, { 1, 2, 2, 0, 2, 0, 2, 1 }, 6 },
      { 1, 3, 20, 20, 5, 5, { 1, 1, 0, 0, 0, 0, 1, 1 }, 1 }, { 3, 20, 40, 37, 7, 7, { 2, 2, 3, 3, 3, 3, 1, 1 }, 1 },
      { 4, 3, 3, 2, 3, 3, { 1, 1, 3, 4, 3, 4, 1, 1 }, 1 }, { 64, 70, 9, 20, 3, 3, { 1, 1, 1, 1, 1, 1, 1, 1 }, 1 },
      { 96, 17, 6, 18, 1, 3, { 1, 1, 0, 1, 0, 1, 1, 1 }, 1 }, { 80, 40, 5, 5, 3, 3, { 2, 2, 1, 1, 1, 1, 1, 1 }, 2 },
      { 37, 37, 9, 20, 3, 3, { 1, 1, 1, 1, 1, 1, 1, 1 }, 37 }, { 16, 16, 7, 7, 2, 3, { 2, 1, 1, 3, 0, 3, 1, 2 }, 16 },
    }
    for _, case in ipairs(cases) do
      local inner, out, h, w, kh, kw, win, groups = unpack(case)
      for kind, zero in pairs { ['torch.ByteTensor'] = 7, ['torch.CharTensor'] = -9 } do
        local x = random(kind, zero - 7, zero + 90, 3, inner, h, w)
        local weight = random('torch.CharTensor', -128, 127, out, inner / groups, kh, kw)
        local wanted = torch.conv2d(x:double():csub(zero), weight:double(), nil, win[1], win[2], win[3], win[4], win[7], win[8], groups)
        local got = torch.int8Conv2d(x, torch.int8Pack(weight, groups), out, { kh, kw }, zero, nil, nil, nil, 0, nil, win, groups)
        same(wanted:int(), got:contiguous())
        local weightZero = random('torch.IntTensor', -20, 20, out)
        local shifted = torch.csub(weight:double(), weightZero:double():view(-1, 1, 1, 1):expandAs(weight))
        wanted = torch.conv2d(x:double():csub(zero), shifted, nil, win[1], win[2], win[3], win[4], win[7], win[8], groups)
        got = torch.int8Conv2d(x, torch.int8Pack(weight, groups), out, { kh, kw }, zero, nil, nil, weightZero, 0, nil, win, groups)
        same(wanted:int(), got:contiguous())
      end
    end
  end)

  it('has exact sums for the most extreme elements of a filter for each channel', function()
    for _, least in ipairs { -127, -128 } do
      for kind, bounds in pairs { ['torch.ByteTensor'] = { 0, 255 }, ['torch.CharTensor'] = { -128, 127 } } do
        for _, w in ipairs { least, 127 } do
          for _, v in ipairs(bounds) do
            local x, weight = torch.Tensor(1, 21, 4, 5):fill(v):type(kind), torch.CharTensor(21, 1, 3, 3):fill(w)
            local got = torch.int8Conv2d(x, torch.int8Pack(weight, 21), 21, { 3, 3 }, bounds[1], nil, nil, nil, 0, nil, nil, 21)
            same(torch.IntTensor(1, 21, 2, 3):fill(9 * w * (v - bounds[1])), got:contiguous())
          end
        end
      end
    end
  end)

  it('pads at each side by its own number', function()
    local x, packed = torch.ByteTensor(1, 1, 1, 1):fill(5), torch.int8Pack(torch.CharTensor(1, 1, 1, 1):fill(2))
    local got = torch.int8Conv2d(x, packed, 1, { 1, 1 }, 3, nil, nil, nil, 0, nil, { 1, 1, 1, 0, 0, 2, 1, 1 })
    assert.same({ { 0, 0, 0 }, { 4, 0, 0 } }, got[1][1]:totable())
  end)

  it('quantises each image of floats by its own range', function()
    local packed = torch.int8Pack(random('torch.CharTensor', -127, 127, 4, 3, 3, 3))
    local x, one = torch.randn(2, 3, 6, 6):float(), torch.FloatTensor(4):fill(1)
    x[2]:mul(1000)
    local both = torch.int8Conv2d(x, packed, 4, { 3, 3 }, 0, one)
    for i = 1, 2 do
      local alone = torch.int8Conv2d(x:narrow(1, i, 1), packed, 4, { 3, 3 }, 0, one)
      same(alone[1]:contiguous(), both[i]:contiguous())
    end
  end)

  it('quantises floats and their padding within half a step of each image', function()
    for _, case in ipairs { { 3, 5, 1 }, { 20, 6, 1 }, { 20, 20, 20 } } do
      local inner, outer, groups = unpack(case)
      local x, w = torch.randn(3, inner, 6, 7):float(), random('torch.CharTensor', -127, 127, outer, inner / groups, 3, 3)
      for i = 1, 3 do x[i]:add(2 * i - 3):mul(10 ^ i) end
      local got = torch.int8Conv2d(x, torch.int8Pack(w, groups), outer, { 3, 3 }, 0, torch.FloatTensor(outer):fill(1), nil, nil, 0, nil,
        { 1, 1, 1, 1, 1, 1, 1, 1 }, groups)
      local wanted = torch.conv2d(x:double(), w:double(), nil, 1, 1, 1, 1, 1, 1, groups)
      local largest = torch.abs(w:double()):view(outer, -1):sum(2):max()
      for i = 1, 3 do
        local step = (math.max(0, x[i]:max()) - math.min(0, x[i]:min())) / 255
        assert.is_true(torch.csub(got[i]:double(), wanted[i]):abs():max() < 0.51 * step * largest)
      end
    end
  end)

  it('names sizes that do not fit', function()
    local x, packed = torch.ByteTensor(1, 2, 3, 3), torch.int8Pack(torch.CharTensor(2, 2, 2, 2))
    assert.error_matches(function() torch.int8Conv2d(x, packed, 2, { 4, 2 }) end, 'int8Conv2d: x: %[1, 2, 3, 3%], expected at least 4')
    assert.error_matches(function() torch.int8Conv2d(x, packed, 2, { 2, 2 }, 0, nil, nil, nil, 0, nil, { 1, 1 }) end,
      'window: %[1, 1%], expected 8 numbers')
    assert.error_matches(function() torch.int8Conv2d(x, packed, 2, { 2, 2 }, 0, nil, nil, nil, 0, nil, nil, 3) end, 'groups: 3, expected')
    assert.error_matches(function() torch.int8Conv2d(x, packed, 2, { 300, 300 }) end, 'kernel: .*at most 65536')
  end)
end)

describe('int8MaxPool2d', function()
  it('has the values of maxPool2d', function()
    for kind, least in pairs { ['torch.ByteTensor'] = 0, ['torch.CharTensor'] = -128 } do
      local x = random(kind, least, least + 255, 2, 19, 11, 9)
      for _, window in ipairs { { 2, 2 }, { 3, 3, 2, 2, 1, 1 }, { 3, 2, 1, 2, 0, 1, true }, { 2, 2, 3, 3, 0, 0, true, 2, 1 } } do
        local wanted = torch.maxPool2d(x:float(), unpack(window))
        same(wanted:type(kind), torch.int8MaxPool2d(x, unpack(window)):contiguous())
      end
    end
  end)
end)

-- The nearest float32 of a number.
local function float32(v) return require('ffi').new('float[1]', v)[0] end

-- What becomes of float32 numbers, given as float64: rounded half to even, and within bounds.
local function stored(v, outZero, kind)
  local bounds = ({ ['torch.ByteTensor'] = { 0, 255 }, ['torch.CharTensor'] = { -128, 127 } })[kind]
  if not bounds then return v:float() end
  local down = torch.floor(v)
  local rest = torch.csub(v, down):totable()
  local q = down:totable()
  for i, r in ipairs(rest) do
    if r > 0.5 or r == 0.5 and q[i] % 2 == 1 then q[i] = q[i] + 1 end
    q[i] = math.min(math.max(q[i] + outZero, bounds[1]), bounds[2])
  end
  return torch.DoubleTensor(q):type(kind)
end

describe('int8Map', function()
  it('has the value of the table for each integer, for any number of them', function()
    for kind, least in pairs { ['torch.ByteTensor'] = 0, ['torch.CharTensor'] = -128 } do
      for _, ofValues in ipairs { 'torch.ByteTensor', 'torch.CharTensor', 'torch.FloatTensor', 'torch.ShortTensor' } do
        local values = random(ofValues, ofValues == 'torch.ByteTensor' and 0 or -128, 127, 256)
        for _, n in ipairs { 0, 1, 63, 64, 65, 256, 1000 } do
          local x = n == 0 and torch.Tensor(0):type(kind) or torch.range(0, n - 1):fmod(256):add(least):type(kind)
          local wanted = torch.index(values, 1, torch.add(x:long(), 1 - least))
          same(wanted, torch.int8Map(x, values))
          if n > 1 then same(wanted:narrow(1, 2, n - 1):clone(), torch.int8Map(x:narrow(1, 2, n - 1), values)) end
        end
      end
    end
  end)
end)

describe('int8Add', function()
  -- Each operation in float64, and then rounded to float32.
  local function wanted(x, y, scaleX, scaleY, zeroX, zeroY, outZero, kind)
    local list = {}
    for i = 1, x:nElement() do
      local a, b = float32((x[i] - zeroX) * float32(scaleX)), float32((y[i] - zeroY) * float32(scaleY))
      list[i] = float32(a + b)
    end
    return stored(torch.DoubleTensor(list), outZero, kind)
  end

  it('has the bits of single operations for all dtypes and numbers of elements', function()
    for _, n in ipairs { 1, 7, 16, 33, 100 } do
      for kindX, zeroX in pairs { ['torch.ByteTensor'] = 131, ['torch.CharTensor'] = -9 } do
        for kindY, zeroY in pairs { ['torch.ByteTensor'] = 3, ['torch.CharTensor'] = 17 } do
          local x = random(kindX, kindX == 'torch.ByteTensor' and 0 or -128, kindX == 'torch.ByteTensor' and 255 or 127, n)
          local y = random(kindY, kindY == 'torch.ByteTensor' and 0 or -128, kindY == 'torch.ByteTensor' and 255 or 127, n)
          for kind, outZero in pairs { ['torch.ByteTensor'] = 100, ['torch.CharTensor'] = -20, ['torch.FloatTensor'] = 0 } do
            local scaleX, scaleY = torch.uniform(0.1, 1.2), torch.uniform(-0.7, 0.7)
            same(wanted(x, y, scaleX, scaleY, zeroX, zeroY, outZero, kind),
              torch.int8Add(x, y, scaleX, scaleY, zeroX, zeroY, outZero, kind))
          end
        end
      end
    end
  end)

  it('rounds half to even and stays within the bounds', function()
    local x, y = torch.ByteTensor { 1, 3, 5, 255, 0, 0 }, torch.ByteTensor { 0, 0, 0, 255, 0, 3 }
    assert.same({ 10, 12, 12, 255, 10, 12 }, torch.int8Add(x, y, 0.5, 0.5, 0, 0, 10, 'torch.ByteTensor'):totable())
    assert.same({ 0, -2, -2, -128, 0, -2 }, torch.int8Add(x, y, -0.5, -0.5, 0, 0, 0, 'torch.CharTensor'):totable())
    assert.same({ 49, 51, 53, 127, 48, 48 }, torch.int8Add(x, y, 1, 0, 0, 0, 48, 'torch.CharTensor'):totable())
  end)

  it('keeps the order in memory of images, and joins those of different orders', function()
    local x, y = random('torch.ByteTensor', 0, 255, 2, 5, 3, 4), random('torch.CharTensor', -128, 127, 2, 5, 3, 4)
    local plain = torch.int8Add(x, y, 0.5, 0.25, 3, -4, 60, 'torch.ByteTensor')
    local last = torch.int8Add(x:channelsLast(), y, 0.5, 0.25, 3, -4, 60, 'torch.ByteTensor')
    assert.is_true(last:isChannelsLast() and not plain:isChannelsLast())
    same(plain, last:contiguous())
    same(plain, torch.int8Add(x, y:channelsLast(), 0.5, 0.25, 3, -4, 60, 'torch.ByteTensor'):contiguous())
  end)

  it('names what does not fit', function()
    local x = torch.ByteTensor(2, 3)
    assert.error_matches(function() torch.int8Add(x, torch.ByteTensor(3), 1, 1) end, 'int8Add: y: %[3%], expected %[2, 3%]')
    assert.error_matches(function() torch.int8Add(x, x, 1, 1, 256) end, 'int8Add: xZero: 256, expected 0 to 255')
    assert.error_matches(function() torch.int8Add(x, x:char(), 1, 1, 0, -129) end, 'int8Add: yZero: %-129, expected %-128 to 127')
    assert.error_matches(function() torch.int8Add(x, x, 1, 1, 0, 0, 0, 'torch.IntTensor') end, 'int8Add: dtype: torch.IntTensor')
  end)
end)

describe('int8AvgPool2d', function()
  -- Sums of a window, element by element, and then single operations.
  local function wanted(x, sizes, window, scale, zero, outZero, kind)
    local kh, kw, sh, sw, ph, pw, _, countPad = unpack(window)
    local h, w, list = x:size(3), x:size(4), {}
    local data = x:double():totable()
    for n = 1, sizes[1] do
      for c = 1, sizes[2] do
        for row = 0, sizes[3] - 1 do
          for column = 0, sizes[4] - 1 do
            local top, left = row * (sh or kh) - (ph or 0), column * (sw or kw) - (pw or 0)
            local bottom, right = math.min(top + kh, h + (ph or 0)), math.min(left + kw, w + (pw or 0))
            local sum, inside = 0, 0
            for i = math.max(top, 0), math.min(bottom, h) - 1 do
              for j = math.max(left, 0), math.min(right, w) - 1 do
                sum, inside = sum + data[n][c][i + 1][j + 1] - zero, inside + 1
              end
            end
            local elements = countPad == false and inside or (bottom - top) * (right - left)
            list[#list + 1] = float32(sum * float32(float32(scale) / elements))
          end
        end
      end
    end
    return stored(torch.DoubleTensor(list), outZero, kind):view(unpack(sizes))
  end

  it('has exact sums, and then the bits of single operations', function()
    for kind, zero in pairs { ['torch.ByteTensor'] = 100, ['torch.CharTensor'] = -30 } do
      for _, channels in ipairs { 1, 19, 32 } do
        local x = random(kind, zero - 90, zero + 90, 2, channels, 7, 5)
        for _, window in ipairs {
          { 2, 2 }, { 7, 5 }, { 3, 3, 2, 2, 1, 1 }, { 3, 3, 2, 2, 1, 1, false, false }, { 3, 2, 1, 2, 0, 1, true, true }, { 1, 5 },
        } do
          for outKind, outZero in pairs { ['torch.ByteTensor'] = 120, ['torch.CharTensor'] = 5, ['torch.FloatTensor'] = 0 } do
            local sizes = torch.avgPool2d(x:float(), unpack(window)):size():totable()
            local kh, kw, sh, sw, ph, pw, ceil, countPad = unpack(window, 1, 8)
            local got = torch.int8AvgPool2d(x, 0.7, kh, kw, sh, sw, ph, pw, ceil, countPad ~= false, zero, outZero, outKind)
            assert.is_true(got:isChannelsLast())
            same(wanted(x, sizes, window, 0.7, zero, outZero, outKind), got:contiguous())
          end
        end
      end
    end
  end)

  it('names what does not fit', function()
    local x = torch.ByteTensor(1, 1, 1, 1)
    assert.error_matches(function() torch.int8AvgPool2d(x[1], 1, 1, 1) end, 'int8AvgPool2d: x: %[1, 1, 1%], expected %(n, channels')
    assert.error_matches(function() torch.int8AvgPool2d(x, 1, 2, 1) end, 'int8AvgPool2d: x: a size of 1')
    assert.error_matches(function() torch.int8AvgPool2d(torch.ByteTensor(1, 1, 2 ^ 12, 2 ^ 12), 1, 2 ^ 12, 2 ^ 12) end,
      'int8AvgPool2d: kernelH: .*at most 8388608')
    assert.error_matches(function() torch.int8AvgPool2d(x, 1, 1, 1, 1, 1, 0, 0, false, true, -1) end, 'zero: %-1, expected 0 to 255')
    assert.error_matches(function() torch.int8AvgPool2d(x, 1, 1, 1, 1, 1, 0, 0, false, true, 0, 0, 'torch.IntTensor') end,
      'dtype: torch.IntTensor')
  end)
end)

describe('quantize', function()
  it('rounds half to even, stays within bounds, and maps NaN to the least', function()
    local x = torch.FloatTensor { 0.5, 1.5, 2.5, -0.5, 1e9, -1e9, 0 / 0, 1 / 0 }
    local one = torch.FloatTensor { 1 }
    assert.same({ 100, 102, 102, 100, 255, 0, 0, 255 }, torch.quantize(x, one, torch.IntTensor { 100 }):totable())
    assert.same({ 0, 2, 2, 0, 127, -128, -128, 127 }, torch.quantize(x, one, nil, nil, 'torch.CharTensor'):totable())
    assert.same({ 0, 2, 2, 0, 127, -128, -128, 127 }, torch.quantize(x:double(), one:double(), nil, nil, 'torch.CharTensor'):totable())
  end)

  it('has the bounds of the dtype for any zero point', function()
    local x, one = torch.FloatTensor { -3, 0.5, 4, -2e9, 2e9 }, torch.FloatTensor { 1 }
    for _, zero in ipairs { 2 ^ 31 - 1, 2 ^ 22, 2 ^ 20, 200, -200, -2 ^ 20, -2 ^ 22, -2 ^ 31 } do
      local wanted = {}
      for i, v in ipairs { -3, 0, 4, -2e9, 2e9 } do wanted[i] = math.min(math.max(v + zero, 0), 255) end
      -- float32 rounds sums above 2^24.
      if math.abs(zero) < 2 ^ 24 then assert.same(wanted, torch.quantize(x, one, torch.IntTensor { zero }):totable()) end
      local q = torch.quantize(x:narrow(1, 1, 3), one, torch.IntTensor { zero })
      if math.abs(zero) > 1e9 then assert.same({ q[1], q[1], q[1] }, q:totable()) end
    end
  end)

  it('is undone within half a step', function()
    local x, scale = torch.rand(1000):float(), torch.FloatTensor { 1 / 255 }
    local off = torch.csub(torch.dequantize(torch.quantize(x, scale), scale), x):abs():max()
    assert.is_true(off <= 0.5 / 255 * 1.001)
  end)

  it('names other numbers of scales', function()
    assert.error_matches(function() torch.quantize(torch.FloatTensor(2, 3), torch.FloatTensor(2), nil, 2) end,
      'quantize: scale: %[2%], expected %[3%]')
    assert.error_matches(function() torch.quantize(torch.FloatTensor(2), torch.FloatTensor(1), nil, nil, 'torch.IntTensor') end,
      'quantize: dtype: torch.IntTensor')
  end)
end)

describe('fakeQuantize', function()
  it('equals dequantize of quantize', function()
    local x, scale, zero = torch.randn(4, 50):float(), torch.FloatTensor { 0.01, 0.02, 0.005, 1 }, torch.IntTensor { 3, 128, 200, 0 }
    same(torch.dequantize(torch.quantize(x, scale, zero, 1), scale, zero, 1), torch.fakeQuantize(x, scale, zero, 1))
  end)

  it('passes the gradient of elements within the bounds', function()
    local x = torch.DoubleTensor { -3, -0.6, -0.4, 0, 1.4, 2.6, 9 }:requiresGrad()
    local y = torch.fakeQuantize(x, torch.DoubleTensor { 1 }, torch.IntTensor { 1 }, nil, 0, 3)
    y:backward(torch.range(1, 7))
    assert.same({ 0, 2, 3, 4, 5, 0, 0 }, x.grad:totable())
    assert.same({ -1, -1, 0, 0, 1, 2, 2 }, y:detach():totable())
  end)
end)

describe('linear16', function()
  it('has the sums of float64 for a weight of 16 bits and any numbers of rows and elements', function()
    for _, kind in ipairs { 'torch.HalfTensor', 'torch.BFloat16Tensor' } do
      for _, sizes in ipairs { { 1, 5, 3 }, { 2, 64, 16 }, { 3, 33, 7 }, { 8, 100, 70 }, { 9, 17, 5 }, { 40, 64, 64 } } do
        local m, k, n = unpack(sizes)
        local x, w, bias = torch.randn(m, k):float(), torch.randn(n, k):type(kind), torch.randn(n):float()
        local wanted = torch.mm(x:double(), w:double():t())
        assert.is_true(torch.csub(wanted, torch.linear16(x, w):double()):abs():max() < 1e-5 * k ^ 0.5)
        wanted = torch.add(wanted, bias:double():view(1, n):expandAs(wanted))
        local got = torch.linear16(x, w, bias)
        assert.equal('torch.FloatTensor', got:type())
        assert.is_true(torch.csub(wanted, got:double()):abs():max() < 1e-5 * k ^ 0.5)
      end
    end
  end)

  it('reads halves of every size exactly: subnormal, infinite and not a number', function()
    local w = torch.HalfTensor { { 2 ^ -24 }, { 2 ^ -15 }, { 65504 }, { -1 / 0 }, { 0 / 0 }, { -0.5 } }
    local y = torch.linear16(torch.FloatTensor { 2 }, w)
    assert.same({ 2 ^ -23, 2 ^ -14, 131008, -math.huge }, y:narrow(1, 1, 4):totable())
    assert.is_true(y[5] ~= y[5] and y[6] == -1)
  end)

  it('names sizes that do not fit', function()
    local w = torch.HalfTensor(3, 4)
    assert.error_matches(function() torch.linear16(torch.FloatTensor(2, 5), w) end, 'linear16: x: %[2, 5%], expected a last size of 4')
    assert.error_matches(function() torch.linear16(torch.FloatTensor(4), w[1]) end, 'linear16: weight: %[4%], expected 2 dimensions')
    assert.error_matches(function() torch.linear16(torch.FloatTensor(4), w, torch.FloatTensor(4)) end, 'linear16: bias: %[4%]')
  end)
end)

describe('int8Matmul', function()
  local bounds = { ['torch.ByteTensor'] = { 0, 255 }, ['torch.CharTensor'] = { -128, 127 } }

  it('has exact sums for all sizes, zero points, dtypes and layouts', function()
    for _, sizes in ipairs { { 1, 1, 1 }, { 3, 5, 7 }, { 7, 64, 16 }, { 50, 100, 70 }, { 65, 33, 129 }, { 2, 1027, 17 }, { 4, 0, 3 } } do
      local m, k, n = unpack(sizes)
      for kindX, ofX in pairs(bounds) do
        for kindY, ofY in pairs(bounds) do
          local x, y = random(kindX, ofX[1], ofX[2], 3, m, k), random(kindY, ofY[1], ofY[2], 3, k, n)
          for _, zeros in ipairs { { ofX[1], ofY[2] }, { 3, 5 }, { ofX[2], ofY[1] } } do
            local wanted = torch.matmul(x:double():csub(zeros[1]), y:double():csub(zeros[2])):int()
            same(wanted, torch.int8Matmul(x, y, zeros[1], zeros[2]))
            local columns = y:transpose(2, 3):contiguous():transpose(2, 3)      -- as keys lie
            same(wanted, torch.int8Matmul(x, columns, zeros[1], zeros[2]))
            same(wanted, torch.int8Matmul(x:transpose(1, 2):contiguous():transpose(1, 2), y, zeros[1], zeros[2]))
          end
        end
      end
    end
  end)

  it('broadcasts leading dimensions', function()
    local x, y = random('torch.ByteTensor', 0, 255, 2, 1, 5, 6), random('torch.CharTensor', -128, 127, 3, 6, 4)
    same(torch.matmul(x:double(), y:double()):int(), torch.int8Matmul(x, y))
    local one = random('torch.CharTensor', -128, 127, 6, 4)
    same(torch.matmul(x:double(), one:double()):int(), torch.int8Matmul(x, one))
    same(torch.matmul(x:double(), one:double():view(1, 1, 1, 6, 4)):int(), torch.int8Matmul(x, one:view(1, 1, 1, 6, 4)))
  end)

  it('does not saturate: pairs of products exceed 16 bits', function()
    local x, y = torch.ByteTensor(2, 4096):fill(255), torch.ByteTensor(4096, 3):fill(0)
    same(torch.IntTensor(2, 3):fill(-255 * 255 * 4096), torch.int8Matmul(x, y, 0, 255))
  end)

  it('rounds half to even and stays within the bounds of the dtype', function()
    local x, one = torch.ByteTensor { { 1 }, { 3 }, { 5 }, { 255 }, { 0 } }, torch.CharTensor { { 1 } }
    assert.same({ { 10 }, { 12 }, { 12 }, { 138 }, { 10 } }, torch.int8Matmul(x, one, 0, 0, 0.5, 10, 'torch.ByteTensor'):totable())
    assert.same({ { 0 }, { 127 }, { 127 }, { 127 }, { -100 } }, torch.int8Matmul(x, one, 0, 0, 100, -100, 'torch.CharTensor'):totable())
    assert.same({ { 0.5 }, { 1.5 }, { 2.5 }, { 127.5 }, { 0 } }, torch.int8Matmul(x, one, 0, 0, 0.5):totable())
  end)

  it('quantises rows and columns of floats by their own ranges', function()
    local x, y = torch.randn(2, 5, 40):float(), torch.randn(2, 40, 19):float()
    for i = 1, 5 do x:select(2, i):mul(10 ^ (i - 3)) end
    for i = 1, 19 do y:select(3, i):mul(10 ^ (i % 5 - 3)) end
    local got, wanted = torch.int8Matmul(x, y):double(), torch.matmul(x:double(), y:double())
    for b = 1, 2 do
      for r = 1, 5 do
        local row = x[b][r]:double()
        local step = (math.max(0, row:max()) - math.min(0, row:min())) / 255
        for c = 1, 19 do
          local column = y[b]:select(2, c):double()
          local ofY = torch.abs(column):max() / 127
          -- Half a step of one operand times the other one, and half a step of both.
          local bound = 0.5 * step * torch.abs(column):sum() + 0.5 * ofY * torch.abs(row):sum() + 40 * 0.25 * step * ofY
          assert.is_true(math.abs(got[b][r][c] - wanted[b][r][c]) < 1.01 * bound)
        end
      end
    end
    same(torch.int8Matmul(x[2], y[2]), torch.int8Matmul(x, y)[2]:clone())
    same(torch.int8Matmul(x, y), torch.int8Matmul(x, y:transpose(2, 3):contiguous():transpose(2, 3)))
  end)

  it('has the same bits for any number of threads', function()
    local x, y = torch.randn(6, 90, 130):float(), torch.randn(6, 130, 120):float()
    local threads, results = torch.getnumthreads(), {}
    for i, count in ipairs { 1, 2, 3 } do
      torch.setnumthreads(count)
      results[i] = torch.int8Matmul(x, y)
    end
    torch.setnumthreads(threads)
    same(results[1], results[2])
    same(results[1], results[3])
  end)

  it('names sizes that do not fit', function()
    local x = torch.ByteTensor(2, 3, 4)
    assert.error_matches(function() torch.int8Matmul(x, torch.ByteTensor(2, 3, 4)) end, 'int8Matmul: y: %[2, 3, 4%], expected %(…, 4, m%)')
    assert.error_matches(function() torch.int8Matmul(x, torch.ByteTensor(3, 4, 4)) end, 'int8Matmul: y: ')
    assert.error_matches(function() torch.int8Matmul(x, torch.ByteTensor(4)) end, 'y: %[4%], expected two dimensions')
    assert.error_matches(function() torch.int8Matmul(x, torch.ByteTensor(4, 4), -1) end, 'xZero: %-1, expected 0 to 255')
    assert.error_matches(function() torch.int8Matmul(torch.ByteTensor(1, 65537), torch.ByteTensor(65537, 1)) end, 'x: .*at most 65536')
    assert.error_matches(function() torch.int8Matmul(x, torch.ByteTensor(4, 4), 0, 0, nil, 0, 'torch.ByteTensor') end,
      'dtype: torch.ByteTensor, expected torch.IntTensor')
  end)
end)

describe('int8Attention', function()
  local log2e = 1.4426950408889634

  -- The result by its definition, of integers, each operation of float32 rounded: float64 holds sums and probabilities exactly.
  local function attended(q, k, v, o)
    local isPlain = k:type() == 'torch.ByteTensor'
    local sums = torch.matmul(q:double():csub(o.queryZero), k:double():csub(isPlain and 128 or 0):transpose(-1, -2))
    local scores = torch.mul(sums:float(), float32(o.scale * log2e))
    if o.mask then scores = torch.add(scores, torch.mul(o.mask, float32(log2e)):expandAs(scores)) end
    local top = torch.amax(scores, -1, true):expandAs(scores)
    local p = torch.round(torch.exp2(torch.csub(scores, top):double()):mul(255))
    p = torch.where(torch.eq(top, -math.huge), torch.zeros(p:size()), p)
    local total = p:sum(-1)
    local factor = torch.cdiv(torch.ones(total:size()):float(), total:float())
    factor = torch.where(torch.eq(total, 0), torch.zeros(factor:size()):float(), factor)
    local numbers = torch.matmul(p, v:double():csub(o.valueZero)):float()
    return torch.cmul(numbers, torch.mul(factor, float32(o.valueScale)):expandAs(numbers))
  end

  local function operands(kind, sizes)
    local n, heads, shared, l, s, e, w = unpack(sizes)
    local zero = kind == 'torch.ByteTensor' and 0 or -128
    return random(kind, zero, zero + 255, n, heads, l, e), random(kind, zero, zero + 255, n, shared, s, e),
      random(kind, zero, zero + 255, n, shared, s, w), zero
  end

  it('has the bits of its definition for all sizes, dtypes and layouts', function()
    for _, sizes in ipairs {
      { 1, 1, 1, 1, 1, 1, 1 }, { 2, 3, 3, 5, 7, 4, 6 }, { 2, 4, 2, 33, 65, 32, 32 }, { 1, 2, 2, 130, 40, 64, 64 },
      { 1, 1, 1, 20, 1100, 9, 17 },
    } do
      for _, kind in ipairs { 'torch.ByteTensor', 'torch.CharTensor' } do
        local q, k, v, zero = operands(kind, sizes)
        local o = { scale = 2e-4, queryZero = zero + 100, valueZero = zero + 30, valueScale = 0.037 }
        local function repeated(x)
          return x:unsqueeze(3):repeatTensor(1, 1, sizes[2] / sizes[3], 1, 1):view(-1, sizes[2], x:size(3), x:size(4))
        end
        local wanted = attended(q, repeated(k), repeated(v), o)
        local function of(a, b, c, ...)
          return torch.int8Attention(a, b, c, nil, false, o.scale, o.queryZero, o.valueZero, ...)
        end
        same(wanted, of(q, k, v, o.valueScale))
        local function asProjected(x) return x:transpose(2, 3):contiguous():transpose(2, 3) end      -- (n, l, heads, e) in memory
        same(wanted, of(asProjected(q), asProjected(k), asProjected(v), o.valueScale))
        local whole = torch.clamp(torch.round(wanted:double()):add(zero + 128), zero, zero + 255):type(kind)
        same(whole, of(q, k, v, o.valueScale, zero + 128, kind))
      end
    end
  end)

  it('has masks of floats and of other types, and causality', function()
    for _, kind in ipairs { 'torch.ByteTensor', 'torch.CharTensor' } do
      local q, k, v, zero = operands(kind, { 2, 3, 3, 21, 37, 8, 5 })
      local o = { scale = 1e-3, queryZero = zero + 100, valueZero = zero + 30, valueScale = 0.037 }
      local function run(mask, causal)
        return torch.int8Attention(q, k, v, mask, causal, o.scale, o.queryZero, o.valueZero, o.valueScale)
      end
      local function excluded(keeps)
        return torch.where(torch.ne(keeps, 0), torch.zeros(keeps:size()):float(), torch.zeros(keeps:size()):float():fill(-math.huge))
      end
      for _, mask in ipairs { torch.randn(2, 3, 21, 37):float(), torch.randn(21, 37):float(), torch.randn(2, 1, 1, 37):float() } do
        o.mask = mask
        same(attended(q, k, v, o), run(mask))
      end
      local keeps = torch.gt(torch.rand(2, 1, 1, 37), 0.5)
      keeps[2]:zero()      -- the second example has no keys
      o.mask = excluded(keeps)
      local wanted = attended(q, k, v, o)
      same(wanted, run(keeps))
      assert.equal(0, torch.abs(wanted[2]):max())
      o.mask = excluded(torch.tril(torch.ones(21, 37)))
      same(attended(q, k, v, o), run(nil, true))
      local both = torch.randn(2, 1, 21, 37):float()
      o.mask = torch.add(both, o.mask:view(1, 1, 21, 37):expandAs(both))
      same(attended(q, k, v, o), run(both, true))
    end
  end)

  it('is close to attention of floats, and quantises these by itself', function()
    for _, sizes in ipairs { { 2, 3, 50, 32 }, { 1, 2, 128, 64 }, { 1, 1, 300, 16 } } do
      local q, k, v = torch.randn(unpack(sizes)):float(), torch.randn(unpack(sizes)):float(), torch.randn(unpack(sizes)):float()
      local wanted = torch.scaledDotProductAttention(q, k, v)
      local got = torch.int8Attention(q, k, v)
      assert.equal('torch.FloatTensor', got:type())
      assert.is_true(torch.csub(wanted, got):norm() / wanted:norm() < 0.025)
      assert.is_true(torch.csub(wanted, got):norm() / wanted:norm() > 1e-4)
      -- Rows of queries and keys, and columns of values, have scales of their own.
      local scaled = torch.int8Attention(torch.mul(q, 1000), torch.mul(k, 1e-3), torch.mul(v, 100))
      assert.is_true(torch.csub(torch.mul(wanted, 100), scaled):norm() / wanted:norm() < 2.5)
      same(torch.int8Attention(q[1], k[1], v[1]), got[1]:clone())
    end
  end)

  it('has the same bits for any number of threads', function()
    local q, k, v = torch.randn(3, 2, 200, 24):float(), torch.randn(3, 2, 150, 24):float(), torch.randn(3, 2, 150, 40):float()
    local threads, results = torch.getnumthreads(), {}
    for i, count in ipairs { 1, 2, 3 } do
      torch.setnumthreads(count)
      results[i] = torch.int8Attention(q, k, v)
    end
    torch.setnumthreads(threads)
    same(results[1], results[2])
    same(results[1], results[3])
  end)

  it('withstands NaN, infinities and no keys', function()
    local q, k, v = torch.ByteTensor(2, 4):fill(3), torch.ByteTensor(3, 4):fill(2), torch.ByteTensor(3, 5):fill(7)
    local function run(mask) return torch.int8Attention(q, k, v, mask, false, 0.1, 0, 0, 1, 9, 'torch.ByteTensor') end
    for _, value in ipairs { 0 / 0, math.huge, -math.huge } do
      assert.same({ { 9, 9, 9, 9, 9 }, { 9, 9, 9, 9, 9 } }, run(torch.FloatTensor(2, 3):fill(value)):totable())
    end
    assert.same({ 16, 16, 16, 16, 16 }, run(torch.FloatTensor { { 0, 0 / 0, -math.huge }, { 0, 0, 0 } })[1]:totable())
    assert.same({ { 9 } }, torch.int8Attention(q:narrow(1, 1, 1), torch.ByteTensor(0, 4), torch.ByteTensor(0, 1), nil, false, 1, 0, 0, 1, 9,
      'torch.ByteTensor'):totable())
    local bad = torch.FloatTensor(3, 4):fill(0 / 0)
    assert.equal(3, torch.int8Attention(bad, bad, bad):size(1))
  end)

  it('names what does not fit', function()
    local q, k = torch.ByteTensor(2, 3, 4), torch.ByteTensor(2, 5, 4)
    assert.error_matches(function() torch.int8Attention(q, torch.ByteTensor(2, 5, 3), k) end, 'int8Attention: key: %[2, 5, 3%], expected')
    assert.error_matches(function() torch.int8Attention(q, k, torch.ByteTensor(2, 4, 4)) end, 'int8Attention: value: %[2, 4, 4%], expected')
    assert.error_matches(function() torch.int8Attention(q, k, k:float()) end,
      'value: torch.FloatTensor, expected integers as the query')
    assert.error_matches(function() torch.int8Attention(q, k, k, torch.FloatTensor(4)) end, 'mask: %[4%], expected sizes that broadcast')
    assert.error_matches(function() torch.int8Attention(q, k, k, nil, false, 1, 256) end, 'queryZero: 256, expected 0 to 255')
    assert.error_matches(function() torch.int8Attention(q, k, k, nil, false, 1, 0, 0, 1, 0, 'torch.IntTensor') end,
      'dtype: torch.IntTensor')
  end)
end)
