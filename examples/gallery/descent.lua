-- Five optimisers in the valley of Rosenbrock's function: `th examples/gallery/descent.lua [FILE]`.
-- Source: Rosenbrock (1960), "An Automatic Method for Finding the Greatest or Least Value of a Function".
local torch, autograd, optim, plot = require 'torch', require 'autograd', require 'optim', require 'plot'

local function height(p) return torch.pow(1 - p[1], 2) + torch.pow(p[2] - torch.pow(p[1], 2), 2) * 100 end
local gradient = autograd(height)
local function both(p)
  local g, value = gradient(p)
  return value, g
end

local x, y = torch.linspace(-2, 2, 60), torch.linspace(-1, 3, 60)
local rows, columns = torch.meshgrid(y, x)
local z = torch.pow(1 - columns, 2) + torch.pow(rows - torch.pow(columns, 2), 2) * 100

local figure = plot.figure { width = 860, height = 380 }
local valley, falls = figure:subplot(1, 2, 1), figure:subplot(1, 2, 2)
valley:contour(x, y, torch.log(z + 1), { levels = { 0.5, 1, 2, 3, 4, 5, 6 }, cmap = 'Greys' })
for k, one in ipairs {
  { 'sgd', { learningRate = 1.5e-3 } }, { 'nag', { learningRate = 1e-3, momentum = 0.9 } }, { 'rmsprop', { learningRate = 2e-2 } },
  { 'adam', { learningRate = 1e-1 } }, { 'lbfgs', { maxIter = 1, lineSearch = optim.lswolfe } },
} do
  local name, config = one[1], one[2]
  local p, state, path, values = torch.Tensor { -1.5, 2 }, {}, {}, {}
  for step = 1, 400 do
    path[step], values[step] = p:totable(), math.max(both(p), 1e-12)
    optim[name](both, p, config, state)
  end
  path = torch.Tensor(path)
  valley:plot(path[{ {}, 1 }], path[{ {}, 2 }], 'C' .. k - 1, { label = name })
  falls:plot(values, 'C' .. k - 1, { label = name })
end
valley:xlim(-2, 2):ylim(-1, 3):title 'paths'
falls:yscale 'log':xlabel 'step':title 'height':legend()
figure:save(arg[1] or 'descent.svg')
