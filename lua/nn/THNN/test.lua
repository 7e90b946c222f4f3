--- nn.testTHNN: checks that kernels of nn.THNN compute the same as modules, run by torch.Tester.
-- @module nn.THNN.test
local torch = require 'torch'
local nn = require 'nn'

local names = { 'Abs', 'LogSoftMax', 'Sigmoid', 'SoftMax', 'Square', 'Tanh' }

local function check(tester, name)
  local module, x, g = nn[name]():double(), torch.randn(4, 3):double(), torch.randn(4, 3):double()
  local output, gradInput = x.new(), x.new()
  x.THNN[name .. '_updateOutput'](x:cdata(), output:cdata())
  tester:eq(output, module:forward(x), 1e-12, name .. ': output')
  x.THNN[name .. '_updateGradInput'](x:cdata(), g:cdata(), gradInput:cdata(), output:cdata())
  tester:eq(gradInput, module:backward(x, g), 1e-12, name .. ': gradInput')
end

--- Runs the checks.
-- @tparam[opt] {string,...} chosen names of modules; by default all
-- @treturn torch.Tester
return function(chosen)
  local tester, suite = torch.Tester(), torch.TestSuite()
  for _, name in ipairs(names) do suite[name] = function() check(tester, name) end end
  tester:add(suite)
  tester:run(chosen)
  return tester
end
