-- Points that k-means divides, and the main directions of a cloud: `th examples/gallery/clusters.lua [FILE]`.
local torch, unsup, plot = require 'torch', require 'unsup', require 'plot'
torch.manualSeed(2)

local centres = torch.Tensor { { 0, 0 }, { 3, 1 }, { 1, 3 }, { 4, 4 } }
local points = torch.cat({ torch.randn(80, 2), torch.randn(80, 2), torch.randn(80, 2), torch.randn(80, 2) }, 1) * 0.6
for k = 1, 4 do points[{ { 80 * k - 79, 80 * k } }]:add(torch.expand(centres[{ { k } }], 80, 2)) end

local found = unsup.kmeans(points, 4, 20)
local _, nearest = torch.cdist(points, found):min(2)
nearest = nearest:view(-1)

local figure = plot.figure { width = 800, height = 360 }
local left, right = figure:subplot(1, 2, 1):title 'k-means', figure:subplot(1, 2, 2):title 'main directions'
for k = 1, 4 do
  local own = points[nearest:eq(k)]
  left:scatter(own[{ {}, 1 }], own[{ {}, 2 }], { s = 9 })
end
left:scatter(found[{ {}, 1 }], found[{ {}, 2 }], { c = 'black', s = 80, marker = 'x' })

local cloud = torch.randn(400, 2) * torch.Tensor { { 2, 0.8 }, { 0, 0.5 } }
local variances, directions = torch.symeig(torch.cov(cloud:t()), 'V')
right:scatter(cloud[{ {}, 1 }], cloud[{ {}, 2 }], { s = 6, alpha = 0.5 })
for k = 1, 2 do
  local tip = directions[{ {}, k }] * (2 * math.sqrt(variances[k]))
  right:plot({ -tip[1], tip[1] }, { -tip[2], tip[2] }, 'C3', { linewidth = 2 })
end
figure:save(arg[1] or 'clusters.svg')
