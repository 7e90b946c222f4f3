-- Group A: the cost of one operation on 10 floats apart from its arithmetic.
local measure = require 'measure'

local SETUP = [[
local torch, nn, optim = require 'torch', require 'nn', require 'optim'
local x, y, z = torch.randn(10), torch.randn(10) * 0.01, torch.FloatTensor(10)
local m, a, b = torch.randn(10, 10), torch.randn(2, 2), torch.randn(2, 2)
local r = 0
]]

local function A(name, body, setup) measure.statement('A.' .. name, SETUP .. (setup or ''), body) end

local CHAIN = [[
local t = x + y; t = torch.cmul(t, x); t = t - y; t = torch.tanh(t); t = torch.cmul(t, t)
t = t + x; t = torch.sigmoid(t); t = torch.cmul(t, y); t = torch.relu(t); t = t:sum()
]]
local LINEAR = 'local l, v = nn.Linear(10, 10), torch.randn(1, 10)\n'
local PARAMETERS = [[
local ps = {}
for i = 1, 10 do
  ps[i] = torch.randn(10):requiresGrad()
  ps[i].grad = torch.randn(10) * 1e-3
end
]]

A('loop', '')
A('add_inplace', 'x:add(y)')
A('add_out', 'torch.add(z, x, y)')
A('add_new', 'r = x + y')
A('mul_scalar', 'r = x * 1.5')
A('view', 'r = x:view(2, 5)')
A('narrow', 'r = x:narrow(1, 3, 5)')
A('select', 'r = m:select(1, 4)')
A('slice', 'r = x[{{3, 7}}]')
A('transpose', 'r = m:t()')
-- Element access is compiled: with a fixed index the compiler would move it out of the loop.
A('get', 'r = r + x[i % 8 + 1]')
A('set', 'x[i % 8 + 1] = 1')
A('sum_item', 'r = x:sum()')
A('mm2', 'r = torch.mm(a, b)')
A('empty', 'r = torch.FloatTensor(10)')
A('zeros', 'r = torch.zeros(10)')
A('chain10', CHAIN .. 'r = t')
A('chain10_grad', 'x.grad = nil; y.grad = nil\n' .. CHAIN .. 't:backward()', 'x:requiresGrad(); y:requiresGrad()')
A('linear', 'r = l(v)', LINEAR .. 'l:requiresGrad()')
A('linear@legacy', 'r = l:forward(v)', LINEAR)
A('linear_grad', 'l.weight.grad = nil; l.bias.grad = nil\nl(v):sum():backward()', LINEAR .. 'l:requiresGrad()')
A('linear_grad@legacy', 'l:zeroGradParameters()\nr = l:forward(v):sum()\nl:backward(v, g)', LINEAR .. 'local g = torch.ones(1, 10)')
-- The cost of a module's derived backward, compared with the same ops written by hand.
A('backward_derived', 'l:backward(v, g)', LINEAR .. 'local g = torch.ones(1, 10)\nl:forward(v)')
A('backward_by_hand', [[
gx:mm(g, l.weight)
l.gradWeight:addmm(1, g:t(), v)
l.gradBias:addmv(1, g:t(), ones)]], LINEAR .. 'local g, gx, ones = torch.ones(1, 10), torch.FloatTensor(), torch.ones(1)')
A('sgd', 'o:step()', PARAMETERS .. 'local o = optim.SGD(ps, { learningRate = 1e-4, momentum = 0.9, dampening = 0 })')
A('adam', 'o:step()', PARAMETERS .. 'local o = optim.Adam(ps, { learningRate = 1e-4 })')
