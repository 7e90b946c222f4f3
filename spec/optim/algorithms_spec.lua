-- The algorithms of Torch7's protocol against PyTorch's figures, closed forms and known minima.
local torch = require 'torch'
local optim = require 'optim'
local figures = require 'spec.optim.figures'
local close = require 'spec.support.close'
local assertClose, relative = close.assertClose, close.relative

local start = { 1, -2, 0.5, 3, -1, 2, 0.25 }

local function copy(t)
  local c = {}
  for k, v in pairs(t) do c[k] = v end
  return c
end

-- f(x) = sum of i x_i^2 / 2.
local function bowl(x)
  local scale = torch.range(1, x:nElement()):typeAs(x)
  return torch.sum(torch.cmul(torch.cmul(x, x), scale)) / 2, torch.cmul(x, scale)
end

local function rosenbrock(x)
  local a, b = x[1], x[2]
  return (1 - a) ^ 2 + 100 * (b - a * a) ^ 2, x.new { -2 * (1 - a) - 400 * a * (b - a * a), 200 * (b - a * a) }
end

describe('PyTorch has the same ten steps as', function()
  for i, case in ipairs(figures) do
    local name, config, expected = unpack(case)
    it(('optim.%s, case %d'):format(name, i), function()
      for typename, tolerance in pairs { ['torch.DoubleTensor'] = name == 'asgd' and 1e-7 or 1e-13, ['torch.FloatTensor'] = 2e-5 } do
        local x, state = torch.DoubleTensor(start):type(typename), copy(config)
        for _ = 1, 10 do
          local same, losses = optim[name](bowl, x, state)
          assert.equal(x, same)
          assert.equal(1, #losses)
        end
        assertClose(expected, x, relative(tolerance))
      end
    end)
  end
end)

describe('an algorithm that treats each tensor by itself', function()
  local objects = {
    adamax = 'Adamax', adagrad = 'Adagrad', adadelta = 'Adadelta', rmsprop = 'RMSprop', adamw = 'AdamW', nadam = 'NAdam', radam = 'RAdam',
    lion = 'Lion',
  }
  for name, class in pairs(objects) do
    it('takes a list, and is an object: ' .. name, function()
      local flat, state = torch.DoubleTensor(start), {}
      local list = { torch.DoubleTensor { 1, -2, 0.5 }, torch.DoubleTensor { 3, -1, 2, 0.25 } }
      local leaves = { list[1]:clone():requiresGrad(), list[2]:clone():requiresGrad() }
      -- The function with the defaults of the class.
      local same = { adamax = { epsilon = 1e-8 }, adagrad = { learningRate = 1e-2 }, adamw = { epsilon = 0 }, adam = { epsilon = 0 } }
      local function config() return copy(same[name] or {}) end
      local steps, listState = optim[class](leaves, config()), {}
      for _ = 1, 3 do
        optim[name](function(x) return 0, x:clone() end, flat, config(), state)
        optim[name](function(xs) return 0, { xs[1]:clone(), xs[2]:clone() } end, list, config(), listState)
        steps:zeroGrad()
        for k = 1, 2 do torch.div(torch.sum(torch.cmul(leaves[k], leaves[k])), 2):backward() end
        steps:step()
      end
      local both = torch.cat(list[1], list[2])
      assertClose(flat:totable(), both, 0)
      assertClose(flat:totable(), torch.cat(leaves[1]:detach(), leaves[2]:detach()), relative(1e-15))
    end)
  end

  it('greets when it starts without any state', function()
    local said = {}
    local before = print
    _G.print = function(text) said[#said + 1] = text end
    local done, message = pcall(function()
      optim.adagrad(bowl, torch.Tensor(start))
      optim.adadelta(bowl, torch.Tensor(start))
    end)
    _G.print = before
    assert.is_true(done, message)
    assert.same({ 'no state table, ADAGRAD initializing', 'no state table, ADADELTA initializing' }, said)
  end)

  it('keeps in its state what Torch7 names', function()
    local fields = {
      adamax = 't m u max', adagrad = 'evalCounter paramVariance paramStd', adadelta = 'evalCounter paramVariance paramStd delta accDelta',
      rmsprop = 'm tmp', rprop = 'delta stepsize sign psign nsign zsign dminmax', nag = 'evalCounter dfdx', asgd = 'eta_t mu_t t ax tmp',
      lbfgs = 'funcEval nIter dir_bufs stp_bufs old_dirs old_stps Hdiag g_old f_old t d ro al tmp1', cg = 'df0 df1 df2 df3 s x0',
      adam = 't m v',
    }
    for name, list in pairs(fields) do
      local state = {}
      optim[name](bowl, torch.Tensor(start), {}, state)
      for field in list:gmatch '%S+' do assert.is_not_nil(state[field], name .. ' has no ' .. field) end
    end
  end)

  it('starts rmsprop from a given mean', function()
    local x = torch.DoubleTensor { 2 }
    optim.rmsprop(function() return 0, torch.DoubleTensor { 3 } end, x, { learningRate = 1, alpha = 0.5, epsilon = 0, initialMean = 7 })
    assertClose({ 2 - 3 / math.sqrt(0.5 * 7 + 0.5 * 9) }, x, relative(1e-15))
  end)
end)

describe('optim.nag', function()
  it('follows its recurrence', function()
    local x, state = torch.DoubleTensor { 1, -3 }, { learningRate = 0.1, momentum = 0.7, learningRateDecay = 0.5, weightDecay = 0.2 }
    local rates = { 1, 2 }
    state.learningRates = torch.DoubleTensor(rates)
    local plain, buffer = { 1, -3 }, nil
    for t = 0, 4 do
      optim.nag(bowl, x, state)
      for i = 1, 2 do
        if buffer then plain[i] = plain[i] + 0.7 * buffer[i] end
      end
      local fresh = {}
      for i = 1, 2 do
        local change = 0.1 / (1 + 0.5 * t) * rates[i] * (i + 0.2) * plain[i]
        fresh[i] = 0.7 * (buffer and buffer[i] or 0) - change
        plain[i] = plain[i] - change
      end
      buffer = fresh
    end
    assertClose(plain, x, relative(1e-14))
  end)

  it('wants a positive momentum', function()
    assert.error_matches(function() optim.nag(bowl, torch.Tensor(start), { momentum = 0 }) end,
      'Momentum must be positive for Nesterov Accelerated Gradient')
  end)
end)

describe('optim.asgd', function()
  it('gives the mean of x after t0 steps, and writes its defaults into config', function()
    local x, config, sum = torch.DoubleTensor { 4 }, { eta0 = 0.1, t0 = 2 }, 0
    local mean
    for t = 1, 6 do
      local _, _, average = optim.asgd(bowl, x, config)
      if t >= 4 then sum = sum + x[1] end
      mean = average
    end
    assertClose({ sum / 3 }, mean, relative(1e-12))
    assert.equal(1e-4, config.lambda)
    assert.equal(0.75, config.alpha)
  end)
end)

describe('optim.rprop', function()
  it('makes niter steps, and turns config.stepsize into a tensor', function()
    local x, config = torch.DoubleTensor { 1 }, { niter = 3, stepsize = 0.1 }
    local _, losses = optim.rprop(bowl, x, config)
    assertClose({ 0.5, 0.9 ^ 2 / 2, (1 - 0.1 - 0.12) ^ 2 / 2 }, losses, relative(1e-14))
    assertClose({ 1 - 0.1 - 0.12 - 0.144 }, x, relative(1e-14))
    assertClose({ 0.144 }, config.stepsize, relative(1e-14))
  end)
end)

describe('a method of second order', function()
  it('finds the bottom of Rosenbrock\'s valley', function()
    for name, config in pairs {
      cg = { maxIter = 50, maxEval = 500 },
      lbfgs = { maxIter = 100, maxEval = 500, lineSearch = optim.lswolfe, tolFun = 1e-12, tolX = 1e-15 },
    } do
      local x = torch.DoubleTensor { -1.2, 1 }
      local same, losses, evaluations = optim[name](rosenbrock, x, config)
      assert.equal(x, same)
      assertClose({ 1, 1 }, x, relative(1e-6))
      assert.is_true(math.abs(losses[1] - 24.2) < 1e-12)
      assert.is_true(losses[#losses] < 1e-12 and evaluations <= 500 and evaluations >= #losses)
    end
  end)

  it('minimises a quadratic of n dimensions in n line searches', function()
    local x = torch.DoubleTensor(start)
    local _, losses = optim.cg(bowl, x, { maxIter = 100, maxEval = 200, sig = 1e-3, rho = 1e-4 })
    assert.is_true(losses[math.min(#losses, 10)] < 1e-9 * losses[1], losses[math.min(#losses, 10)])
  end)

  -- Losses and slopes at the points that a line search asks for, and these points. The first is at 1 / (1 - slope).
  for what, case in pairs {
    -- the vertex of a parabola; 9 tenths of the way to the limit 1/2, as the vertex of the cubic is before it
    ['back by a parabola, and not near the limit'] =
      { { { 1, -1 }, { 2, 1 }, { 0.92, -0.9 }, { 0, -0.1 } }, { 0, 1 / 2, 1 / 12, 1 / 12 + 0.9 * (1 / 2 - 1 / 12) } },
    ['to 1 tenth of the step at least'] = { { { 1, -1 }, { 1e6, 1 }, { 0, -0.1 } }, { 0, 1 / 2, 0.05 } },
    ['to 9 tenths of the step at most'] = { { { 1, -1 }, { 0.5, 0.55 }, { 0, -0.1 } }, { 0, 1 / 2, 0.45 } },      -- the vertex is at 0.452
    ['to the vertex of 1 - x + 0.45 x^2, farther out'] = { { { 1, -1 }, { 0.6125, -0.55 }, { 0, -0.1 } }, { 0, 1 / 2, 1 / 0.9 } },
    ['to the vertex of 1 - x + 2.4 x^3, nearer'] = { { { 1, -1 }, { 0.8, 0.8 }, { 0, -0.1 } }, { 0, 1 / 2, math.sqrt(1 / 7.2) } },
    ['half of the way to the limit where the cubic has no vertex'] =
      { { { 1, -1 }, { 2, 1 }, { 0.95, -0.9 }, { 0, -0.1 } }, { 0, 1 / 2, 1 / 12, (1 / 2 + 1 / 12) / 2 } },
    ['to 3 times the step where the cubic has no vertex'] = { { { 1, -1 }, { 0.7, -0.6 }, { 0, -0.1 } }, { 0, 1 / 2, 3 / 2 } },
    ['to 3 times the step at most'] = { { { 1, -1 }, { 0.52, -0.9 }, { 0, -0.1 } }, { 0, 1 / 2, 3 / 2 } },      -- the vertex is at 1.88
  } do
    it('searches a line ' .. what .. ': cg', function()
      local answers, points = case[1], {}
      optim.cg(function(x)
        points[#points + 1] = x[1]
        local loss, slope = unpack(answers[#points])
        return loss, torch.DoubleTensor { slope }
      end, torch.DoubleTensor { 0 }, { maxEval = #answers })
      assertClose(case[2], points, 1e-14)
    end)
  end

  it('ends a step that is under way when the evaluations run out where maxEval has a fraction: cg', function()
    local _, losses, evaluations = optim.cg(rosenbrock, torch.DoubleTensor(2):zero(), { maxIter = 50 })
    assert.equal(64, evaluations)                                    -- 1.25 * 50 = 62.5
    assert.is_true(losses[#losses] < 1e-10, losses[#losses])
    local function slope(x) return -x[1], torch.DoubleTensor { -1 } end
    local x = optim.cg(slope, torch.DoubleTensor { 0 }, { maxIter = 50, maxEval = 10.5 })      -- has no bottom, but an end
    assert.equal(0, x[1])
  end)

  it('remembers over calls: lbfgs', function()
    local x, state = torch.DoubleTensor(start), { maxIter = 1, learningRate = 0.1, tolX = 0 }
    for _ = 1, 5 do optim.lbfgs(bowl, x, state) end
    assert.equal(5, state.nIter)
    assert.equal(5, state.funcEval)
    assert.equal(4, #state.old_dirs)
    local short = { maxIter = 30, nCorrection = 2, learningRate = 0.5, tolFun = 0, tolX = 0 }
    local _, _, evaluations = optim.lbfgs(bowl, torch.DoubleTensor(start), short)
    assert.equal(2, #short.old_stps)
    assert.equal(evaluations, short.funcEval)
  end)

  it('takes the second step of lbfgs by the BFGS update of a multiple of the identity', function()
    local x = torch.DoubleTensor { 1, 1 }
    optim.lbfgs(function(z) return (z[1] ^ 2 + 4 * z[2] ^ 2) / 2, torch.DoubleTensor { z[1], 4 * z[2] } end, x, { maxIter = 2 })
    -- the first step is -g / |g|_1; H = (I - s y' / s'y) (s'y / y'y) (I - y s' / s'y) + s s' / s'y
    local s, y = torch.DoubleTensor { { -1 / 5 }, { -4 / 5 } }, torch.DoubleTensor { { -1 / 5 }, { -16 / 5 } }
    local sy, yy = 0.04 + 2.56, 0.04 + 10.24
    local left = torch.eye(2):double() - s * y:t() / sy
    local H = left * left:t() * (sy / yy) + s * s:t() / sy
    assertClose(torch.DoubleTensor { 0.8, 0.2 } - H * torch.DoubleTensor { 0.8, 0.8 }, x, 1e-14)
  end)

  it('takes the first step of lbfgs by the gradient\'s size', function()
    local x = torch.DoubleTensor { 8 }
    optim.lbfgs(function(z) return z[1] ^ 2 / 2, z:clone() end, x, { maxIter = 1, learningRate = 0.5 })
    assertClose({ 8 - 8 * 0.5 / 8 }, x, relative(1e-15))
  end)
end)

describe('optim.lswolfe', function()
  it('stops where both conditions hold', function()
    for _, t in ipairs { 1e-3, 0.3, 5, 1000 } do
      local x = torch.DoubleTensor { -1.2, 1 }
      local f, g = rosenbrock(x)
      local d = torch.mul(g, -1)
      local slope = g:dot(d)
      local newF, newG, newX, step, evaluations = optim.lswolfe(rosenbrock, x, t, d, f, g, slope)
      assert.equal(x, newX)
      assertClose({ -1.2 + step * d[1], 1 + step * d[2] }, x, relative(1e-12))
      assert.is_true(newF <= f + 1e-4 * step * slope)
      assert.is_true(math.abs(newG:dot(d)) <= -0.9 * slope)
      assert.is_true(evaluations <= 25)
    end
  end)
end)

it('optim.lswolfe ends at the first point where the slope is small enough', function()
  local answers, points = { { 3, 8 }, { 0.5, 2 } }, {}      -- 1 - 4 t + 6 t^2 has its vertex at 1/3
  local f, g, x, t, evaluations = optim.lswolfe(function(at)
    points[#points + 1] = at[1]
    return answers[#points][1], torch.DoubleTensor { answers[#points][2] }
  end, torch.DoubleTensor { 0 }, 1, torch.DoubleTensor { 1 }, 1, torch.DoubleTensor { -4 }, -4)
  assertClose({ 1, 1 / 3 }, points, 1e-14)
  assertClose({ 0.5, 2, 1 / 3, 1 / 3, 2 }, { f, g[1], x[1], t, evaluations }, 1e-14)
end)

describe('optim.lswolfe keeps away from the ends of its bracket if a step near one did not help:', function()
  -- Value and slope at t of the parabola with the value and slope of `point` ({ t, f, slope }) and this vertex.
  local function parabola(point, vertex, t)
    local curvature = -point[3] / (vertex - point[1])
    local step = t - point[1]
    return { point[2] + point[3] * step + curvature * step ^ 2 / 2, point[3] + curvature * step }
  end
  -- Checks the steps of a search from 0 with the value 1 and the slope -4. At each one but the last, the function is a parabola through
  -- `low` whose vertex is the next entry of `vertices`.
  local function check(steps, vertices, lows)
    local seen, low = {}, { 0, 1, -4 }
    optim.lswolfe(function(at)
      local i = #seen + 1
      seen[i] = at[1]
      local answer = vertices[i] and parabola(low, vertices[i], at[1]) or { -100, 0 }
      if lows and lows[i] then
        answer = lows[i] == true and answer or lows[i]
        low = { at[1], answer[1], answer[2] }
      end
      return answer[1], torch.DoubleTensor { answer[2] }
    end, torch.DoubleTensor { 0 }, 1, torch.DoubleTensor { 1 }, 1, torch.DoubleTensor { -4 }, -4, { c2 = 1e-3 })
    assertClose(steps, seen, relative(1e-6))
  end

  it('the left one', function()
    check({ 1, 0.05, 0.005, 0.00025, 0.000025 }, { 0.05, 0.0025, 0.00025, 0.0000125 })
  end)
  it('the right one, which is the better one', function()
    check({ 1, 0.95, 0.995, 0.99975, 0.999975 }, { 0.95, 0.9975, 0.99975, 0.9999875 }, { true })
  end)
  it('the left one, in an interval that does not begin at 0', function()
    check({ 1, 0.5, 0.525, 0.5025, 0.500125 }, { 0.5, false, 0.50125, 0.500125 }, { [2] = parabola({ 1, 1, 4 }, 0.525, 0.5) })
  end)
  it('a step of 15 % of the interval is not near', function()
    check({ 1, 0.15, 0.0075, 0.00075 }, { 0.15, 0.0075, 0.000375 })
    check({ 1, 0.5, 0.575, 0.50375 }, { 0.5, false, 0.50375 }, { [2] = parabola({ 1, 1, 4 }, 0.575, 0.5) })
  end)
end)

describe('optim.polyinterp', function()
  -- x^3 - 3 x: least at 1 between 0 and 2.
  local function point(x) return { x, x ^ 3 - 3 * x, 3 * x ^ 2 - 3 } end

  it('finds the minimum of a cubic through two points, whichever is lower', function()
    assertClose({ 1 }, { optim.polyinterp { point(0), point(1.5) } }, relative(1e-12))
    assertClose({ 1 }, { optim.polyinterp(torch.DoubleTensor { point(1.5), point(0.25) }) }, relative(1e-12))
    assertClose({ 2 }, { optim.polyinterp { point(2), point(3) } }, relative(1e-12))
  end)

  it('keeps to its bounds', function()
    assertClose({ 1, -2 }, { optim.polyinterp({ point(-0.5), point(0.5) }, 0, 2) }, relative(1e-12))
    assertClose({ 1.5, 1.5 ^ 3 - 4.5 }, { optim.polyinterp({ point(0), point(1) }, 1.5, 2) }, relative(1e-12))
    assertClose({ -3, -18 }, { optim.polyinterp({ point(-0.5), point(0.5) }, -3, 2) }, relative(1e-12))
  end)

  it('takes more points, and values that are not known', function()
    local function quintic(x) return { x, x ^ 5 - x, 5 * x ^ 4 - 1 } end
    assertClose({ 5 ^ -0.25 }, { (optim.polyinterp { quintic(0), quintic(0.5), quintic(1) }) }, relative(1e-10))
    assertClose({ 0.5 }, { (optim.polyinterp { { 0, 1, -1 }, { 1, 1, 0 / 0 }, { 2, 3, 0 / 0 } }) }, relative(1e-10))
  end)

  it('takes the middle where the cubic has no minimum', function()
    assertClose({ 0.5 }, { optim.polyinterp { { 0, 0, -1 }, { 1, -0.8, -1 } } }, relative(1e-12))
    assertClose({ 2.5 }, { optim.polyinterp { { 2, 0, -1 }, { 3, -0.8, -1 } } }, relative(1e-12))
    assertClose({ 2.5 }, { optim.polyinterp { { 2, 1, 0 }, { 3, 1, 0 } } }, relative(1e-12))      -- flat
  end)
end)

describe('optim.FistaLS', function()
  -- |x - b|^2 / 2 + lambda |x|_1 has the closed form of soft thresholding.
  local b, lambda = torch.DoubleTensor { 3, -0.2, -2, 0.4 }, 0.5
  local function f(x, what)
    local difference = torch.add(x, -1, b)
    if what == 'dx' then return difference:dot(difference) / 2, difference end
    return difference:dot(difference) / 2
  end
  local function g(x) return lambda * torch.sum(torch.abs(x)) end
  local function shrink(x, L)
    local size = torch.add(torch.abs(x), -lambda / L)
    x:sign():cmul(torch.cmax(size, 0))
  end

  it('finds the closed form of soft thresholding, with momentum or without', function()
    for _, fast in ipairs { true, false } do
      local x = torch.zeros(4):double()
      local params = { doFistaUpdate = fast, errthres = 1e-14, maxiter = 200, maxline = 40 }
      local same, history = optim.FistaLS(f, g, shrink, x, params)
      assert.equal(x, same)
      assertClose({ 2.5, 0, -1.5, 0 }, x, relative(1e-6))
      local last = history[#history]
      assert.is_true(last.F <= last.Q + 1e-12 and params.L >= 1)
      assertClose({ last.Fply + last.Gply }, { last.F }, relative(1e-15))
    end
  end)

  it('extrapolates from the last two points with momentum', function()
    local function square(x, what)
      local difference = x[1] - 3
      return difference ^ 2 / 2, what and torch.DoubleTensor { difference }
    end
    local x, points = torch.DoubleTensor { 0 }, {}
    local function free(z) points[#points + 1] = z[1] end      -- no g
    optim.FistaLS(square, function() return 0 end, free, x, { L = 2, doFistaUpdate = true, maxiter = 5, errthres = 0 })
    local last, y, t = 0, 0, 1
    for i = 1, 5 do
      local now = y - (y - 3) / 2
      assertClose(now, points[i], 1e-14, 'point ' .. i)
      local following = (1 + math.sqrt(1 + 4 * t ^ 2)) / 2
      last, y, t = now, now + (t - 1) / following * (now - last), following
    end
  end)

  it('counts the steps of its line searches, which raise L until it is 1 or more, maxline times at most', function()
    local function searches(maxline)
      local params = { L = 0.3, Lstep = 2, maxiter = 2, maxline = maxline, errthres = 0 }
      local _, history = optim.FistaLS(f, g, shrink, torch.zeros(4):double(), params)
      return { { history[1].nline, history[1].L }, { history[2].nline, history[2].L } }
    end
    assert.same({ { 2, 1.2 }, { 0, 1.2 } }, searches())
    assert.same({ { 1, 0.6 }, { 1, 1.2 } }, searches(1))
  end)
end)

describe('optim.checkgrad', function()
  it('tells a right gradient from a wrong one, and restores x', function()
    local x = torch.DoubleTensor(start)
    local difference, gradient, estimate = optim.checkgrad(bowl, x)
    assert.is_true(difference < 1e-7)
    assertClose(gradient:totable(), estimate, relative(1e-6))
    assertClose(start, x, 0)
    local wrong = optim.checkgrad(function(z)
      local value, slope = bowl(z)
      return torch.DoubleTensor { value }, slope:mul(2)
    end, x)
    assert.is_true(math.abs(wrong - 1 / 3) < 1e-6)
  end)
end)

describe('clipping', function()
  it('scales all gradients by one factor', function()
    local x, y = torch.DoubleTensor { 3, 0 }:requiresGrad(), torch.DoubleTensor { 4 }:requiresGrad()
    torch.div(torch.add(torch.sum(torch.cmul(x, x)), torch.sum(torch.cmul(y, y))), 2):backward()
    assert.equal(5, optim.clipGradNorm({ x, y }, 10))
    assertClose({ 3, 0 }, x.grad, 0)
    assert.equal(5, optim.clipGradNorm({ x, y, torch.DoubleTensor(2):requiresGrad() }, 1))
    assertClose({ 0.6, 0 }, x.grad, relative(1e-6))
    assertClose({ 0.8 }, y.grad, relative(1e-6))
    local g = torch.DoubleTensor { 1, -6 }
    assert.equal(6, optim.clipGradNorm(g, 3, math.huge))
    assertClose({ 0.5, -3 }, g, relative(1e-6))
  end)

  it('takes a tensor that is there twice once', function()
    local x = torch.DoubleTensor { 3, 4 }:requiresGrad()
    torch.div(torch.sum(torch.cmul(x, x)), 2):backward()
    assert.equal(5, optim.clipGradNorm({ x, x }, 1))
    assertClose({ 0.6, 0.8 }, x.grad, relative(1e-6))
    local g = torch.DoubleTensor { 3, 4 }
    assert.equal(5, optim.clipGradNorm({ g, g }, 1))
    assertClose({ 0.6, 0.8 }, g, relative(1e-6))
  end)

  it('limits each element', function()
    local g = torch.DoubleTensor { 1, -6, 0.25 }
    assert.error_matches(function() optim.clipGradValue({ g }, -1) end, 'optim.clipGradValue: limit: %-1')
    optim.clipGradValue({ g }, 0.5)
    assertClose({ 0.5, -0.5, 0.25 }, g, 0)
  end)
end)

describe('a search without gradients', function()
  local function sphere(x) return torch.sum(torch.cmul(torch.add(x, -1), torch.add(x, -1))) end

  it('finds a minimum: de, the same each time', function()
    local x = torch.DoubleTensor(2)
    local best, history = optim.de(sphere, x, { maxFEs = 3000 })
    assertClose({ 1, 1 }, best, relative(1e-4))
    assert.equal(3000, history:size(1))
    assert.is_true(history[1] >= history[3000])
    assertClose(best:totable(), (optim.de(sphere, x, { maxFEs = 3000 })), 0)
    assert.error_matches(function() optim.de(sphere, x, {}) end, 'optim.de: maxFEs: nil')
  end)
end)

describe('every algorithm', function()
  it('refuses integers, which it could not move by fractions', function()
    for _, name in ipairs { 'sgd', 'asgd', 'rprop', 'adam', 'adamw', 'adamax', 'adagrad', 'adadelta', 'rmsprop', 'nag', 'cg', 'lbfgs' } do
      local x = torch.LongTensor { 3, 4 }
      local function f(v) return 1, v:clone():fill(1) end
      assert.error_matches(function() optim[name](f, x, {}) end,
        ('optim.%s: x: a .*LongTensor.*, expected a tensor of floats'):format(name))
      assert.same({ 3, 4 }, x:totable())
    end
  end)
end)
