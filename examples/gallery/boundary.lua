-- The decision boundary of a small network between two half circles, during training: `th examples/gallery/boundary.lua [FILE]`.
local torch, nn, optim, plot = require 'torch', require 'nn', require 'optim', require 'plot'
torch.manualSeed(3)

local n = 100
local angle = torch.rand(n, 1) * math.pi
local first = torch.cat(torch.cos(angle), torch.sin(angle), 2)
local points = torch.cat(first, torch.Tensor { 1, 0.5 }:view(1, 2) - first, 1) + torch.randn(2 * n, 2) * 0.12
local labels = torch.cat(torch.ones(n), torch.zeros(n), 1)

local x, y = torch.linspace(-1.5, 2.5, 80), torch.linspace(-1, 1.5, 60)
local rows, columns = torch.meshgrid(y, x)
local grid = torch.cat(columns:contiguous():view(-1, 1), rows:contiguous():view(-1, 1), 2)

local net = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1)):requiresGrad()
local steps = optim.Adam(net:parameters(), { learningRate = 0.01 })
local figure, shown = plot.figure { width = 900, height = 260 }, 0
for step = 0, 160 do
  if step == 0 or step == 40 or step == 160 then
    shown = shown + 1
    local chance = torch.sigmoid(torch.noGrad(function() return net(grid) end)):view(60, 80)
    local axes = figure:subplot(1, 3, shown):contour(x, y, chance, { levels = { 0.1, 0.3, 0.5, 0.7, 0.9 }, cmap = 'coolwarm' })
    axes:scatter(points[{ { 1, n }, 1 }], points[{ { 1, n }, 2 }], { c = 'C3', s = 9 })
    axes:scatter(points[{ { n + 1, 2 * n }, 1 }], points[{ { n + 1, 2 * n }, 2 }], { c = 'C0', s = 9 })
    axes:title(step == 0 and 'before' or ('after %d steps'):format(step))
  end
  steps:zeroGrad()
  nn.functional.bceWithLogits(net(points):view(-1), labels):backward()
  steps:step()
end
figure:save(arg[1] or 'boundary.svg')
