--- torch.test: a quick check of an installation, with one test per family of functions.
-- Expected values are closed forms. The project's specs test far more.
-- @module torch.start.self_test
local torch = require 'torch'

local suite, tester = torch.TestSuite(), nil

local types = { 'torch.ByteTensor', 'torch.IntTensor', 'torch.LongTensor', 'torch.FloatTensor', 'torch.DoubleTensor' }

function suite.views()
  local x = torch.range(1, 24):view(2, 3, 4)
  tester:eq(x[{ 2, 3, 4 }], 24)
  tester:eq(x:transpose(1, 3):size():totable(), { 4, 3, 2 })
  tester:eq(x:narrow(3, 2, 2):sum(), 12 * 12.5)
  x:select(2, 1):fill(0)
  tester:eq(x:sum(), 300 - (1 + 2 + 3 + 4 + 13 + 14 + 15 + 16))
end

function suite.arithmetic()
  for _, name in ipairs(types) do
    local x = torch.range(1, 10):type(name)
    tester:eq((x + x):sum(), 110, name)
    tester:eq(torch.cmul(x, x):type(), name)
    tester:eq(torch.cmul(x, x):double():sum(), 385, name)
  end
end

function suite.elementary()
  local x = torch.linspace(-2, 2, 1001)
  local sine, cosine = torch.sin(x), torch.cos(x)
  tester:assertTensorEq(torch.cmul(sine, sine) + torch.cmul(cosine, cosine), torch.ones(1001), 1e-15)
  tester:assertTensorEq(torch.log(torch.exp(x)), x, 1e-15)
  tester:assertTensorEq(torch.tanh(x), torch.sigmoid(x * 2) * 2 - 1, 1e-15)
end

function suite.reductions()
  local x = torch.range(1, 12):view(3, 4)
  tester:eq(x:sum(), 78)
  tester:eq(x:mean(1), torch.Tensor { { 5, 6, 7, 8 } })
  tester:eq(x:var(), 13)
  local values, places = x:max(2)
  tester:eq(values, torch.Tensor { { 4 }, { 8 }, { 12 } })
  tester:eq(places, torch.LongTensor(3, 1):fill(4))
end

function suite.order()
  local x = torch.randperm(1000)
  local sorted, places = x:sort()
  tester:eq(sorted, torch.range(1, 1000))
  tester:eq(x:index(1, places), sorted)
end

function suite.products()
  local a, b = torch.randn(40, 50), torch.randn(50, 30)
  tester:assertTensorEq((a * b):t(), b:t() * a:t(), 1e-12)
  tester:eq(torch.eye(40) * a, a)
end

function suite.random()
  torch.manualSeed(123)
  tester:eq({ torch.random(), torch.random(), torch.random() }, { 2991312382, 3062119789, 1228959102 })
  tester:assertalmosteq(torch.randn(100000):mean(), 0, 0.02)
end

function suite.files()
  local object = { torch.randn(3, 4), name = 'x', inner = { true, 1.5 } }
  tester:eq(torch.deserialize(torch.serialize(object)), object)
  tester:eq(torch.deserialize(torch.serialize(object, 'ascii'), 'ascii'), object, 1e-15)
end

function suite.gradients()
  if not require 'torch.extensions'.get 'tape' then return end      -- its package is a separate rock
  local x = torch.range(1, 5):requiresGrad()
  torch.cmul(x, x):sum():backward()
  tester:eq(x.grad, torch.range(1, 5) * 2)
end

--- Runs the tests and prints a report.
-- @tparam[opt] string|{string,...} names as for torch.Tester's run
-- @treturn int 0
-- @raise after the report, if a test failed
return function(names)
  local state, default = torch.getRNGState(), torch.getdefaulttensortype()
  torch.setdefaulttensortype 'torch.DoubleTensor'
  tester = torch.Tester():add(suite)
  local good, result = pcall(tester.run, tester, names)
  torch.setRNGState(state)
  torch.setdefaulttensortype(default)
  if not good then error(result, 2) end
  return result
end
