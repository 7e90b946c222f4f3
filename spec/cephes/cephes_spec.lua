-- cephes: SciPy's figures, with numbers and with tensors, results, errors.
local torch, cephes = require 'torch', require 'cephes'
local figures = require 'spec.cephes.figures'

for _, row in ipairs(figures) do
  it(('%s(%s)'):format(row[1], table.concat(row, ', ', 2, #row - 1)), function()
    local arguments, wanted, wide = { unpack(row, 2, #row - 1) }, row[#row], {}
    local function near(got)
      assert.is_true(math.abs(got - wanted) <= 2e-13 * math.abs(wanted), ('%.17g, expected %.17g'):format(got, wanted))
    end
    near(cephes[row[1]](unpack(arguments)))
    for i, x in ipairs(arguments) do wide[i] = i == 1 and torch.DoubleTensor { { x }, { x } } or x end
    local y = cephes[row[1]](unpack(wide))
    assert.same({ 2 }, y:size():totable())
    near(y[2])
    local result = torch.DoubleTensor(2, 1)
    assert.equal(result, cephes[row[1]](result, unpack(wide)))
    near(result[2][1])
  end)
end

it('calls have the forms of the package', function()
  assert.equal('torch.DoubleTensor', cephes.ndtr(torch.IntTensor { 0, 1 }):type())
  assert.same({ cephes.igam(1, 2), cephes.igam(3, 2) }, cephes.igam(torch.FloatTensor { 1, 3 }, torch.Tensor { 2 }):totable())
  assert.equal(0, cephes.erf(torch.Tensor()):nElement())
  assert.same({ cephes.erf(1), cephes.erf(1) }, cephes.erf(torch.Tensor(2), torch.Tensor { 1 }):totable())
  assert.error_matches(function() cephes.erf(torch.Tensor(3), torch.ones(2)) end, 'Parameter size %(2%) does not match result size %(3%)')
  assert.equal(24, cephes.fac(4))
  assert.is_true(cephes.isnan(cephes.nan) and cephes.isnan(cephes.ndtri(2)) and cephes.isnan(cephes.gamma(-1)))
  assert.is_true(cephes.isinf(-math.huge) and not cephes.isfinite(math.huge) and cephes.isfinite(1) and not cephes.isinf(1))
  local cases = {
    ['need 2 arguments and optionally, one result tensor, instead got 1 arguments'] = function() cephes.igam(1) end,
    ['Bad cephes call %- argument 2 is nil'] = function() cephes.igam(1, nil) end,
    ['Incoherent sizes for parameters: 2 and 3 elements'] = function() cephes.igam(torch.ones(2), torch.ones(3)) end,
    ['^meta: tensor: it has sizes alone'] = function() cephes.sin(torch.ones(3):to 'meta') end,
    ['cephes.erf: x: a string, expected a number or a tensor'] = function() cephes.erf 'x' end,
    ['cephes.isnan: x: a string, expected a number'] = function() cephes.isnan 'x' end,
  }
  for message, f in pairs(cases) do assert.error_matches(f, message) end
end)
