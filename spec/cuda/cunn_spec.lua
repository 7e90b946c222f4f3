-- Networks on the emulated GPUs: conversions, nn.GPU and nn.DataParallelTable, beside the CPU's.
if not require 'spec.support.with_cuda' then return end
local torch = require 'torch'
require 'cunn'
local nn = require 'nn'

local function near(expected, actual, tolerance)
  assert.same(expected:size():totable(), actual:size():totable())
  local difference = (expected:double() - actual:double()):abs():max()
  assert.is_true(difference <= (tolerance or 1e-5), 'they differ by ' .. difference)
end

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
    near(here:forward(x), y:float())
    near(here:backward(x, g), net:backward(x:cuda(), g:cuda()):float())
    local _, gradients = net:getParameters()
    local _, expected = here:getParameters()
    near(expected, gradients:float())
    near(here:forward(x), net:clearState():float():forward(x), 0)
  end)

  it('has its loss from a criterion there', function()
    local criterion, target = nn.MSECriterion():cuda(), torch.rand(7, 3):float()
    local y = mlp():forward(x)
    near(torch.Tensor { nn.MSECriterion():float():forward(y, target) }, torch.Tensor { criterion:forward(y:cuda(), target:cuda()) })
    near(nn.MSECriterion():float():backward(y, target), criterion:backward(y:cuda(), target:cuda()):float())
  end)

  it('is saved there and read back', function()
    local net = mlp():cuda()
    local copy = torch.deserialize(torch.serialize(net))
    assert.equal('torch.CudaTensor', copy:type())
    near(net:forward(x:cuda()):float(), copy:forward(x:cuda()):float(), 0)
    assert.is_not_nil(torch.getmetatable('torch.CudaTensor').THNN)
  end)
end)

describe('nn.GPU', function()
  it('runs a module on its device, and brings the output to another', function()
    local net, here = nn.Sequential():add(nn.GPU(mlp(), 2, 1)):add(nn.Tanh()):cuda(), nn.Sequential():add(mlp()):add(nn.Tanh()):float()
    assert.equal('cuda:2', net:get(1):get(1):get(1).weight:device())
    local y = net:forward(x:cuda())
    assert.equal('cuda:1', y:device())
    near(here:forward(x), y:float())
    local gradient = net:backward(x:cuda(), g:cuda())
    assert.equal('cuda:1', gradient:device())
    near(here:backward(x, g), gradient:float())
    net:float()
    assert.equal('cpu', net:get(1):get(1):get(1).weight:device())
    near(here:forward(x), net:forward(x), 0)
  end)

  it('takes tables', function()
    local net = nn.GPU(nn.CAddTable(), 2):cuda()
    local sum = net:forward { x:cuda(), x:cuda() }
    assert.equal('cuda:2', sum:device())
    near(torch.mul(x, 2), sum:float(), 0)
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
        near(here:forward(x), net:forward(x:cuda()):float())
        near(here:backward(x, g), net:backward(x:cuda(), g:cuda()):float())
        near(hereGradients, gradients:float())
        parameters:add(-0.1, gradients)
        hereParameters:add(-0.1, hereGradients)
      end
      net:updateParameters(0.1)
      here:updateParameters(0.1)
      near(here:forward(x), net:forward(x:cuda()):float())
      near(here:updateGradInput(x, g), net:updateGradInput(x:cuda(), g:cuda()):float())
      net:accGradParameters(x:cuda(), g:cuda(), 0.5)
      here:accGradParameters(x, g, 0.5)
      near(hereGradients, gradients:float())
    end)
  end

  it('uses as many devices as a batch has parts', function()
    local net, here = both()
    near(here:forward(x:narrow(1, 1, 1)), net:forward(x:narrow(1, 1, 1):cuda()):float())
    near(here:forward(x), net:forward(x:cuda()):float())
  end)

  it('splits tables, and joins them', function()
    local net = nn.DataParallelTable(1):add(nn.ParallelTable():add(nn.Identity()):add(nn.Mul()), { 1, 2 }):cuda()
    local y = net:forward { x:cuda(), g:cuda() }
    near(x, y[1]:float(), 0)
    assert.same({ 7, 3 }, y[2]:size():totable())
    local back = net:backward({ x:cuda(), g:cuda() }, { x:cuda(), g:cuda() })
    near(x, back[1]:float(), 0)
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
    near(y, copy:forward(x:cuda()):float(), 0)
    near(y, net:clone():forward(x:cuda()):float(), 0)
    assert.is_true(#text < 1.5 * #torch.serialize(net:get(1)))
    near(y, copy:get(1):clearState():float():forward(x))
  end)

  it('refuses what Torch7 refused', function()
    assert.error_matches(function() nn.DataParallelTable() end, 'must specify a dimension!')
    assert.error_matches(function() nn.DataParallelTable(1, false, true) end, 'cannot use nccl without flattenParams')
    assert.error_matches(function() nn.DataParallelTable(1):add(mlp(), 'a') end, 'table of GPU IDs required')
    assert.error_matches(function() both():add(mlp(), { 1 }) end, 'add should only be called once with a table of GPU assignments')
    assert.error_matches(function() both():float() end, 'DataParallelTable supports only torch.CudaHalfTensor or')
    assert.error_matches(function() nn.DataParallelTable(1):add(mlp(), { 3 }) end, 'a number from 1 to 2')
    assert.error_matches(function() nn.DataParallelTable(1):add(mlp(), { 1 }):forward(x:cuda()) end, 'cuda%(%) was expected before')
  end)
end)
