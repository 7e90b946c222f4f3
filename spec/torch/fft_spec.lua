-- Fourier transforms of all kinds of lengths, sizes and layouts: by their definition, and by transforms that are known.
local torch = require 'torch'

-- cos and -sin of 2 pi j k / n.
local function matrices(n)
  local turns = torch.ger(torch.range(0, n - 1):double(), torch.range(0, n - 1):double())
  local angles = torch.remainder(turns, n):mul(2 * math.pi / n)
  return torch.cos(angles), torch.sin(angles):mul(-1)
end

local function paired(re, im) return torch.stack({ re, im }, re:dim() + 1) end

-- Errors as FFTW has them: relative to the norm, a few roundings for each doubling of the length.
local function near(expected, got, n, what)
  assert.same(expected:size():totable(), got:size():totable())
  local rounding = got:type() == 'torch.FloatTensor' and 1e-7 or 2e-16
  local error_ = (expected - got:double()):norm() / math.max(expected:norm(), 1e-300)
  assert(error_ <= rounding * (1 + math.log(n) / math.log(2)), ('%s, %s, %d: %g'):format(what, got:type(), n, error_))
end

local function checkLength(n, rows, kind)
  local cos, sin = matrices(n)
  local x = torch[kind](rows, n, 2):normal()
  local re, im = x:select(3, 1):double(), x:select(3, 2):double()
  local y = paired(re * cos - im * sin, re * sin + im * cos)
  near(y, torch.fft_c2c(x), n, 'c2c')
  near(y, torch.fft_c2c(x:transpose(1, 2):contiguous(), 1):transpose(1, 2), n, 'c2c of columns')
  near(paired(re * cos + im * sin, im * cos - re * sin) / n, torch.fft_c2c(x, 2, 'by_n', false), n, 'inverse')
  local real = x:select(3, 1):contiguous()
  local full = paired(re * cos, re * sin)
  local half = full:narrow(2, 1, math.floor(n / 2) + 1)
  near(half, torch.fft_r2c(real), n, 'r2c')
  near(full, torch.fft_r2c(real, 2, 'none', false), n, 'r2c of all frequencies')
  near(half, torch.fft_r2c(real:t():contiguous(), 1):transpose(1, 2), n, 'r2c of columns')
  local some = torch.fft_r2c(real)
  near(re, torch.fft_c2r(some, 2, 'by_n', n), n, 'c2r')
  near(re, torch.fft_c2r(some:transpose(1, 2):contiguous(), 1, 'by_n', n):t(), n, 'c2r of columns')
end

describe('Fourier transforms', function()
  before_each(function() torch.manualSeed(11) end)

  it('are sums of cosines and sines, for each length', function()
    for n = 1, 70 do
      for _, rows in ipairs { 1, 3, 17 } do
        checkLength(n, rows, 'FloatTensor')
        checkLength(n, rows, 'DoubleTensor')
      end
    end
  end)
  it('of lengths with several factors, of primes and of powers', function()
    for _, n in ipairs { 127, 128, 243, 256, 289, 343, 400, 509, 512, 667, 1000, 1024 } do
      checkLength(n, 2, 'FloatTensor')
      checkLength(n, 5, 'DoubleTensor')
    end
  end)

  -- An impulse at a place is a wave.
  it('of long signals', function()
    for _, n in ipairs { 4099, 15015, 32768, 65536, 65537, 120000, 262144 } do
      for _, kind in ipairs { 'FloatTensor', 'DoubleTensor' } do
        local place = math.floor(n * 0.3)
        local x = torch[kind](n, 2):zero()
        x[place + 1][1], x[place + 1][2] = 1, 0.5
        local angles = torch.remainder(torch.range(0, n - 1):double() * place, n):mul(2 * math.pi / n)
        local cos, sin = torch.cos(angles), torch.sin(angles)
        local y = torch.fft_c2c(x)
        near(paired(cos + sin * 0.5, cos * 0.5 - sin), y, n, 'impulse')
        near(x:double(), torch.fft_c2c(y, 1, 'by_n', false), n, 'and back')
        local real = x:select(2, 1):contiguous()
        local half = torch.fft_r2c(real)
        near(paired(cos, sin * -1):narrow(1, 1, math.floor(n / 2) + 1), half, n, 'real impulse')
        near(real:double(), torch.fft_c2r(half, 1, 'by_n', n), n, 'and back')
      end
    end
  end)
  it('go along any dimension of any tensor', function()
    local sizes = { 3, 4, 5, 6, 2 }
    local x = torch.randn(unpack(sizes))
    for dim = 1, 4 do
      local n = sizes[dim]
      local rows = x:transpose(dim, 4):contiguous()
      near(torch.fft_c2c(rows:view(-1, n, 2)):viewAs(rows):transpose(dim, 4), torch.fft_c2c(x, dim), n, 'dimension ' .. dim)
      near(torch.fft_c2c(x, dim), torch.fft_c2c(x:transpose(1, 2):contiguous():transpose(1, 2), dim), n, 'strided ' .. dim)
    end
  end)
  it('of columns do not depend on how many there are', function()
    for _, n in ipairs { 12, 67, 64 } do
      local wide = torch.randn(n, 40, 2):float()
      local all = torch.fft_c2c(wide, 1)
      for count = 1, 40, 3 do
        near(all:narrow(2, 1, count):double(), torch.fft_c2c(wide:narrow(2, 1, count), 1), n, count .. ' columns')
      end
    end
  end)
  it('give the same bits with any number of threads', function()
    local threads = torch.getnumthreads()
    for _, sizes in ipairs { { 1, 65536 }, { 3, 32768 }, { 300, 256 }, { 7, 1009 } } do
      local x, y = torch.randn(sizes[1], sizes[2], 2):float(), torch.randn(unpack(sizes))
      torch.setnumthreads(1)
      local one, real = torch.fft_c2c(x), torch.fft_r2c(y)
      torch.setnumthreads(4)
      local same = torch.equal(one, torch.fft_c2c(x)) and torch.equal(real, torch.fft_r2c(y))
      torch.setnumthreads(threads)
      assert(same, sizes[2])
    end
  end)
  it('name the expected arguments in errors', function()
    assert.error_matches(function() torch.fft_c2c(torch.ones(4, 3)) end, 'fft_c2c: x: .*the last one of 2: real and imaginary parts')
    assert.error_matches(function() torch.fft_c2c(torch.ones(4, 2), 2) end, 'fft_c2c: dim: .*which holds real and imaginary parts')
    assert.error_matches(function() torch.fft_c2c(torch.ones(4, 2), 1, 'ortho') end, "fft_c2c: norm: 'ortho', expected 'none', 'by_n' or")
    assert.error_matches(function() torch.fft_c2c(torch.LongTensor(4, 2)) end, 'fft_c2c: x: .*')
    assert.error_matches(function() torch.fft_c2r(torch.ones(4, 2), 1, 'none', 9) end, 'fft_c2r: x: .*expected 5 frequencies .* for 9')
    assert.error_matches(function() torch.fft_c2r(torch.ones(4, 2), 1, 'none', 0) end, 'fft_c2r: size: 0')
    assert.error_matches(function() torch.fft_r2c(torch.ones(0)) end, 'fft_r2c: x: .*one element or more along dimension 1')
  end)
end)
