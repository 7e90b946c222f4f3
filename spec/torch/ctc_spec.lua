-- Connectionist temporal classification: losses and gradients against the recursion in logarithms, far from 1, at all lengths.
local torch = require 'torch'

local huge, exp, log, max = math.huge, math.exp, math.log, math.max

local function logSum(a, b)
  local high = max(a, b)
  if high == -huge then return high end
  return high + log(exp(a - high) + exp(b - high))
end

-- The loss of one sample by the recursion over the states blank, label 1, blank, ..., with logp[t][class].
local function lossOf(logp, labels, steps, blank)
  local classes, alpha = { blank }, { 0 }
  for _, label in ipairs(labels) do
    classes[#classes + 1] = label
    classes[#classes + 1] = blank
  end
  for s = 2, #classes do alpha[s] = -huge end
  for t = 1, steps do
    local next_ = {}
    for s = 1, #classes do
      local sum = alpha[s]
      if s > 1 then sum = logSum(sum, alpha[s - 1]) end
      if s % 2 == 0 and s > 2 and classes[s] ~= classes[s - 2] then sum = logSum(sum, alpha[s - 2]) end
      next_[s] = sum + logp[t][classes[s]]
    end
    alpha = next_
  end
  return -(#classes > 1 and logSum(alpha[#classes], alpha[#classes - 1]) or alpha[1])
end

-- A call of one sample with these labels, and the log-probabilities as lists.
local function arguments(logp, labels, steps)
  local targets = torch.LongTensor(1, #labels)
  for i, label in ipairs(labels) do targets[1][i] = label end
  return torch.view(logp, logp:size(1), 1, logp:size(2)), targets, torch.LongTensor { steps or logp:size(1) }, torch.LongTensor { #labels }
end

local function randomLabels(count, classes)
  local labels = {}
  for i = 1, count do labels[i] = torch.random(2, classes) end
  return labels
end

describe('ctc_loss', function()
  it('has the loss of the recursion in logarithms for every number of labels', function()
    for count = 0, 20 do
      local logp, labels = torch.logsoftmax(torch.randn(45, 5) * 3, 2), randomLabels(count, 5)
      local loss = torch.ctc_loss(arguments(logp, labels))
      assert.near(lossOf(logp:totable(), labels, 45, 1), loss[1], 1e-10)
    end
  end)

  it('keeps its digits where probabilities are far below the least double', function()
    for _, scale in ipairs { 100, 1e4, 1e8 } do
      local logp, labels = torch.randn(200, 4):abs() * -scale, randomLabels(30, 4)
      local expected = lossOf(logp:totable(), labels, 200, 1)
      assert.near(1, torch.ctc_loss(arguments(logp, labels))[1] / expected, 1e-12)
    end
  end)

  it('has the slopes of the loss as its gradient, far below the least double as well', function()
    for _, scale in ipairs { 1, 300 } do
      local logp, labels, step = torch.randn(9, 4) * scale, { 2, 4, 4, 3 }, 1e-4
      local gradient = torch.ctc_loss_grad(torch.Tensor { 2 }, arguments(logp, labels)):view(9, 4)
      for t = 1, 9 do
        for c = 1, 4 do
          local list = logp:totable()
          list[t][c] = list[t][c] + step
          local above = lossOf(list, labels, 9, 1)
          list[t][c] = list[t][c] - 2 * step
          assert.near((above - lossOf(list, labels, 9, 1)) / step, gradient[t][c], 1e-5)
        end
      end
    end
  end)

  it('has finite shares of states where logarithms have no digits behind the point', function()
    for _, scale in ipairs { 1e18, 1e20, 1e30, 1e100 } do
      local g = torch.ctc_loss_grad(torch.ones(1), arguments(torch.randn(9, 4):abs() * -scale, { 2, 4, 4, 3 }))
      assert.is_true(g:max() <= 0 and g:min() > -432)      -- mantissas below 2 and 6, times 4, for each of 9 states
    end
  end)

  it('has a gradient whose classes sum to minus the gradient of the loss in every step', function()
    for count = 0, 20 do
      local x, targets, steps, lengths = arguments(torch.randn(45, 5) * 40, randomLabels(count, 5), 44)
      local sums = torch.ctc_loss_grad(torch.Tensor { 3 }, x, targets, steps, lengths):sum(3):view(-1)
      for t = 1, 44 do assert.near(-3, sums[t], 1e-9) end
      assert.equal(0, sums[45])
    end
  end)

  it('reads classes of which only some have a probability', function()
    local logp = torch.Tensor(4, 3):fill(-huge)
    logp[1][2], logp[2][1], logp[3][2], logp[4][1] = 0, 0, log(0.5), 0
    local x, targets, steps, lengths = arguments(logp, { 2, 2 })
    assert.near(log(2), torch.ctc_loss(x, targets, steps, lengths)[1], 1e-15)
    local gradient = torch.ctc_loss_grad(torch.ones(1), x, targets, steps, lengths):view(4, 3)
    assert.same({ { 0, -1, 0 }, { -1, 0, 0 }, { 0, -1, 0 }, { -1, 0, 0 } }, gradient:totable())
    assert.equal(huge, torch.ctc_loss(x, torch.LongTensor { { 2, 3 } }, steps, lengths)[1])
  end)

  it('is infinite where labels do not fit, and 0 with zeroInfinity', function()
    local logp = torch.logsoftmax(torch.randn(3, 3), 2)
    for _, case in ipairs { { { 2, 2 }, 2, true }, { { 2, 2 }, 3, false }, { { 2, 3 }, 2, false }, { { 2 }, 0, true }, { {}, 0, false } } do
      local labels, count, isInfinite = unpack(case)
      local x, targets, steps, lengths = arguments(logp, labels, count)
      local loss, one = torch.ctc_loss(x, targets, steps, lengths)[1], torch.ones(1)
      assert.equal(isInfinite, loss == huge)
      assert.equal(isInfinite and 0 or loss, torch.ctc_loss(x, targets, steps, lengths, 1, true)[1])
      local gradient = torch.ctc_loss_grad(one, x, targets, steps, lengths):view(3, 3)
      for t = 1, 3 do
        local sum = gradient[t]:sum()
        if isInfinite and t <= max(count, 1) then assert.is_true(sum ~= sum) else assert.near(t <= count and -1 or 0, sum, 1e-12) end
      end
      if isInfinite then assert.equal(0, torch.ctc_loss_grad(one, x, targets, steps, lengths, 1, true):abs():max()) end
    end
  end)

  it('is NaN if a needed logarithm is none of a probability, whatever zeroInfinity', function()
    for _, bad in ipairs { 0 / 0, huge } do
      local logp = torch.logsoftmax(torch.randn(3, 3), 2)
      logp[2][2] = bad
      local x, targets, steps, lengths = arguments(logp, { 2 })
      for _, zero in ipairs { false, true } do
        local loss = torch.ctc_loss(x, targets, steps, lengths, 1, zero)[1]
        local gradient = torch.ctc_loss_grad(torch.ones(1), x, targets, steps, lengths, 1, zero)
        assert.is_true(loss ~= loss)
        assert.equal(9, torch.ne(gradient, gradient):sum())
      end
      targets[1][1] = 3
      assert.near(lossOf(logp:totable(), { 3 }, 3, 1), torch.ctc_loss(x, targets, steps, lengths)[1], 1e-12)
    end
  end)

  it('has the same bits for any number of threads', function()
    local x, targets = torch.logsoftmax(torch.randn(60, 9, 20), 3), torch.LongTensor(9, 15):random(2, 20)
    local steps, lengths, g = torch.LongTensor(9):random(31, 60), torch.LongTensor(9):random(0, 15), torch.randn(9)
    local losses, gradients, threads = {}, {}, torch.getnumthreads()
    for count = 1, 4 do
      torch.setnumthreads(count)
      losses[count], gradients[count] = torch.ctc_loss(x, targets, steps, lengths), torch.ctc_loss_grad(g, x, targets, steps, lengths)
    end
    torch.setnumthreads(threads)
    for count = 2, 4 do
      assert.is_true(torch.equal(losses[1], losses[count]))
      assert.is_true(torch.equal(gradients[1], gradients[count]))
    end
    for n = 1, 9 do
      local labels = targets[n]:totable()
      for i = #labels, lengths[n] + 1, -1 do labels[i] = nil end
      assert.near(lossOf(x:select(2, n):totable(), labels, steps[n], 1), losses[1][n], 1e-10)
    end
  end)

  it('raises errors for sizes, counts and classes', function()
    local x, targets = torch.randn(3, 2, 4), torch.LongTensor { { 1, 2 }, { 3, 4 } }
    local steps, lengths = torch.LongTensor { 3, 2 }, torch.LongTensor { 1, 2 }
    local function refuses(pattern, ...)
      local given = { ... }
      assert.error_matches(function() torch.ctc_loss(unpack(given)) end, '^ctc_loss: ' .. pattern)
      assert.error_matches(function() torch.ctc_loss_grad(torch.ones(2), unpack(given)) end, '^ctc_loss_grad: ' .. pattern)
    end
    refuses('logp: %[3, 4%], expected %(steps, batch, classes%)', x:select(2, 1), targets, steps, lengths)
    refuses('targets: %[1, 2%], expected %(2, most labels%)', x, targets:narrow(1, 1, 1), steps, lengths)
    refuses('steps: %[1%], expected %[2%]', x, targets, steps:narrow(1, 1, 1), lengths)
    refuses('lengths: %[2, 1%], expected %[2%]', x, targets, steps, lengths:view(2, 1))
    refuses('targets: 5 at place 4, expected 1%.%.4', x, torch.LongTensor { { 1, 2 }, { 3, 5 } }, steps, lengths)
    refuses('targets: 0 at place 1, expected 1%.%.4', x, torch.LongTensor { { 0, 2 }, { 3, 4 } }, steps, lengths)
    refuses('steps: 4 at place 1, expected 0%.%.3', x, targets, torch.LongTensor { 4, 2 }, lengths)
    refuses('lengths: 3 at place 2, expected 0%.%.2', x, targets, steps, torch.LongTensor { 1, 3 })
    refuses('lengths: %-1 at place 1, expected 0%.%.2', x, targets, steps, torch.LongTensor { -1, 2 })
    refuses('blank: 5, expected 1%.%.4', x, targets, steps, lengths, 5)
    assert.error_matches(function() torch.ctc_loss_grad(torch.ones(3), x, targets, steps, lengths) end,
      '^ctc_loss_grad: g: %[3%], expected %[2%]')
  end)

  it('has a second derivative, that of finite losses alone with zeroInfinity', function()
    local autograd = require 'autograd'
    local x, targets = torch.randn(3, 2, 3), torch.LongTensor { { 2, 3 }, { 2, 2 } }
    local steps, lengths, direction = torch.LongTensor { 3, 2 }, torch.LongTensor { 2, 2 }, torch.randn(3, 2, 3)
    local leaf = x:clone():requiresGrad()
    local first = autograd.grad({ torch.ctc_loss(leaf, targets, steps, lengths, 1, true):sum() }, { leaf }, { createGraph = true })[1]
    local second = autograd.grad({ torch.cmul(first, direction):sum() }, { leaf })[1]
    local function gradient(point) return torch.ctc_loss_grad(torch.ones(2), point, targets, steps, lengths, 1, true) end
    local difference = (gradient(x + direction * 1e-5) - gradient(x - direction * 1e-5)) / 2e-5
    assert.near(0, (second - difference):abs():max(), 1e-8)
    assert.is_true(second:select(2, 1):abs():max() > 1e-3)
    assert.equal(0, second:select(2, 2):abs():max())
  end)
end)
