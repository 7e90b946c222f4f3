-- Matrix products on an emulated GPU, for cases that the small samples of the sweeps don't cover. Elements are small whole numbers, whose
-- sums are exact.
local torch = require 'torch'
local assertClose = require('spec.support.close').assertClose
local integers = require('spec.support.layers').integers


describe('matrix products on an emulated GPU:', function()
  local cuda = 'cuda:1'
  torch.loadDevice(require('spec.support.gpu').path)

  --- a b by its definition.
  local function product(a, b)
    a, b = a:double(), b:double()
    local c = torch.zeros(a:size(1), b:size(2))
    for i = 1, a:size(1) do
      for j = 1, b:size(2) do
        for k = 1, a:size(2) do c[i][j] = c[i][j] + a[i][k] * b[k][j] end
      end
    end
    return c
  end
  --- A view of the same numbers with no stride of 1.
  local function spread(x)
    local wide = torch.zeros(x:size(1), x:size(2), 2):type(x:type()):to(cuda)
    wide:select(3, 2):copy(x)
    return wide:select(3, 2)
  end

  for _, dtype in ipairs { 'torch.FloatTensor', 'torch.DoubleTensor', 'torch.HalfTensor', 'torch.BFloat16Tensor', 'torch.IntTensor' } do
    it('operands and results of any strides, ' .. dtype, function()
      local a, b = integers(3, dtype, 5, 7), integers(3, dtype, 7, 3)
      local expected = product(a, b)
      local views = {
        function(x) return x:to(cuda) end,
        function(x) return x:t():contiguous():to(cuda):t() end,
        spread,
      }
      for _, left in ipairs(views) do
        for _, right in ipairs(views) do
          assertClose(expected, torch.mm(left(a), right(b)))
          for _, out in ipairs(views) do
            local res = out(torch.zeros(5, 3):type(dtype))
            torch.mm(res, left(a), right(b))
            assertClose(expected, res)
            torch.addmm(res, 2, res, -1, left(a), right(b))
            assertClose(expected, res)
          end
        end
      end
    end)
  end

  it('a repeated row or column is read where it is', function()
    local row = integers(3, 'torch.FloatTensor', 1, 4)
    local rows = row:expand(3, 4)
    local repeated = row:to(cuda):expand(3, 4)
    local b = integers(3, 'torch.FloatTensor', 4, 2)
    assertClose(product(rows, b), torch.mm(repeated, b:to(cuda)))
    assertClose(product(b:t(), rows:t()), torch.mm(b:to(cuda):t(), repeated:t()))
  end)

  it('batches of two dimensions that no one step leads through', function()
    local x, y = integers(3, 'torch.FloatTensor', 2, 5, 3, 4), integers(3, 'torch.FloatTensor', 2, 4, 3, 5)
    local z = torch.matmul(x:to(cuda):transpose(2, 3), y:to(cuda):transpose(2, 3))
    assert.same({ 2, 3, 5, 5 }, z:size():totable())
    for i = 1, 2 do
      for j = 1, 3 do assertClose(product(x[i]:select(2, j), y[i]:select(2, j)), z[i][j]) end
    end
  end)

  it('a bias at any address', function()
    local x, weight = integers(3, 'torch.FloatTensor', 6, 4), integers(3, 'torch.FloatTensor', 5, 4)
    local biases = integers(3, 'torch.FloatTensor', 8)
    local expected = product(x, weight:t())
    for first = 1, 4 do
      local bias = biases:narrow(1, first, 5)
      assertClose(expected + bias:double():view(1, 5):expand(6, 5),
        torch.linear(x:to(cuda), weight:to(cuda), biases:to(cuda):narrow(1, first, 5)))
    end
  end)

  it('nothing is read that a factor of 0 stands before', function()
    local nan = torch.FloatTensor(3, 3):fill(0 / 0):to(cuda)
    local m, a = integers(3, 'torch.FloatTensor', 3, 3), integers(3, 'torch.FloatTensor', 3, 3)
    assertClose(m * 2, torch.addmm(2, m:to(cuda), 0, nan, nan))
    assertClose(product(a, a), torch.addmm(0, nan, 1, a:to(cuda), a:to(cuda)))
    assertClose(torch.zeros(3, 3), torch.addmm(0, nan, 0, nan, nan))
    assertClose(m, torch.addmm(m:to(cuda), torch.FloatTensor(3, 0):to(cuda), torch.FloatTensor(0, 3):to(cuda)))
  end)

  it('16-bit floats are summed in float32', function()
    for _, dtype in ipairs { 'torch.HalfTensor', 'torch.BFloat16Tensor' } do
      local ones = torch.ones(1, 4096):type(dtype):to(cuda)
      assertClose(torch.DoubleTensor { { 4096 } }, torch.mm(ones, ones:t()))
    end
  end)

  it('integers wrap, in matrices of several tiles', function()
    local a, b = integers(3, 'torch.DoubleTensor', 33, 70) * 40 + 120, integers(3, 'torch.DoubleTensor', 70, 65) * 40 + 120
    local expected = product(a, b)
    assertClose(expected - torch.floor(expected / 256) * 256, torch.mm(a:byte():to(cuda), b:byte():to(cuda)))
    local large = torch.LongTensor(2, 2):fill(2 ^ 62):to(cuda)
    assertClose(torch.zeros(2, 2), torch.mm(large, large))
  end)

  it('dot sums float32 in float64', function()
    local x = torch.FloatTensor(100001):fill(1)
    x[1] = 2 ^ 25
    x[2] = -2 ^ 25
    local ones = torch.FloatTensor(100001):fill(1):to(cuda)
    assert.equal(99999, torch.dot(x:to(cuda), ones))
  end)
end)
