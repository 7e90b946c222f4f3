-- Steps on lists of many small tensors: they have the bits of a step on one tensor, whatever changes between the steps.
local torch, optim = require 'torch', require 'optim'
local C = require 'libmoontorch'

local sizes = { { 3 }, { 2, 2 }, { 1 }, { 0 }, { 5, 1 }, { 17 } }
local total = 3 + 4 + 1 + 5 + 17

-- Returns parameters, and a flat copy of them.
local function start(kind)
  local flat = torch.randn(total):type(kind or 'torch.DoubleTensor')
  local list, at = {}, 1
  for i, size in ipairs(sizes) do
    local n = 1
    for _, s in ipairs(size) do n = n * s end
    list[i] = flat.new():resize(torch.LongStorage(size))
    if n > 0 then list[i]:copy(flat:narrow(1, at, n)) end
    list[i]:requiresGrad()
    at = at + n
  end
  return list, flat:requiresGrad()
end

-- Sets equal gradients of the list and of the flat tensor. After a collection, each gradient and parameter is the only tensor of its
-- storage, as in most programs: then steps on them skip checks.
local function setGradients(list, flat)
  local g = torch.randn(total):type(flat:type())
  flat.grad = g:clone()
  local at = 1
  for _, x in ipairs(list) do
    local n = x:nElement()
    x.grad = g.new():resize(x:size())
    if n > 0 then x.grad:copy(g:narrow(1, at, n)) end
    at = at + n
  end
end

local function assertEqual(list, flat, message)
  local at = 1
  for i, x in ipairs(list) do
    local n = x:nElement()
    if n > 0 then
      assert.is_true(torch.equal(flat:detach():narrow(1, at, n), x:detach():view(n)), ('%s: parameter %d'):format(message or '', i))
    end
    at = at + n
  end
end

local cases = {
  { 'SGD', {} }, { 'SGD', { momentum = 0.9, dampening = 0.2, weightDecay = 0.1 } }, { 'SGD', { momentum = 0.9, nesterov = true } },
  { 'Adam', {} }, { 'Adam', { amsgrad = true, weightDecay = 0.1 } }, { 'AdamW', { weightDecay = 0.1 } },
  { 'RMSprop', { initialMean = 0.5 } }, { 'RMSprop', { centered = true } }, { 'RMSprop', { momentum = 0.8 } },
  { 'RMSprop', { momentum = 0.8, centered = true, weightDecay = 0.1 } }, { 'Adagrad', { initialAccumulator = 0.25, weightDecay = 0.1 } },
  { 'Adadelta', { weightDecay = 0.1 } }, { 'NAdam', { decoupledWeightDecay = true, weightDecay = 0.1 } }, { 'NAdam', {} },
  { 'RAdam', { weightDecay = 0.1 } }, { 'Adamax', { weightDecay = 0.1 } }, { 'Lion', { weightDecay = 0.1 } },
  { 'ASGD', { t0 = 2, weightDecay = 0.1 } }, { 'Rprop', {} },
}

local function optimizers(name, options, list, flat)
  return optim[name](list, options), optim[name]({ flat }, options)
end

describe('a list of small tensors has the bits of one tensor of all elements with', function()
  for i, case in ipairs(cases) do
    local name, options = unpack(case)
    for _, kind in ipairs { 'torch.DoubleTensor', 'torch.FloatTensor', 'torch.HalfTensor' } do
      it(('%s, case %d, as a %s'):format(name, i, kind), function()
        local list, flat = start(kind)
        local many, one = optimizers(name, options, list, flat)
        for t = 1, 6 do
          if t ~= 4 then setGradients(list, flat) end      -- the fourth step has the gradients of the third
          collectgarbage()
          many:step()
          one:step()
          assertEqual(list, flat, 'step ' .. t)
        end
        local field = next(one.state[1])
        assert.same(#sizes, #many.state)
        assert.is_not_nil(many.state[1][field])
      end)
    end
  end
end)

describe('a list of small tensors follows what a program changes between steps:', function()
  local list, flat, many, one

  local function steps(n, f)
    for t = 1, n do
      if f then f() end
      setGradients(list, flat)
      many:step()
      one:step()
      assertEqual(list, flat, 'step ' .. t)
    end
  end

  before_each(function()
    list, flat = start()
    many, one = optimizers('Adam', { learningRate = 0.1 }, list, flat)
    steps(3)
  end)

  it('options', function()
    many.config.learningRate = 0.3
    one.config.learningRate = 0.3
    steps(2)
    for _, each in ipairs { many, one } do each:setOption('amsgrad', true) end
    steps(3)
  end)

  it('the number of steps of the state', function()
    for _, state in ipairs(many.state) do state.t = 0 end
    one.state[1].t = 0
    steps(3)
  end)

  it('the number of steps of one parameter', function()
    local alone = list[1]:detach():clone():requiresGrad()
    local its = optim.Adam({ alone }, { learningRate = 0.1 })
    its.state = { { t = 0, m = many.state[1].m:clone(), v = many.state[1].v:clone() } }
    many.state[1].t = 0
    for _ = 1, 3 do
      setGradients(list, flat)
      alone.grad = list[1].grad
      many:step()
      its:step()
      assert.is_true(torch.equal(alone:detach(), list[1]:detach()))
    end
  end)

  it('tensors of the state, replaced and in place', function()
    for _, state in ipairs(many.state) do state.m = torch.zeros(state.m:size()) end
    one.state[1].m:zero()
    steps(3)
    for _, state in ipairs(many.state) do state.v:fill(2) end
    one.state[1].v:fill(2)
    steps(3)
  end)

  it('the whole state', function()
    many.state, one.state = {}, {}
    steps(3)
    many:loadStateDict(torch.deserialize(torch.serialize(many:stateDict())))
    steps(3)
  end)

  it('elements of parameters', function()
    for _, x in ipairs(list) do torch.noGrad(x.zero, x) end
    torch.noGrad(flat.zero, flat)
    steps(2)
  end)

  it('memory of parameters', function()
    for _, x in ipairs(list) do torch.noGrad(x.set, x, x:detach():clone()) end
    steps(2)
  end)

  it('the list of parameters', function()
    many.groups[1].parameters[1], many.groups[1].parameters[3] = many.groups[1].parameters[3], many.groups[1].parameters[1]
    many.state[1], many.state[3] = many.state[3], many.state[1]
    steps(2)
  end)

  it('one parameter, and the state of one', function()
    local x = torch.zeros(3):requiresGrad()
    many.groups[1].parameters[1] = x
    local before = list[1]:detach():clone()
    setGradients(list, flat)
    x.grad = torch.ones(3)
    many:step()
    assert.is_true(torch.equal(before, list[1]:detach()))
    assert.is_true(x:detach():norm() > 0)
    many.state[2] = { t = many.state[2].t, m = torch.zeros(2, 2), v = torch.ones(2, 2) }
    before = list[2]:detach():clone()
    list[2].grad:zero()
    many:step()
    assert.is_true(torch.equal(before, list[2]:detach()))
    assert.equal(0, many.state[2].m:norm())
  end)

  it('a parameter that has no gradient for some steps', function()
    local before = list[6]:detach():clone()
    list[6].grad = nil
    many:step()
    assert.is_true(torch.equal(before, list[6]:detach()))
    assert.equal(3, many.state[6].t)
    assert.equal(4, many.state[5].t)
  end)

  it('gradients that are set to zero, or removed', function()
    many:zeroGrad()
    for _, x in ipairs(list) do assert.is_nil(x.grad) end
    local before = list[1]:detach():clone()
    many:step()
    assert.is_true(torch.equal(before, list[1]:detach()))
    one:zeroGrad()
    steps(2)
  end)

  it('a gradient with another number of elements: an error, and nothing changes', function()
    setGradients(list, flat)
    local before = list[2]:detach():clone()
    collectgarbage()
    collectgarbage()
    list[6].grad:resize(3)
    assert.error_matches(function() many:step() end, 'adam_step: gradients: tensor 6 has sizes')
    assert.is_true(torch.equal(before, list[2]:detach()))
    assert.equal(3, many.state[2].t)
  end)

  it('gradients that lie with gaps, which a backward pass replaces', function()
    local a, b = torch.zeros(2):requiresGrad(), torch.zeros(2):requiresGrad()
    local sgd = optim.SGD({ a, b }, { learningRate = 1, momentum = 0.5 })
    a.grad, b.grad = torch.zeros(2), torch.zeros(2)
    for _ = 1, 2 do sgd:step() end
    local loss = torch.sum(torch.mul(a, 3))
    a.grad = torch.ones(2, 2):select(2, 1)
    sgd:step()                                -- buffer 1
    loss:backward()                             -- a new gradient, 4
    sgd:step()                                -- buffer 4.5
    assert.same({ -5.5, -5.5 }, a:detach():totable())
  end)

  it('versions, by which the tape sees that parameters have changed', function()
    setGradients(list, flat)
    collectgarbage()
    collectgarbage()
    local loss = torch.sum(torch.pow(list[1], 2))
    local before = C.versionOf(many.state[1].m)
    many:step()
    assert.error_matches(function() loss:backward() end, 'changed in place')
    assert.is_true(C.versionOf(many.state[1].m) ~= before)
  end)

  it('gradients changed in place', function()
    setGradients(list, flat)
    for _ = 1, 3 do
      for _, x in ipairs(list) do x.grad:mul(-0.5) end
      flat.grad:mul(-0.5)
      many:step()
      one:step()
      assertEqual(list, flat)
    end
  end)

  it('gradients of a backward pass', function()
    for _ = 1, 3 do
      many:zeroGrad()
      one:zeroGrad()
      for _, x in ipairs(list) do
        if x:nElement() > 0 then torch.sum(torch.cmul(x, x)):backward() else x.grad = x:detach():clone() end
      end
      torch.sum(torch.cmul(flat, flat)):backward()
      many:step()
      one:step()
      assertEqual(list, flat)
    end
  end)
end)

describe('tensors of a list that share memory', function()
  it('take their steps one after the other, with states in one tensor, too', function()
    local x = torch.zeros(4)
    local buffer = torch.zeros(6)
    torch.sgd_step({ x:narrow(1, 1, 3), x:narrow(1, 2, 3) }, { torch.ones(3), torch.ones(3):mul(2) }, { buffer }, 1, 0.5)
    assert.same({ -1, -3, -3, -2 }, x:totable())
    assert.same({ 1, 1, 1, 2, 2, 2 }, buffer:totable())
    local columns = torch.zeros(6, 2)
    torch.sgd_step({ x:narrow(1, 1, 3), x:narrow(1, 2, 3) }, { torch.ones(3), torch.ones(3):mul(2) }, { columns:select(2, 2) }, 1, 0.5)
    assert.same({ 1, 1, 1, 2, 2, 2 }, columns:select(2, 2):totable())
    assert.equal(0, columns:select(2, 1):sum())
  end)

  it('read a gradient that is another parameter after its step', function()
    local a, b = torch.ones(2):requiresGrad(), torch.ones(2):requiresGrad()
    local steps = optim.SGD({ a, b }, { learningRate = 1, momentum = 0.5 })
    for _ = 1, 3 do
      a.grad, b.grad = torch.ones(2), a:detach()
      torch.noGrad(torch.zero, a:detach())
      torch.noGrad(torch.zero, b:detach())
      steps.state = {}
      steps:step()
      assert.same({ -1, -1 }, a:detach():totable())
      assert.same({ 1, 1 }, b:detach():totable())
    end
  end)
end)

describe('a list of an optimiser', function()
  it('reads a gradient that is itself another parameter after its step', function()
    local a, b = torch.ones(2):requiresGrad(), torch.ones(2):requiresGrad()
    local steps = optim.SGD({ a, b }, { learningRate = 1, momentum = 0.5 })
    for _ = 1, 3 do
      torch.noGrad(a.zero, a)
      torch.noGrad(b.zero, b)
      for _, state in ipairs(steps.state) do state.dfdx:zero() end
      a.grad, b.grad = torch.ones(2), a
      steps:step()
      assert.same({ -1, -1 }, a:detach():totable())
      assert.same({ 1, 1 }, b:detach():totable())
    end
  end)

  it('takes a parameter that is a view of another after its step', function()
    local a = torch.ones(4)
    local b = a:narrow(1, 2, 2)
    a:requiresGrad()
    b:requiresGrad()
    local steps = optim.SGD({ a, b }, { learningRate = 1, momentum = 0.5 })
    for _ = 1, 3 do
      torch.noGrad(a.zero, a)
      for _, state in ipairs(steps.state) do state.dfdx:zero() end
      a.grad, b.grad = torch.ones(4), torch.ones(2)
      steps:step()
      assert.same({ -1, -2, -2, -1 }, a:detach():totable())
    end
  end)
end)

describe('a single state of all parameters', function()
  local function refused(states, message)
    local x = { torch.zeros(2), torch.zeros(3) }
    assert.error_matches(function() torch.sgd_step(x, { torch.ones(2), torch.ones(3) }, states, 1, 0.5) end, message)
    assert.same({ 0, 0 }, x[1]:totable())
  end

  it('has their type, and as many elements', function()
    refused({ torch.zeros(4) }, 'sgd_step: buffers: a single tensor of 4 elements, expected 5, as many as the parameters')
    refused({ torch.FloatTensor(5) }, 'sgd_step: buffers: a single torch.FloatTensor, expected a torch.DoubleTensor as parameter 1')
    refused({ torch.zeros(1):expand(5) }, 'sgd_step: buffers: a single tensor that was expanded')
    refused({}, 'sgd_step: buffers: 0 tensors, expected 2')
  end)
end)

describe('lists of the binding', function()
  it('hold tensors alone, and are read by ops that are not recorded', function()
    assert.error_matches(function() C.tensorList { 1 } end, 'expected a list of tensors')
    assert.error_matches(function() C.tensorList(3) end, 'table expected')
    assert.error_matches(function() C.gradientList {} end, 'expected a result of tensorList')
    assert.error_matches(function() C.readGradients(C.tensorList { torch.ones(1) }) end, 'expected a result of gradientList')
    local list = C.tensorList { torch.ones(2), torch.ones(2) }
    assert.error_matches(function() torch.cat(list) end, 'cat: ')
    assert.error_matches(function() torch.sgd_step(list, {}, {}, 1) end, 'sgd_step: gradients: 0 tensors, expected 2')
  end)

  it('know whether all parameters have a gradient', function()
    local x, y = torch.ones(2):requiresGrad(), torch.ones(2):requiresGrad()
    local gradients = C.gradientList(C.tensorList { x, y })
    assert.is_false(C.readGradients(gradients))
    x.grad = torch.ones(2)
    assert.is_false(C.readGradients(gradients))
    y.grad = torch.ones(2)
    assert.is_true(C.readGradients(gradients))
    assert.is_true(C.readGradients(gradients))
    C.forgetGradients(gradients)
    assert.is_true(C.readGradients(gradients))
    y:requiresGrad(false)
    assert.is_false(C.readGradients(gradients))
  end)

  it('keep the gradients that they have', function()
    local x, y = torch.ones(2):requiresGrad(), torch.ones(2):requiresGrad()
    local parameters = C.tensorList { x, y }
    local gradients = C.gradientList(parameters)
    for _ = 1, 2 do
      x.grad, y.grad = torch.ones(2), torch.ones(2)
      for _ = 1, 2 do
        C.readGradients(gradients)
        C.forgetGradients(gradients)
      end
      C.readGradients(gradients)
      local held = setmetatable({ x.grad, y.grad }, { __mode = 'v' })
      x.grad, y.grad = nil, nil
      collectgarbage()
      collectgarbage()
      assert.equal(2, #held)
      torch.noGrad(torch.sgd_step, parameters, gradients, {}, 0.5)
    end
    assert.same({ 0, 0 }, x:detach():totable())
  end)

  it('keep no gradient after zeroGrad', function()
    local x, y = torch.ones(2):requiresGrad(), torch.ones(2):requiresGrad()
    local steps = optim.SGD({ x, y }, { momentum = 0.9 })
    for _ = 1, 3 do
      x.grad, y.grad = torch.ones(2), torch.ones(2)
      steps:step()
    end
    local held = setmetatable({ x.grad }, { __mode = 'v' })
    steps:zeroGrad()
    collectgarbage()
    collectgarbage()
    assert.is_nil(held[1])
  end)
end)
