-- randomkit: NumPy's values after the same seed, the forms of calls, states of the generator, errors.
local torch, randomkit = require 'torch', require 'randomkit'

describe("a sampler draws NumPy's numbers:", function()
  for _, row in ipairs(require 'spec.randomkit.figures') do
    it(('%s(%s)'):format(row[1], table.concat(row[2], ', ')), function()
      torch.manualSeed(123)
      for i, wanted in ipairs(row[3]) do
        local got = randomkit[row[1]](unpack(row[2]))
        assert.is_true(math.abs(got - wanted) <= 1e-12 * math.abs(wanted), ('number %d: %.17g, expected %.17g'):format(i, got, wanted))
      end
    end)
  end
end)

describe('a sampler', function()
  it('fills a tensor of any type and sizes', function()
    torch.manualSeed(5)
    local x = torch.FloatTensor(3, 2)
    assert.equal(x, randomkit.poisson(x, 5))
    torch.manualSeed(5)
    for i = 1, 6 do assert.equal(randomkit.poisson(5), x:view(-1)[i]) end
    assert.same({ 3, 2 }, randomkit.gauss(torch.Tensor(3, 2)):size():totable())
    assert.equal(0, randomkit.gauss(torch.Tensor()):nElement())
  end)

  it('takes parameters from tensors', function()
    torch.manualSeed(5)
    local y = randomkit.normal(torch.FloatTensor { { 1, 2 }, { 3, 4 } }, torch.Tensor { 2 })
    assert.equal('torch.DoubleTensor', y:type())
    assert.same({ 4 }, y:size():totable())
    torch.manualSeed(5)
    for i = 1, 4 do assert.equal(randomkit.normal(i, 2), y[i]) end
    assert.equal('torch.IntTensor', randomkit.randint(torch.Tensor { 1, 2 }, 9):type())
  end)

  it('draws whole numbers from the whole range', function()
    torch.manualSeed(5)
    local seen = {}
    for _ = 1, 200 do seen[randomkit.randint(2, 5)] = true end
    assert.same({ [2] = true, [3] = true, [4] = true, [5] = true }, seen)
    torch.manualSeed(6)
    assert.equal(0, randomkit.interval(0))      -- without a draw
    assert.equal(2, randomkit.randint(2, 2))
    local following = randomkit.double()
    torch.manualSeed(6)
    assert.equal(following, randomkit.double())
    assert.is_true(randomkit.interval(2 ^ 50) <= 2 ^ 50)
    assert.is_true(randomkit.long() < 2 ^ 63)
    local bytes = randomkit.bytes(torch.ByteTensor(7))
    torch.manualSeed(123)
    randomkit.bytes(bytes)
    torch.manualSeed(123)
    assert.equal(randomkit.random(), bytes[1] + 256 * (bytes[2] + 256 * (bytes[3] + 256 * bytes[4])))
  end)

  it('gives NaN for parameters outside its domain, and ends', function()
    local calls = {
      standard_gamma = { -1 }, poisson = { -1 },
      beta = { 0, 1 }, geometric = { 0 }, zipf = { 1 }, logseries = { 1 }, binomial = { 3, 2 },
      hypergeometric = { 1, 2, 4 }, vonmises = { 0, math.huge }, chisquare = { -2 }, negative_binomial = { -1, 0.5 },
    }
    for name, parameters in pairs(calls) do
      local value = randomkit[name](unpack(parameters))
      assert.is_true(value ~= value, name)
      for i in ipairs(parameters) do parameters[i] = 0 / 0 end
      value = randomkit[name](unpack(parameters))
      assert.is_true(value ~= value, name)
    end
  end)

  it('refuses other calls', function()
    local cases = {
      ['need 1 arguments and optionally, one result tensor, instead got 3 arguments'] = function() randomkit.poisson(1, 2, 3) end,
      ['Bad randomkit call %- argument 2 is nil when calling'] = function() randomkit.normal(1, nil) end,
      ['randomkit.poisson: lam: a string, expected a number or a tensor'] = function() randomkit.poisson 'x' end,
      ['Incoherent sizes for parameters'] = function() randomkit.normal(torch.ones(2), torch.ones(3)) end,
      ['Parameter size %(2%) does not match result size %(3%)'] = function() randomkit.poisson(torch.Tensor(3), torch.ones(2)) end,
      ['result: a number, expected a tensor'] = function() randomkit.poisson(1, 2) end,
      ['result: not contiguous'] = function() randomkit.poisson(torch.Tensor(2, 2):t(), 2) end,
      ['randomkit.bytes: result: a torch.DoubleTensor, expected'] = function() randomkit.bytes(torch.Tensor(2)) end,
      ['State was not saved with randomkit'] = function() torch.setRNGState {} end,
    }
    for message, f in pairs(cases) do assert.error_matches(f, message) end
  end)
end)

it('the state has the kept normal number; a seed forgets it', function()
  torch.manualSeed(7)
  randomkit.gauss()
  local state = torch.getRNGState()
  local a, b = randomkit.gauss(), randomkit.gauss()
  torch.setRNGState(state)
  assert.same({ a, b }, { randomkit.gauss(), randomkit.gauss() })
  torch.manualSeed(7)
  randomkit.gauss()
  torch.manualSeed(7)
  local first = randomkit.gauss()
  torch.setRNGState(state.torch)      -- without a kept number
  assert.are_not.equal(a, randomkit.gauss())
  torch.manualSeed(7)
  assert.equal(first, randomkit.gauss())
  local generator = torch.Generator()
  assert.is_true(torch.isTensor(torch.getRNGState(generator)))
  torch.setRNGState(generator, torch.getRNGState(generator))
end)
