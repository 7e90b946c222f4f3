-- The forms and edges of Torch7's mathematics that the registry's sweeps can't know. A row is a call and its result: numbers, plain
-- tables of a tensor's elements in row-major order, or part of an error's message. Truths are closed forms, or counted by hand.
local torch = require 'torch'
local assertClose = require('spec.support.close').within { rtol = 1e-14, atol = 1e-14, equalNan = true }

local nan, inf = 0 / 0, math.huge
local D, F, L, B, I = torch.DoubleTensor, torch.FloatTensor, torch.LongTensor, torch.ByteTensor, torch.IntTensor

local function flat(x)
  if not torch.isTensor(x) then return x end
  return x:nElement() > 0 and torch.reshape(x, x:nElement()):totable() or {}
end

-- Rows: source of the call (x is the row's second field when that is a tensor), expected results.
local function rows(title, list)
  describe(title, function()
    for _, row in ipairs(list) do
      it(row[1], function()
        local call = assert(loadstring('return ' .. row[1]))
        setfenv(call, setmetatable({ D = D, F = F, L = L, B = B, I = I, nan = nan, inf = inf }, { __index = _G }))
        if row.fails then return assert.error_matches(call, row.fails) end
        local got = { call() }
        assert.equal(#row - 1, #got)
        for i = 2, #row do
          local want, have = row[i], flat(got[i - 1])
          if type(want) ~= 'table' then want, have = { want }, type(have) == 'table' and have or { have } end
          assertClose(want, have)
        end
        if row.sizes then assert.same(row.sizes, got[1]:size():totable()) end
        if row.type then assert.equal(row.type, torch.typename(got[1])) end
      end)
    end
  end)
end

rows('an elementwise function of numbers gives a number:', {
  { 'torch.exp(1)', math.exp(1) }, { 'torch.abs(-2)', 2 }, { 'torch.pow(2, 3)', 8 }, { 'torch.lerp(1, 3, 0.25)', 1.5 },
  { 'torch.atan2(1, -1)', 3 * math.pi / 4 }, { 'torch.frac(-1.5)', -0.5 }, { 'torch.sigmoid(0)', 0.5 }, { 'torch.rsqrt(4)', 0.5 },
  { "torch.sqrt('9')", 3 }, { 'torch.clamp(5, 0, 1)', 1 },
  { 'torch.IntTensor { -9, 4 }:clamp(nil, 3):sum()', -6 }, { 'torch.ByteTensor { 5, 200 }:clamp(100):sum()', 300 },
  { 'torch.exp()', fails = 'exp: arguments: %(%), expected' }, { 'torch.pow(D(), 2, 3)', fails = 'pow: x: numbers' },
})

rows('remainders:', {
  { 'D{-7, 7} % 3', { 2, 1 } }, { 'D{-7, 7} % -3', { -1, -2 } }, { 'I{-7, 7}:remainder(3)', { 2, 1 } }, { 'D{-7, 7}:fmod(3)', { -1, 1 } },
  { '1 / (D{-4, 4, -4, 4} % D{2, 2, -2, -2})', { inf, inf, inf, inf } }, { '1 / (F{-4.5, -0.0} % 1.5)', { inf, inf } },
  { 'D{5} % 0', { nan } }, { '1 / torch.fmod(D{-4}, 2)', { -inf } },
})

rows('shifts and bits:', {
  { 'I{-4}:rshift(1)', { 2147483646 } }, { 'B{200}:lshift(1)', { 144 } }, { 'torch.CharTensor{-1}:rshift(4)', { 15 } },
  { 'L{1}:lshift(40)', { 2 ^ 40 } }, { 'I{5}:lshift(32)', { 0 } }, { 'I{5}:rshift(-1)', { 0 } }, { 'D{3}:lshift(2)', { 12 } },
  { 'F{3}:rshift(1)', { 1.5 } }, { 'torch.clshift(I{1, 2}, I{3, 4})', { 8, 32 } }, { 'torch.crshift(D(), D{8, 8}, D{1, 2})', { 4, 2 } },
  { 'torch.bitand(I{12, -1}, 10)', { 8, 10 } }, { 'I{12}:bitor(I{12}, 3)', { 15 } }, { 'torch.cbitxor(I{12}, I{10})', { 6 } },
  { 'B{255}:cbitand(B{15})', { 15 } }, { 'torch.bitand(D{1}, 1)', fails = 'bitand: x: .*only supported for integer type tensors' },
})

rows('triangles:', {
  { 'torch.tril(torch.range(1, 9):view(3, 3), -1)', { 0, 0, 0, 4, 0, 0, 7, 8, 0 } },
  { 'torch.range(1, 6):view(2, 3):triu(1)', { 0, 2, 3, 0, 0, 6 } },
  { 'torch.triu(D(7), torch.ones(2, 2), 9)', { 0, 0, 0, 0 }, sizes = { 2, 2 } },
  { 'torch.tril(I(2, 2):fill(3))', { 3, 0, 3, 3 }, type = 'torch.IntTensor' }, { 'torch.tril(D{1})', fails = 'expected a matrix' },
})

rows('histograms:', {
  { 'torch.histc(D{1, 2, 3, 4, 4}, 4)', { 1, 1, 1, 2 } }, { 'torch.histc(D{1, 1}, 2)', { 0, 2 } },
  { 'D{1, 2, 5}:histc(2, 0, 4)', { 1, 1 } },
  { 'torch.histc(D(), D{0, 1}, 2)', { 1, 1 } }, { 'torch.histc(D{0.5}):size(1)', 100 }, { 'torch.histc(D{nan, 1}, 1, 0, 2)', { 1 } },
  { 'torch.bhistc(D{{1, 2, 3}, {4, 5, 5}}, 3)', { 2, 1, 0, 0, 0, 3 }, sizes = { 2, 3 } },
  { 'torch.bhistc(D{{1, 2, 3}, {4, 5, 5}}, 2, 1, 5)', { 2, 1, 0, 3 } }, { 'torch.bhistc(D{1})', fails = 'expected a matrix' },
  { 'torch.histc(D{inf}, 2)', fails = 'histc: x: .*finite' }, { 'torch.histc(D{1}, 0)', fails = 'histc: bins: 0' },
  { 'torch.bincount(L{1, 3, 3})', { 1, 0, 2 } }, { 'torch.bincount(I{1, 3, 3}, 4, D{0.5, 1, 2})', { 0.5, 0, 3, 0 } },
  { 'torch.bincount(L{0})', fails = 'bincount: x: element 0' },
  { 'torch.searchsorted(D{1, 3, 3, 5}, D{0, 3, 4, 9})', { 1, 2, 4, 5 } }, { 'torch.searchsorted(D{1, 3, 3, 5}, 3, true)', { 4 } },
})

rows('norms and products:', {
  { 'torch.renorm(D{{3, 4}, {0.3, 0.4}}, 2, 1, 1)', { 3 / (5 + 1e-7), 4 / (5 + 1e-7), 0.3, 0.4 } },
  { 'D{{3, 0}, {4, 0}}:renorm(1, 2, 3.5)', { 3 * 3.5 / (7 + 1e-7), 0, 4 * 3.5 / (7 + 1e-7), 0 } },
  { 'D():renorm(torch.ones(2, 1), 2, 1, 9)', { 1, 1 }, sizes = { 2, 1 } },
  { 'torch.renorm(D{1}, 2, 1, 1)', fails = 'at least two dimensions' },
  { 'torch.renorm(torch.eye(2), 0, 1, 1)', fails = 'renorm: p: 0' },
  { 'torch.dist(D{1, 2}, D{4, 6})', 5 }, { 'D{1, 2}:dist(D{4, 6}, 1)', 7 },
  { 'torch.dist(D{{1, 2}}, D{{4}, {6}}, 3)', (27 + 64) ^ (1 / 3) },
  { 'torch.trace(D{{1, 2}, {3, 4}, {5, 6}})', 5 }, { 'B{{200, 0}, {0, 200}}:trace()', 400 },
  { 'torch.trace(D{1})', fails = 'expected a matrix' },
  { 'torch.cross(D{1, 0, 0}, D{0, 1, 0})', { 0, 0, 1 } },
  { 'D{{1, 0, 0}, {0, 0, 1}}:cross(D{{0, 1, 0}, {1, 0, 0}})', { 0, 0, 1, 0, 1, 0 } },
  { 'torch.cross(D{1, 2}, D{1, 2})', fails = 'no dimension of size 3 in a: %[2%]' },
  { 'torch.match(D{{0, 0}, {1, 2}}, D{{3, 4}})', { 25, 8 }, sizes = { 2, 1 } }, { 'D():match(D{{1}}, D{{3}}, 2)', { 8 } },
  { 'torch.match(torch.ones(2, 3), torch.ones(2, 2))', fails = 'match: b: ' },
  { 'torch.equal(D{1, 2}, D{1, 2})', true }, { 'D{1, 2}:equal(D{{1, 2}})', false }, { 'torch.equal(D{nan}, D{nan})', false },
  { 'torch.equal(D(), D(0))', true }, { 'D(2, 0):equal(D())', true }, { 'torch.equal(D(0), D(0, 2))', false }, { 'D():equal(D{0})', false },
})

rows('convolutions:', {
  { 'torch.conv2(torch.range(1, 9):view(3, 3), D{{1, 2}, {3, 4}})', { 23, 33, 53, 63 } },
  { 'torch.xcorr2(torch.range(1, 9):view(3, 3), D{{1, 2}, {3, 4}})', { 37, 47, 67, 77 } },
  { "D{{1, 2}}:conv2(D{{1, 10}}, 'F')", { 1, 12, 20 } }, { "torch.xcorr2(D(), D{{1, 2}}, D{{1, 10}}, 'F')", { 10, 21, 2 } },
  { 'torch.conv2(torch.ones(2, 2, 2), torch.ones(3, 2, 2, 1))', { 4, 4, 4, 4, 4, 4 }, sizes = { 3, 1, 2 } },
  { 'torch.conv2(torch.ones(2, 2, 2), D{{{1}}, {{2}}})', { 1, 1, 1, 1, 2, 2, 2, 2 } },
  { 'torch.conv2(B(2, 2):fill(100), B(2, 2):fill(1))', { 144 }, type = 'torch.ByteTensor' },
  { 'torch.conv3(torch.ones(2, 2, 2), torch.ones(2, 2, 2))', { 8 }, sizes = { 1, 1, 1 } },
  { "torch.xcorr3(D{{{1, 2}}}, D{{{1, 10}}}, 'F')", { 10, 21, 2 } },
  { 'torch.conv2(D{{1}}, torch.ones(2, 2))', fails = 'Input image is smaller than kernel' },
  { 'torch.conv2(torch.ones(2, 3, 3), torch.ones(1, 3, 2, 2))', fails = 'invalid number of input planes' },
  { "torch.conv2(D{{1}}, D{{1}}, 'X')", fails = "conv2: mode: 'X'" },
})

rows('what is counted and sorted:', {
  { 'torch.unique(D{3, 1, 3, nan, nan})', { 1, 3, nan }, { 2, 1, 2, 3, 3 }, { 1, 2, 2 } },
  { 'torch.quantile(D{4, 1, 3, 2}, 0.5)', 2.5 }, { 'torch.quantile(D{4, 1, 3, 2}, D{0, 0.25, 1})', { 1, 1.75, 4 } },
  { 'torch.quantile(D{1, nan, 3}, 0.5)', nan }, { 'torch.nanquantile(D{1, nan, 3}, 0.5)', 2 },
  { "torch.quantile(D{1, 2, 3, 4}, 0.5, 1, 'nearest')", { 3 } },
  { 'torch.quantile(D{1}, 2)', fails = 'quantile: q: expected numbers from 0 to 1' },
  { 'torch.nansum(D{1, nan, 2})', 3 }, { 'torch.nanmean(D{{1, nan}, {nan, nan}}, 2)', { 1, nan } },
  { 'torch.nanmax(D{nan, 2, 5})', 5 }, { 'torch.nanmin(D{{nan, 2}, {nan, nan}}, 2)', { 2, nan }, { 2, 1 } },
  { 'torch.countNonzero(B(300):fill(1), 1)', { 300 } }, { 'torch.countNonzero(D{0, nan, 2})', 2 },
  { 'torch.cov(D{{1, 2, 3}, {3, 2, 1}})', { 1, -1, -1, 1 } }, { 'torch.corrcoef(D{{1, 2, 3}, {2, 4, 6}})', { 1, 1, 1, 1 } },
  { 'torch.isclose(D{1, inf, nan}, D{1 + 1e-9, inf, nan})', { 1, 1, 0 } }, { 'torch.allclose(D{1, 2}, D{1, 2.1}, 0.1)', true },
})

rows('what is moved:', {
  { 'torch.flip(torch.range(1, 4):view(2, 2), 1)', { 3, 4, 1, 2 } }, { 'torch.roll(torch.range(1, 4), 1)', { 4, 1, 2, 3 } },
  { 'torch.rot90(D{{1, 2}, {3, 4}})', { 2, 4, 1, 3 } }, { 'torch.rot90(D{{1, 2}, {3, 4}}, -1)', { 3, 1, 4, 2 } },
  { 'torch.diff(D{1, 4, 9, 16}, 2)', { 2, 2 } }, { 'torch.meshgrid(D{1, 2}, D{3, 4})', { 1, 1, 2, 2 }, { 3, 4, 3, 4 } },
  { 'torch.meshgrid(D{1}, 2)', fails = 'meshgrid: vectors: number as number 2' },
})

rows('special functions at their edges:', {
  { 'torch.lgamma(D{1, 2, 0, -1, inf})', { 0, 0, inf, inf, inf } }, { 'torch.digamma(D{1, 0, -1})', { -0.57721566490153286, -inf, nan } },
  { 'torch.trigamma(D{1, 0})', { math.pi ^ 2 / 6, inf } }, { 'torch.polygamma(1, D{1})', { math.pi ^ 2 / 6 } },
  { 'torch.polygamma(D{1}, 0.5)', { nan } },
  -- Figures of mpmath.
  { 'torch.digamma(D{1.25, 5.5, -0.99433})', { -0.22745353337626541, 1.6110931485817511, -175.92906803861243 } },
  { 'torch.digamma(D{1.4616321449683622})[1] * 1e17', -9.2412655217294275 },
  { 'torch.trigamma(D{0.004, 3.3, -2.5})', { 62501.635369298978, 0.35350154184106183, 9.5392466449891238 } },
  { 'torch.erfinv(D{0.3, -0.9999})', { 0.27246271472675435, -2.7510639057120797 } },
  { 'torch.erfinv(D{0, 1, -1, 2})', { 0, inf, -inf, nan } }, { 'torch.erfc(D{-inf, 0, inf})', { 2, 1, 0 } },
  { 'torch.exp2(D{3, -1})', { 8, 0.5 } }, { 'torch.hypot(F{3e20}, F{4e20})', { F({ 5e20 })[1] } },
})

describe('unique', function()
  it('takes integers of every type, near each other and far apart, and booleans', function()
    local least, most = -0x7fffffffffffffffLL - 1, 0x7fffffffffffffffLL
    local cases = {
      Byte = { { 0, 255 }, { 254, 255 }, { 7 } }, Char = { { -128, 127 }, { -128, -127 }, { 0 } },
      Short = { { -32768, 32767 }, { 32766, 32767 } }, Int = { { -2147483648, 2147483647 }, { -2147483648, -2147483646 } },
      Long = { { least, most }, { least, least + 1 }, { most - 1, most }, { 2LL ^ 53, 2LL ^ 53 + 1 }, { -2LL ^ 52, 1 - 2LL ^ 52 } },
      Bool = { { 0, 1 }, { 0 }, { 1 } },
    }
    for kind, lists in pairs(cases) do
      for _, list in ipairs(lists) do
        local new, n = torch[kind .. 'Tensor'], #list
        local x = new(3 * n)                      -- the largest first, three times over
        for i = 1, 3 * n do torch.fill(x:narrow(1, i, 1), list[n - (i - 1) % n]) end
        local values, inverse, counts = torch.unique(x)
        assert.equal(x:type(), values:type())
        assert.same({ n, 3 * n, n }, { values:nElement(), inverse:nElement(), counts:nElement() })
        assert.is_true(torch.equal(x, torch.index(values, 1, inverse)))
        for i = 1, n do assert.is_true(torch.equal(values:narrow(1, i, 1), new(1):fill(list[i])), kind) end
        assert.same({ 3, n * 3 }, { counts[1], torch.sum(counts) })
      end
    end
  end)

  it('returns a result with the sizes of its argument', function()
    local values, inverse = torch.unique(torch.IntTensor({ { 5, 3, 5 }, { 4, 3, 3 } }):t())
    assert.same({ 3, 4, 5 }, values:totable())
    assert.same({ { 3, 2 }, { 1, 1 }, { 3, 1 } }, inverse:totable())
  end)
end)

describe('a convolution with a large kernel', function()
  it('goes by parts', function()
    local y = torch.xcorr2(F(12, 4000):fill(1), F(3, 3000):fill(1))
    assert.same({ 10, 1001 }, y:size():totable())
    assert.is_true(y:min() == 9000 and y:max() == 9000)
    local full = torch.conv2(F(2, 1200):fill(1), F(3, 2000):fill(1), 'F')
    assert.same({ 4, 3199 }, full:size():totable())
    assert.equal(6 * 1200 * 2000, full:sum())
    assert.same({ 1, 2, 2, 1 }, full:select(2, 1):totable())
  end)
end)

describe('drawing by an alias table', function()
  it('has the probabilities it was made from', function()
    local p, n = D { 0.1, 0.2, 0.3, 0.4 }, 20000
    local state = torch.multinomialAliasSetup(p)
    local drawn = torch.multinomialAlias(L(n), state)
    for i = 1, 4 do
      local deviation = math.sqrt(n * p[i] * (1 - p[i]))
      assert.is_true(math.abs(drawn:eq(i):sum() - n * p[i]) < 4 * deviation)
    end
    assert.equal(state[1], (torch.multinomialAliasSetup_(p, state[1], state[2])))
  end)

  it('takes a pair of draws for each element', function()
    local J, q = torch.multinomialAliasSetup_(D { 1, 3 })
    torch.manualSeed(3)
    local drawn = torch.DoubleTensor.multinomialAlias_(L(50), J, q)
    torch.manualSeed(3)
    for i = 1, 50 do
      local hit = math.floor(torch.uniform() * 2) + 1
      assert.equal(torch.uniform() <= q[hit] and hit or J[hit], drawn[i])
    end
  end)
end)
