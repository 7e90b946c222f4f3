-- A Gaussian process through noisy points, before and after L-BFGS learns its scales: `th examples/gallery/gaussian_process.lua [FILE]`.
-- Source: Rasmussen & Williams (2006), "Gaussian Processes for Machine Learning", algorithm 2.1 and equation 5.8.
local torch, optim, plot = require 'torch', require 'optim', require 'plot'
torch.manualSeed(4)

local n, noise = 40, 0.15
local x = torch.cat(torch.rand(n / 2) * 3, torch.rand(n / 2) * 2.5 + 5, 1)      -- nothing from 3 to 5
local y = torch.sin(x * 2) + x * 0.2 + torch.randn(n) * noise
y:add(-y:mean())
local grid = torch.linspace(-0.5, 8, 200)

-- Covariances of two sets of places; scales are logarithms of: width, height, noise.
local function covariance(a, b, scales)
  local rows, columns = a:size(1), b:size(1)
  local distance = a:view(-1, 1):expand(rows, columns) - b:view(1, -1):expand(rows, columns)
  local function all(i) return torch.expand(torch.view(torch.exp(torch.mul(scales:narrow(1, i, 1), 2)), 1, 1), rows, columns) end
  local exponent = torch.mul(torch.cdiv(torch.cmul(distance, distance), all(1)), -0.5)
  return torch.cmul(all(2), torch.exp(exponent)), all(3)
end

-- The Cholesky factor of the points' covariance, and the solution for their values.
local function solve(scales)
  local k, variance = covariance(x, x, scales)
  local factor = torch.cholesky(torch.add(k, torch.cmul(torch.eye(n), variance)))
  return factor, torch.potrs(y:view(-1, 1), factor, 'L')
end

-- Minus the logarithm of the likelihood, without a constant.
local function loss(scales)
  local factor, weights = solve(scales)
  return torch.add(torch.mul(torch.sum(torch.cmul(y:view(-1, 1), weights)), 0.5), torch.sum(torch.log(torch.diag(factor))))
end

local figure = plot.figure { width = 900, height = 300 }
local function draw(place, title, scales)
  torch.noGrad(function()
    local factor, weights = solve(scales)
    local k = covariance(grid, x, scales)
    local mean = torch.mm(k, weights):view(-1)
    local reduced = torch.trtrs(k:t():contiguous(), factor, 'L')
    local variance = torch.exp(scales * 2)
    local deviation = torch.sqrt((torch.cmul(reduced, reduced):sum(1):view(-1) * -1 + variance[2]):cmax(0) + variance[3])
    local axes = figure:subplot(1, 2, place)
    axes:fillBetween(grid, mean - deviation * 2, mean + deviation * 2, { color = 'C0', alpha = 0.2 })
    axes:plot(grid, mean):scatter(x, y, { c = 'C1', s = 9 }):title(title):xlabel 'x'
  end)
end

local scales = torch.Tensor { 1, 0, 0 }
draw(1, 'before', scales)
optim.lbfgs(function(point)
  local own = point:clone():requiresGrad()
  local value = loss(own)
  value:backward()
  return value:item(), own.grad
end, scales, { maxIter = 50, lineSearch = optim.lswolfe })
draw(2, 'after L-BFGS', scales)
figure:save(arg[1] or 'gaussian_process.svg')
