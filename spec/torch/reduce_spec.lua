-- Reductions: behaviour that Torch7's programs rely on, and cases that the registry sweep can't cover.
local torch = require 'torch'

local nan, inf = 0 / 0, math.huge
local function isNan(v) return v ~= v end

describe('a reduction', function()
  it('gives a number over everything, and keeps a dimension with size 1', function()
    local x = torch.Tensor { { 1, 2, 3 }, { 4, 5, 6 } }
    assert.equal(21, x:sum())
    assert.equal(720, torch.prod(x))
    assert.same({ 1, 3 }, torch.sum(x, 1):size():totable())
    assert.same({ 2, 1 }, x:mean(2):size():totable())
    assert.equal(5, x:mean(2)[2][1])
    assert.equal(5, x:mean(-1)[2][1])
  end)

  it('writes into a result', function()
    local x, res = torch.Tensor { { 1, 2 }, { 3, 4 } }, torch.Tensor()
    assert.equal(res, torch.sum(res, x, 2))
    assert.equal(7, res[2][1])
    local values, places = torch.Tensor(), torch.LongTensor()
    torch.max(values, places, x, 1)
    assert.equal(4, values[1][2])
    assert.equal(2, places[1][2])
  end)

  it('counts integers in 64 bits, but wraps along a dimension', function()
    local x = torch.ByteTensor { 200, 200 }
    assert.equal(400, x:sum())
    assert.equal(144, x:sum(1)[1])
  end)

  it('does not round a number to float', function()
    local x = torch.FloatTensor { 0.1, 0.2 }                     -- 0.1 is 0.100000001490116119..., 0.2 twice that
    local tenth = x[1]
    assert.equal(3 * tenth, x:sum())
    assert.equal(1.5 * tenth, x:mean())
    assert.is_near(math.sqrt(5) * tenth, x:norm(), 1e-16)
    assert.is_near(tenth / math.sqrt(2), x:std(), 1e-16)
    assert.equal(2 * tenth * tenth, x:prod())
    assert.equal('torch.FloatTensor', x:sum(1):type())
  end)

  it('keeps small terms beside large ones that cancel', function()
    assert.equal(1, torch.FloatTensor({ 1e8, 1, -1e8 }):sum())
  end)

  it('knows what nothing gives', function()
    local none = torch.Tensor()
    assert.equal(0, none:sum())
    assert.equal(1, none:prod())
    assert.error_matches(function() none:max() end, 'max: x: .* one element or more')
    assert.error_matches(function() none:mean() end, 'mean: x: .* one element or more')
    assert.is_true(isNan(torch.zeros(2, 0):mean(2)[1][1]))
  end)

  it('names a dimension that is not there', function()
    assert.error_matches(function() torch.zeros(2, 3):sum(3) end, 'sum: dim: dimension 3 out of range 1..2')
  end)
end)

describe('a reduction of columns side by side', function()
  local rows, eps = 21, 2 ^ -8                    -- all sums below 2^8: exact in bfloat16
  local function element(i, j) return (5 * i * i + 3 * j + math.floor(j / 1024)) % 7 % 3 - 1 end
  local ops = {
    sum = function(s) return s.sum end,
    nansum = function(s) return s.sum end,
    mean = function(s) return s.sum / rows end,
    var = function(s) return (s.squares - s.sum ^ 2 / rows) / (rows - 1) end,
    any = function(s) return s.nonzeros > 0 and 1 or 0 end,
    all = function(s) return s.nonzeros == rows and 1 or 0 end,
    max = function(s) return s.largest end,
    norm = function(s) return math.sqrt(s.squares) end,
    prod = function(s) return s.product end,
  }
  for _, kind in ipairs { 'Byte', 'Int', 'Half', 'BFloat16', 'Float', 'Double' } do
    it(('takes each as its own, however many: %s'):format(kind), function()
      local isFloat = torch[kind .. 'Tensor']():isFloatingPoint()
      for _, columns in ipairs { 1, 1023, 1024, 1025, 2047, 2049, 4100 } do
        local x = torch.DoubleTensor(rows, columns)
        local sums = {}
        for j = 1, columns do
          local s = { sum = 0, squares = 0, nonzeros = 0, largest = 0, product = 1 }
          for i = 1, rows do
            local v = math.max(element(i, j), isFloat and -1 or 0)
            x[i][j] = v
            s.sum, s.squares, s.nonzeros = s.sum + v, s.squares + v * v, s.nonzeros + (v ~= 0 and 1 or 0)
            s.largest, s.product = math.max(s.largest, v), s.product * v
          end
          sums[j] = s
        end
        local y = x:type(('torch.%sTensor'):format(kind))
        for name, value in pairs(ops) do
          if isFloat or name == 'sum' or name == 'max' or name == 'any' then
            local got
            if name == 'norm' then got = torch.norm(y, 2, 1) else got = torch[name](y, 1) end
            got = got:double():view(columns):totable()
            for j = 1, columns do
              local want = value(sums[j])
              if math.abs(got[j] - want) > eps * math.abs(want) then
                error(('%s of column %d of %d: %s, expected %s'):format(name, j, columns, got[j], want))
              end
            end
          end
        end
      end
    end)
  end
end)

describe('max and min', function()
  it('give the first of equal elements', function()
    local values, places = torch.Tensor({ { 1, 3, 3 }, { 2, 2, 2 } }):max(2)
    assert.same({ 3, 2 }, { values[1][1], values[2][1] })
    assert.same({ 2, 1 }, { places[1][1], places[2][1] })
    assert.equal('torch.LongTensor', places:type())
  end)

  it('find NaN and infinities wherever in a long row', function()
    for _, typeName in ipairs { 'torch.FloatTensor', 'torch.DoubleTensor' } do
      for _, n in ipairs { 64, 127, 128, 129, 1000, 20000 } do
        local plain = torch.range(1, n):type(typeName)
        for _, at in ipairs { 1, 2, math.floor(n / 2), n - 1, n } do
          local x = plain:clone():mul(-1)
          x[at] = nan
          assert.is_true(isNan(x:max()) and isNan(x:min()), ('%s %d of %d'):format(typeName, at, n))
          local value, place = x:max(1)
          assert.is_true(isNan(value[1]))
          assert.equal(at, place[1])
          x[at] = -inf
          assert.same({ -inf, at }, { x:min(), select(2, x:min(1))[1] })
          x[at % n + 1] = inf
          assert.same({ -inf, inf }, { x:min(), x:max() })
          assert.equal(at % n + 1, select(2, x:max(1))[1])
        end
        assert.same({ 1, n }, { plain:min(), plain:max() })
      end
    end
  end)

  it('let NaN win where it is first', function()
    local x = torch.Tensor { 1, nan, 5, nan }
    assert.is_true(isNan(x:max()))
    assert.is_true(isNan(x:min()))
    local _, place = x:min(1)
    assert.equal(2, place[1])
    assert.equal(2, x:argmax())
  end)

  it('see infinities', function()
    local _, place = torch.Tensor({ -inf, -inf }):max(1)
    assert.equal(1, place[1])
    assert.equal(-inf, torch.Tensor({ -inf, -inf }):max())
  end)
end)

describe('var and std', function()
  it('divide by n - 1, or by n with the flag', function()
    local x = torch.Tensor { 1, 2, 3, 4 }
    assert.is_near(5 / 3, x:var(), 1e-15)
    assert.is_near(5 / 4, x:var(true), 1e-15)
    assert.is_near(math.sqrt(5 / 4), x:std(1, true)[1], 1e-15)
  end)

  it('have no unbiased value of one element', function()
    assert.is_true(isNan(torch.Tensor({ 3 }):std()))
    assert.equal(0, torch.Tensor({ 3 }):var(true))
  end)
end)

describe('norm', function()
  it('has the limits of its power as special cases', function()
    local x = torch.Tensor { 3, -4, 0 }
    assert.equal(5, x:norm())
    assert.equal(7, x:norm(1))
    assert.equal(2, x:norm(0))
    assert.equal(4, x:norm(inf))
    assert.is_near((27 + 64) ^ (1 / 3), x:norm(3), 1e-14)
    assert.equal(0, x:norm(-inf))
    assert.equal(3, torch.Tensor({ -3, 4 }):norm(-inf))
    assert.is_true(isNan(torch.Tensor({ 1, 0 / 0, 2 }):norm(-inf)))
  end)

  it('takes negative powers, to which an element of 0 gives 0', function()
    local x = torch.Tensor { { 3, -4 }, { 0, 2 } }
    assert.is_near(12 / 7, x[1]:norm(-1), 1e-15)
    local rows = torch.norm(x, -1, 2)
    assert.is_near(12 / 7, rows[1][1], 1e-15)
    assert.equal(0, rows[2][1])
    assert.is_near((1 / 9 + 1 / 16) ^ -0.5, torch.norm(x[1]:float(), -2), 1e-6)
    assert.is_near(12 / 7, torch.dist(x[1], torch.zeros(2), -1), 1e-15)
    assert.error_matches(function() x:norm(0 / 0) end, 'norm: p: .*nan, expected a number')
  end)
end)

describe('any and all', function()
  it('are booleans', function()
    assert.is_true(torch.ByteTensor({ 0, 1 }):any())
    assert.is_false(torch.ByteTensor({ 0, 1 }):all())
    assert.is_true(torch.Tensor():all())
  end)
end)
