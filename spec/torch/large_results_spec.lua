-- Results of 16 MB and more are written past the caches where their memory is aligned: they must hold what short ones do.
local torch = require 'torch'

local rows, columns = 1100, 4099      -- some 18 MB of floats; no row but the first begins at a multiple of 64 bytes

-- Small whole numbers, so that every result is exact.
local function numbers(m, n, name)
  local x = torch[name .. 'Tensor'](m, n)
  return x:copy(torch.range(1, m * n):remainder(4093):resize(m, n))
end

-- The op on all rows at once, and on one after the other.
local function assertAlike(f, result, x, y)
  f(result, x, y)
  local row, wrong = result.new(1, columns), 0
  for i = 1, rows do
    f(row, x:narrow(1, i, 1), y:size(1) == 1 and y or y:narrow(1, i, 1))
    wrong = wrong + torch.ne(result:narrow(1, i, 1), row):sum()
  end
  assert.equal(0, wrong)
end

describe('a large result', function()
  local x, y = numbers(rows, columns, 'Float'), numbers(columns, rows, 'Float'):t()
  local function atOddOffset() return torch.FloatTensor(rows * columns + 1):narrow(1, 2, rows * columns):view(rows, columns) end
  local function choose(r, a, b) torch.where(r, torch.gt(a, 2000), a, b) end
  local cases = {
    { 'of contiguous operands', torch.add, torch.FloatTensor(rows, columns), x, x },
    { 'that begins anywhere', torch.add, atOddOffset(), x, x },
    { 'of one operand', function(r, a) torch.abs(r, a) end, torch.FloatTensor(rows, columns), x, x },
    { 'of a broadcast row', torch.cmul, torch.FloatTensor(rows, columns), x, x:narrow(1, 7, 1) },
    { 'of an operand with other strides', torch.csub, torch.FloatTensor(rows, columns), x, y },
    { 'of doubles', torch.cmax, torch.DoubleTensor(rows, columns), x:double(), x:double() },
    { 'of two choices', choose, torch.FloatTensor(rows, columns), x, y:contiguous() },
    { 'of two choices that begins anywhere', choose, atOddOffset(), x, x },
    { 'of comparisons', torch.gt, torch.ByteTensor(rows, columns), x, y:contiguous() },
    { 'of compared doubles', torch.le, torch.ByteTensor(rows, columns), x:double(), y:double() },
    { 'of a comparison with a row', torch.lt, torch.ByteTensor(rows, columns), x, x:narrow(1, 7, 1) },
    { 'of two choices among doubles', choose, torch.DoubleTensor(rows, columns), x:double(), x:double():mul(2) },
    { 'that is a copy', function(r, a) r:copy(a) end, torch.FloatTensor(rows, columns), x, x },
    { 'that is a copy and begins anywhere', function(r, a) r:copy(a) end, atOddOffset(), x, x },
    { 'that is one value', function(r) r:fill(7) end, torch.FloatTensor(rows, columns), x, x },
    { 'that is zero and begins anywhere', function(r) r:fill(7):zero() end, atOddOffset(), x, x },
    { 'that is a copy of columns', function(r, _, b) r:copy(b) end, torch.FloatTensor(rows, columns), x, y },
  }
  for _, case in ipairs(cases) do
    it(case[1] .. ' holds what its rows alone do', function() assertAlike(unpack(case, 2)) end)
  end

  it('in place of an operand holds the same', function()
    local changed = x:clone():add(x)
    assert.equal(0, torch.ne(changed, torch.mul(x, 2)):sum())
  end)
end)
