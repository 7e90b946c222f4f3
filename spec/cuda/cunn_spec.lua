-- Networks on the emulated GPUs: conversions, nn.GPU and nn.DataParallelTable, compared with the CPU's.
if not require 'spec.support.with_cuda' then return end
local torch = require 'torch'
require 'cunn'
local nn = require 'nn'
local assertClose = require('spec.support.close').within(1e-5)

local function mlp()
  torch.manualSeed(1)
  return nn.Sequential():add(nn.Linear(5, 4)):add(nn.Tanh()):add(nn.Linear(4, 3)):float()
end
local x, g = torch.rand(7, 5):float(), torch.rand(7, 3):float()

describe('a network', function()
  it('runs on CUDA after cuda(), and on the CPU after float()', function()
    local net, here = mlp():cuda(), mlp()
    assert.equal('torch.CudaTensor', net:type())
    local y = net:forward(x:cuda())
    assert.equal('torch.CudaTensor', y:type())
    assertClose(here:forward(x), y:float())
    assertClose(here:backward(x, g), net:backward(x:cuda(), g:cuda()):float())
    local _, gradients = net:getParameters()
    local _, expected = here:getParameters()
    assertClose(expected, gradients:float())
    assertClose(here:forward(x), net:clearState():float():forward(x), 0)
  end)

  it('has its loss from a criterion there', function()
    local criterion, target = nn.MSECriterion():cuda(), torch.rand(7, 3):float()
    local y = mlp():forward(x)
    assertClose(torch.Tensor { nn.MSECriterion():float():forward(y, target) }, torch.Tensor { criterion:forward(y:cuda(), target:cuda()) })
    assertClose(nn.MSECriterion():float():backward(y, target), criterion:backward(y:cuda(), target:cuda()):float())
  end)

  it('is saved there and read back', function()
    local net = mlp():cuda()
    local copy = torch.deserialize(torch.serialize(net))
    assert.equal('torch.CudaTensor', copy:type())
    assertClose(net:forward(x:cuda()):float(), copy:forward(x:cuda()):float(), 0)
    assert.is_not_nil(torch.getmetatable('torch.CudaTensor').THNN)
  end)
end)

describe('nn.GPU', function()
  it('runs a module on its device, and brings the output to another', function()
    local net, here = nn.Sequential():add(nn.GPU(mlp(), 2, 1)):add(nn.Tanh()):cuda(), nn.Sequential():add(mlp()):add(nn.Tanh()):float()
    assert.equal('cuda:2', net:get(1):get(1):get(1).weight:device())
    local y = net:forward(x:cuda())
    assert.equal('cuda:1', y:device())
    assertClose(here:forward(x), y:float())
    local gradient = net:backward(x:cuda(), g:cuda())
    assert.equal('cuda:1', gradient:device())
    assertClose(here:backward(x, g), gradient:float())
    net:float()
    assert.equal('cpu', net:get(1):get(1):get(1).weight:device())
    assertClose(here:forward(x), net:forward(x), 0)
  end)

  it('takes tables', function()
    local net = nn.GPU(nn.CAddTable(), 2):cuda()
    local sum = net:forward { x:cuda(), x:cuda() }
    assert.equal('cuda:2', sum:device())
    assertClose(torch.mul(x, 2), sum:float(), 0)
    assert.equal('cuda:1', net:backward({ x:cuda(), x:cuda() }, sum)[1]:device())
  end)
end)

describe('nn.DataParallelTable', function()
  local function both(flatten)
    return nn.DataParallelTable(1, flatten):add(mlp(), { 1, 2 }):cuda(), mlp()
  end

  for _, flatten in ipairs { false, true } do
    it('computes what the module does' .. (flatten and ', with flat parameters' or ''), function()
      local net, here = both(flatten)
      local parameters, gradients = net:getParameters()
      local hereParameters, hereGradients = here:getParameters()
      for _ = 1, 3 do
        net:zeroGradParameters()
        here:zeroGradParameters()
        assertClose(here:forward(x), net:forward(x:cuda()):float())
        assertClose(here:backward(x, g), net:backward(x:cuda(), g:cuda()):float())
        assertClose(hereGradients, gradients:float())
        parameters:add(-0.1, gradients)
        hereParameters:add(-0.1, hereGradients)
      end
      net:updateParameters(0.1)
      here:updateParameters(0.1)
      assertClose(here:forward(x), net:forward(x:cuda()):float())
      assertClose(here:updateGradInput(x, g), net:updateGradInput(x:cuda(), g:cuda()):float())
      net:accGradParameters(x:cuda(), g:cuda(), 0.5)
      here:accGradParameters(x, g, 0.5)
      assertClose(hereGradients, gradients:float())
    end)
  end

  it('sums by NCCL as by copies, bit by bit', function()
    local nccl = require 'torch.cuda.nccl'
    if nccl.problem() then return end
    local function trained(usenccl, batch, gradient)
      local net = nn.DataParallelTable(1, true, usenccl):add(mlp(), { 1, 2 }):cuda()
      local parameters, gradients = net:getParameters()
      for _ = 1, 3 do
        net:forward(batch)
        net:backward(batch, gradient)
        parameters:add(-0.1, gradients)
      end
      net:forward(batch)
      return parameters:float(), gradients:float(), net._replicas[2]:getParameters():float(), net.flattenedParams[2][2]:float()
    end
    local calls = spy.on(nccl, 'run')
    for n = 1, 7, 6 do      -- one replica works, or both
      local batch, gradient = x:narrow(1, 1, n):cuda(), g:narrow(1, 1, n):cuda()
      local expected, actual = { trained(false, batch, gradient) }, { trained(true, batch, gradient) }
      for i = 1, 4 do assert.same(expected[i]:totable(), actual[i]:totable()) end
      assert.same(actual[1]:totable(), actual[3]:totable())
    end
    calls:revert()
    assert.spy(calls).was_called(1 + 3 + 4 + 3)      -- copies of changed parameters, and sums
  end)

  it('copies without NCCL', function()
    local program = [[
      require 'cunn'
      local nn = require 'nn'
      local net = nn.DataParallelTable(1, true, true):add(nn.Linear(3, 2), { 1, 2 }):cuda()
      local parameters, gradients = net:getParameters()
      parameters:fill(1)
      local y = net:forward(torch.ones(4, 3):cuda())
      net:backward(torch.ones(4, 3):cuda(), y)
      io.write(gradients:sum())]]
    local run = require('spec.support.emulated_cuda').run
    for _, variables in ipairs { 'MOONTORCH_EMULATED_NCCL=0', 'MOONTORCH_EMULATED_NCCL=1' } do
      assert.equal('128', run(program, variables))      -- outputs of 4, of 4 examples, by 2 biases and 6 weights
    end
  end)

  it('uses as many devices as a batch has parts', function()
    local net, here = both()
    assertClose(here:forward(x:narrow(1, 1, 1)), net:forward(x:narrow(1, 1, 1):cuda()):float())
    assertClose(here:forward(x), net:forward(x:cuda()):float())
  end)

  it('splits tables, and joins them', function()
    local net = nn.DataParallelTable(1):add(nn.ParallelTable():add(nn.Identity()):add(nn.Mul()), { 1, 2 }):cuda()
    local y = net:forward { x:cuda(), g:cuda() }
    assertClose(x, y[1]:float(), 0)
    assert.same({ 7, 3 }, y[2]:size():totable())
    local back = net:backward({ x:cuda(), g:cuda() }, { x:cuda(), g:cuda() })
    assertClose(x, back[1]:float(), 0)
  end)

  it('leaves gradInput out where it is nil', function()
    local net = both()
    net.gradInput = nil
    net:forward(x:cuda())
    assert.is_nil(net:backward(x:cuda(), g:cuda()))
  end)

  it('tells its module, and goes through all replicas', function()
    local net = both()
    net:forward(x:cuda())
    net:evaluate()
    assert.is_false(net:get(1).train)
    assert.equal(1, #net:findModules 'nn.Tanh')
    assert.matches('^DataParallelTable: 2 x nn.Sequential', tostring(net))
    local called = false
    assert.equal(net, net:threads(function() called = true end))
    assert.is_true(called)
  end)

  it('has one replica and its devices in files', function()
    local net = both()
    local y = net:forward(x:cuda()):float()
    local text = torch.serialize(net)
    local copy = torch.deserialize(text)
    assert.same({ 1, 2 }, copy.gpuAssignments)
    assertClose(y, copy:forward(x:cuda()):float(), 0)
    assertClose(y, net:clone():forward(x:cuda()):float(), 0)
    assert.is_true(#text < 1.5 * #torch.serialize(net:get(1)))
    assertClose(y, copy:get(1):clearState():float():forward(x))
  end)

  it('refuses what Torch7 refused', function()
    assert.error_matches(function() nn.DataParallelTable() end, 'must specify a dimension!')
    assert.error_matches(function() nn.DataParallelTable(1, false, true) end, 'cannot use nccl without flattenParams')
    assert.error_matches(function() nn.DataParallelTable(1):add(mlp(), 'a') end, 'table of GPU IDs required')
    assert.error_matches(function() both():add(mlp(), { 1 }) end, 'add should only be called once with a table of GPU assignments')
    assert.error_matches(function() both():float() end, 'DataParallelTable supports only torch.CudaHalfTensor or')
    assert.error_matches(function() nn.DataParallelTable(1):add(mlp(), { 3 }) end, 'a number from 1 to 2')
    assert.error_matches(function() nn.DataParallelTable(1):add(mlp(), { 1 }):forward(x:cuda()) end, 'expected cuda%(%) before')
  end)
end)
