-- Results of 16 MB and more are written by streaming stores if their memory is aligned: they must equal those of short tensors.
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

  it('of short rows, whose memory lies apart or whose operand is broadcast, holds what its rows alone do', function()
    for _, m in ipairs { 17, 48, 1024, 1027 } do
      local n = math.ceil(16.1 * 2 ^ 20 / 4 / m)
      local source, column = numbers(n, m, 'Float'), numbers(n, 1, 'Float')
      local whole = torch.FloatTensor(n, m + 5):fill(-1)
      whole:narrow(2, 3, m):copy(source)
      local chosen = torch.where(torch.gt(source, 2000), source, column)
      local wrong, step = 0, math.ceil(n / 7)
      for i = 1, n, step do
        local k = math.min(step, n - i + 1)
        local part, value = source:narrow(1, i, k), column:narrow(1, i, k)
        wrong = wrong + torch.ne(whole:narrow(1, i, k):narrow(2, 3, m), part):sum()
        wrong = wrong + torch.ne(chosen:narrow(1, i, k), torch.where(torch.gt(part, 2000), part, value)):sum()
      end
      assert.equal(0, wrong)
      assert.equal(n * 5, torch.eq(whole, -1):sum())
    end
  end)

  it('in place of an operand holds the same', function()
    local changed = x:clone():add(x)
    assert.equal(0, torch.ne(changed, torch.mul(x, 2)):sum())
  end)
end)
