-- Polynomials by their coefficients, from the highest power down.
local torch = require 'torch'
local declare = require('torch.op').declare
local expect = require 'torch.check.expect'
local sizesOf = require('torch.check.message').sizes

declare {
  name = 'polyval', signature = '[res] p:tensor x:tensor|number', result = 'float', ulp = 64,
  precision = 'float32',
  doc = [[
The polynomial p[1] x^(n-1) + ... + p[n] at x, by Horner's rule, in the sizes of x; a number for a number. Errors: p is not a vector, or
empty.]],
  samples = '{randn(4), randn(2, 3)}, {randn(1), randn(3)}, {randn(3), 0.5}',
  forward = function(p, x)
    if p:dim() ~= 1 or p:nElement() == 0 then expect.shape('polyval', 'p', '%s, expected a vector of coefficients', sizesOf(p)) end
    local whole = not torch.isTensor(x)      -- a number, perhaps a complex one
    if whole then x = p.new(1):fill(1) * x end
    local function coefficient(k) return torch.expand(torch.narrow(p, 1, k, 1), x:nElement()) end
    local flat = torch.reshape(x, x:nElement())
    local y = torch.add(torch.mul(flat, 0), coefficient(1))
    for k = 2, p:nElement() do y = torch.add(torch.cmul(y, flat), coefficient(k)) end
    return whole and torch.sum(y) or torch.reshape(y, x:size())
  end,
}

declare {
  name = 'polyfit', signature = '[res] x:tensor y:tensor degree:int', result = 'float', ulp = 4096,
  precision = 'float32',
  doc = [[
The coefficients, from the highest power down, of the polynomial of a degree that fits the values y at the points x best in the least
squares sense: degree + 1; for a matrix y (points, k) those of each column. The powers of x are scaled to unit length. Errors: x is not a
vector, y has other sizes, fewer points than coefficients.]],
  samples = '{range(5), randn(5), 2}, {range(4), randn(4, 2), 1}, {range(3), randn(3), 2}, {range(4), randn(4), 0}',
  forward = function(x, y, degree)
    expect.dim('polyfit', 'x', x, 1, 'a vector of points')
    local n = x:nElement()
    if y:dim() > 2 or y:dim() == 0 or y:size(1) ~= n then
      expect.shape('polyfit', 'y', '%s, expected a value for each of the %d points', sizesOf(y), n)
    end
    if degree < 0 or degree >= n then
      expect.range('polyfit', 'degree', '%d, expected 0 to %d, one less than there are points', degree, n - 1)
    end
    local columns, column = {}, torch.add(torch.mul(x, 0), 1)
    for k = degree + 1, 1, -1 do
      columns[k] = torch.view(torch.contiguous(column), n, 1)
      column = torch.cmul(column, x)
    end
    local powers = torch.cat(columns, 2)
    local scale = torch.norm(powers, 2, 1)
    scale = torch.where(torch.eq(scale:detach(), 0), 1, scale)
    local b = y:dim() == 1 and torch.view(torch.contiguous(y), n, 1) or y
    local solution = torch.lstsq(torch.cdiv(powers, torch.expand(scale, powers:size())), b)
    local p = torch.cdiv(solution, torch.expand(torch.t(scale), solution:size()))
    return y:dim() == 1 and torch.view(torch.contiguous(p), degree + 1) or p
  end,
}

declare {
  name = 'roots', signature = '[res] p:tensor', result = 'float', ulp = 4096, differentiable = false,
  precision = 'float32',
  doc = [[
The roots of the polynomial p[1] x^(n-1) + ... + p[n], as eigenvalues of its companion matrix: (n - 1, 2), one root per row, real and
imaginary part, in ascending order of both. Leading zeros are ignored; a constant has no roots: (0, 2). Errors: p is not a vector, has NaN
or infinities, or is all zeros.]],
  samples = '{above(3)}, {range(4)}, {positive(2)}, {constant(2, 1)}',
  forward = function(p)
    expect.dim('roots', 'p', p, 1, 'a vector of coefficients')
    if p:isComplex() then
      expect.fail('roots', 'p', 'complex coefficients, expected real ones: torch.linalg.eigvals(torch.linalg.companion(p)) has the roots')
    end
    local list = p:totable()
    local first, last
    for i, v in ipairs(list) do
      if v ~= v or math.abs(v) == math.huge then expect.range('roots', 'p', '%g, expected finite coefficients', v) end
      if v ~= 0 then first, last = first or i, i end
    end
    if not first then expect.fail('roots', 'p', 'no coefficient other than 0, expected one at least') end
    local found, n = {}, last - first
    for _ = last + 1, #list do found[#found + 1] = { 0, 0 } end
    if n > 0 then
      local companion = torch.zeros(n, n):type(p:type())
      for k = 1, n do companion[1][k] = -list[first + k] / list[first] end
      for k = 2, n do companion[k][k - 1] = 1 end
      for _, root in ipairs(torch.eig(companion):totable()) do found[#found + 1] = root end
    end
    table.sort(found, function(a, b) return a[1] < b[1] or a[1] == b[1] and a[2] < b[2] end)
    local result = p.new(#found, 2)
    for i, root in ipairs(found) do result[i][1], result[i][2] = root[1] + 0, root[2] + 0 end      -- avoids -0
    return result
  end,
}
