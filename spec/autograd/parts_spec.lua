-- Parts of networks as functions (autograd.module). Truth: the formulas, in plain Lua.
local torch, autograd = require 'torch', require 'autograd'
local assertClose = require('spec.support.close').within(1e-10)

describe('LayerNormalization', function()
  it('takes a vector as it takes rows', function()
    local f, params = autograd.module.LayerNormalization { nOutputs = 2 }
    assertClose({ 1, -1 }, f(params, torch.DoubleTensor { 5, 1 }, 0))
    assertClose({ { 1, -1 }, { -1, 1 } }, f(params, torch.DoubleTensor { { 5, 1 }, { 2, 8 } }, 0))
    local x = torch.DoubleTensor { 3, 1 }
    local g = autograd(function(p) return torch.sum(torch.cmul(f(p, x, 0), torch.DoubleTensor { 2, 5 })) end)(params)
    assertClose({ { 2, -5 } }, g[1].gain)
    assertClose({ { 2, 5 } }, g[1].bias)
  end)
end)

describe('SoftAttention', function()
  local f, params = autograd.module.SoftAttention { hiddenFeatures = 2, subjectFeatures = 3, subjectChoices = 4 }
  local subjects, h = torch.randn(5, 3, 4), torch.randn(5, 2)

  it('has parameters of the sizes that programs fill', function()
    assert.same({ 1, 1, 3 }, params[1].W_att_subject:size():totable())
    assert.same({ 2, 4 }, params[1].W_att_h:size():totable())
    assert.same({ 1, 4 }, params[1].b_att:size():totable())
  end)
  it('attends to all choices alike without weights', function()
    local attention, focus = f(params, subjects, h)
    assertClose(torch.mean(subjects, 3):squeeze(3), attention)
    assertClose(torch.ones(5, 4) / 4, focus)
  end)
  it('takes one subject as it takes a batch, and gives gradients in the sizes of the parameters', function()
    params[1].W_att_subject:normal()
    params[1].W_att_h:normal()
    params[1].b_att:normal()
    local attention, focus = f(params, subjects, h)
    for i = 1, 5 do
      local one, choice = f(params, subjects[i], h[i])
      assertClose(attention[i], one)
      assertClose(focus[i], choice)
    end
    local g = autograd(function(p) return torch.sum(torch.square((f(p, subjects[1], h[1])))) end)(params)
    for name, parameter in pairs(params[1]) do assert.same(parameter:size():totable(), g[1][name]:size():totable()) end
  end)
end)

describe('MaskedBatchNormalization', function()
  local x = torch.DoubleTensor { { 1, 10 }, { 3, 30 }, { 100, 100 } }
  local mask = torch.DoubleTensor { { 1 }, { 1 }, { 0 } }

  it('gives the function, parameters and a state', function()
    local _, params, state = autograd.module.MaskedBatchNormalization { nOutputs = 2, momentum = 0.25 }
    assertClose({ { 0.1, 0.1 } }, params[1].gain)
    assertClose({ { 0, 0 } }, params[1].bias)
    assert.equal(0.25, state.momentum)
    assert.equal(1, state.train)
    assertClose({ { 0, 0 } }, state.running_mean)
    assertClose({ { 1, 1 } }, state.running_std)
  end)

  it('normalises by running values, to which it adds those of the mask', function()
    local f, params, state = autograd.module.MaskedBatchNormalization { nOutputs = 2, momentum = 0.5 }
    params[1].gain:fill(1)
    local y = f(params, x, mask, state, 0)
    assertClose({ { 1, 10 } }, state.running_mean)            -- half of 2 and 20
    assertClose({ { 1, 5.5 } }, state.running_std)            -- half of 1 and 10, and of 1
    assertClose({ { 0, 0 }, { 2, 20 / 5.5 }, { 0, 0 } }, y)
    state.train = 0
    local other = f(params, torch.DoubleTensor { 2, 21 }, torch.ones(2), state, 0)
    assertClose({ 1, 2 }, other)
    assertClose({ { 1, 10 } }, state.running_mean)
  end)

  it('takes time as more rows, and a mask of all sizes', function()
    local f, params, state = autograd.module.MaskedBatchNormalization { nOutputs = 2 }
    local again = { momentum = 0.1, train = 1, running_mean = torch.zeros(1, 2), running_std = torch.ones(1, 2) }
    local rows, weights = torch.randn(6, 2), torch.DoubleTensor { 1, 0, 1, 1, 1, 0 }:view(6, 1)
    local flat = f(params, rows, weights, state)
    local whole = weights:expand(6, 2):contiguous():view(2, 3, 2)
    assertClose(flat:view(2, 3, 2), f(params, rows:view(2, 3, 2), whole, again))
    assertClose(state.running_std, again.running_std)
  end)

  it('has gradients that differences show, through the running values', function()
    local f, params = autograd.module.MaskedBatchNormalization { nOutputs = 2 }
    local input = torch.randn(4, 2)
    local weights = torch.DoubleTensor { 1, 1, 0, 1 }:view(4, 1)
    local function run(gain, z)
      local state = { momentum = 0.3, train = 1, running_mean = torch.zeros(1, 2), running_std = torch.ones(1, 2) }
      return f({ { gain = gain, bias = params[1].bias } }, z, weights, state)
    end
    assert.is_true(autograd.gradcheck(run, { params[1].gain, input }))
  end)
end)
