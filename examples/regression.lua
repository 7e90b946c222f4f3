-- Four regressions by one program: `th examples/regression.lua`, and --help for more. A line by least squares, a probability by the
-- logistic function, counts by Poisson's distribution, a line among outliers by Huber's loss. Each is a loss of nn.functional, whose
-- gradients come from the tape and whose minimum L-BFGS finds. The same coefficients come from the books' formulas: the normal equations,
-- Newton's method (for these models: weighted least squares, again and again), and Huber's weights. The last line printed is in how many
-- digits they agree.
-- Sources: McCullagh & Nelder (1989), "Generalized Linear Models", section 2.5; Huber (1981), "Robust Statistics", section 7.8.
local torch, nn, optim = require 'torch', require 'nn', require 'optim'
local distributions, plot = require 'distributions', require 'plot'

local command = torch.CmdLine()
command:text 'Four regressions, against closed forms and Newton: th examples/regression.lua'
command:option('--count', 150, 'points of each')
command:option('--seed', 1, 'of the points')
command:option('--curve', 'regression.svg', "where the picture goes; '' draws none")

local functional, delta = nn.functional, 1      -- delta: larger residuals count as outliers

local function identity(eta) return eta end

-- Of each model: the true coefficients of 1 and x; draw(eta), measurements where the linear predictor 1 * a + x * b is eta; the loss; the
-- mean of measurements; the weights of the points in Newton's equations. Huber's weights belong to the residuals, too.
local models = {
  {
    name = 'least squares', truth = { 1, 2 }, mean = identity, loss = functional.mseLoss,
    draw = function(eta) return eta + torch.randn(eta:size()) * 0.8 end,
    weights = function(eta) return torch.ones(eta:size()) end,
  },
  {
    name = 'logistic', truth = { -0.5, 2 }, mean = torch.sigmoid, loss = functional.bceWithLogits,
    draw = function(eta) return eta:clone():bernoulli(torch.sigmoid(eta)) end,
    weights = function(eta) return torch.cmul(torch.sigmoid(eta), 1 - torch.sigmoid(eta)) end,
  },
  {
    name = 'Poisson', truth = { 0.5, 0.8 }, mean = torch.exp, loss = functional.poissonNllLoss,
    draw = function(eta) return distributions.Poisson(torch.exp(eta)):sample() end,
    weights = torch.exp,
  },
  {
    name = "Huber's loss", truth = { 1, 2 }, mean = identity, isRobust = true,
    loss = function(eta, y) return functional.huberLoss(eta, y, { delta = delta }) end,
    draw = function(eta)
      local isOutlier = eta:clone():bernoulli(0.15)
      return eta + torch.randn(eta:size()) * 0.5 + torch.cmul(isOutlier, torch.randn(eta:size()) - 7)
    end,
    weights = function(_, residuals) return delta * torch.pow(torch.cmax(torch.abs(residuals), delta), -1) end,
  },
}

local function multiply(x, beta) return torch.mm(x, beta:view(-1, 1)):view(-1) end

-- The coefficients of the smallest loss, by L-BFGS with gradients of the tape, and the number of evaluations.
local function learn(model, x, y)
  local evaluations = 0
  local beta = optim.lbfgs(function(point)
    local own = point:clone():requiresGrad()
    local loss = model.loss(multiply(x, own), y)
    loss:backward()
    evaluations = evaluations + 1
    return loss:item(), own.grad
  end, torch.zeros(x:size(2)), { maxIter = 200, tolFun = 1e-12, tolX = 1e-14, lineSearch = optim.lswolfe })
  return beta, evaluations
end

-- Weighted least squares, again and again: (X' W X) step = X' residuals. One step solves the normal equations.
local function solve(model, x, y)
  local beta = torch.zeros(x:size(2))
  for _ = 1, 200 do
    local eta = multiply(x, beta)
    local residuals = y - model.mean(eta)
    local weights = model.weights(eta, residuals)
    if model.isRobust then residuals = torch.cmul(weights, residuals) end
    local weighted = torch.cmul(x, weights:view(-1, 1):expandAs(x))
    local step = torch.gesv(torch.mm(x:t(), residuals:view(-1, 1)), torch.mm(weighted:t(), x)):view(-1)
    beta:add(step)
    if torch.abs(step):max() < 1e-13 then break end
  end
  return beta
end

local options = command:parse(arg or {})
torch.manualSeed(options.seed)
local figure, largest = plot.figure { width = 900, height = 560 }, 0
local grid = torch.linspace(-2, 2, 100)
for i, model in ipairs(models) do
  local position = torch.Tensor(options.count):uniform(-2, 2)
  local x = torch.stack({ torch.ones(options.count), position }, 2)
  local y = model.draw(multiply(x, torch.Tensor(model.truth)))
  local beta, evaluations = learn(model, x, y)
  local expected = solve(model, x, y)
  local difference = torch.abs(beta - expected):max()
  largest = math.max(largest, difference)
  io.write(('%-13s  %7.4f + %.4f x after %2d evaluations, %.0e from the formula (drawn from %g + %g x)\n'):format(
    model.name, beta[1], beta[2], evaluations, difference, model.truth[1], model.truth[2]))
  local axes = figure:subplot(2, 2, i):scatter(position, y, { s = 9, alpha = 0.6, label = 'measured' })
  axes:plot(grid, model.mean(grid * beta[2] + beta[1]), { color = 'C1', label = 'learnt' }):title(model.name):grid()
  if model.isRobust then
    local plain = solve(models[1], x, y)
    axes:plot(grid, grid * plain[2] + plain[1], { color = 'gray', linestyle = '--', label = 'least squares' }):legend()
  end
end
if options.curve ~= '' then figure:save(options.curve) end
io.write(('the coefficients agree in %.1f digits\n'):format(-math.log10(largest)))
