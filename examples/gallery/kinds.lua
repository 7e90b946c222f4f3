-- Spreads of groups, counts in two dimensions, a field with its gradient, two scales: `th examples/gallery/kinds.lua [FILE]`.
local torch, plot = require 'torch', require 'plot'
torch.manualSeed(6)

local figure = plot.figure { width = 900, height = 620 }
local groups, names = torch.randn(80, 4), { 'spring', 'summer', 'autumn', 'winter' }
for k, mean in ipairs { 9, 18, 11, 3 } do groups:select(2, k):mul(1 + k % 3):add(mean) end
figure:subplot(2, 3, 1):boxplot(groups, { labels = names, fill = 'skyblue' }):ylabel 'degrees':title 'boxplot'
figure:subplot(2, 3, 2):violin(groups, { labels = names, showmedians = true, color = 'C2' }):title 'violin'

local x = torch.randn(4000)
figure:subplot(2, 3, 3):hist2d(x, x * 0.6 + torch.randn(4000) * 0.5, { bins = 32, cmin = 1, colorbar = true }):title 'hist2d'

-- z = x exp(-x^2 - y^2), and where it rises.
local function field(n)
  local at = torch.linspace(-2, 2, n)
  local across, up = at:view(1, n):expand(n, n), at:view(n, 1):expand(n, n)
  local bell = torch.exp(-torch.pow(across, 2) - torch.pow(up, 2))
  return at, torch.cmul(across, bell), torch.cmul(1 - torch.pow(across, 2) * 2, bell), torch.cmul(torch.cmul(across, up) * -2, bell)
end
local fine, z = field(60)
local coarse, _, u, v = field(14)
figure:subplot(2, 3, 4):contourf(fine, fine, z, { levels = 11, cmap = 'coolwarm' }):quiver(coarse, coarse, u, v, { pivot = 'middle' })
  :title 'contourf, quiver'

local days, rain, warmth = { 'Mon', 'Tue', 'Wed', 'Thu', 'Fri' }, { 2, 7, 12, 4, 1 }, { 14, 12, 9, 13, 17 }
local bars = figure:subplot(2, 3, 5):bar(days, rain, { color = 'C0', alpha = 0.6 }):ylabel 'rain [mm]':title 'twinx, annotate'
bars:annotate('a wet day', { 3, 12 }, { xytext = { 3.7, 11 } })
bars:twinx():plot(days, warmth, 'C3o-'):ylabel 'warmth [degrees]':ylim(0, 20)

figure:subplot(2, 3, 6):pie({ 46, 27, 15, 12 }, { labels = { 'forward', 'backward', 'data', 'rest' }, autopct = '%.0f%%', startangle = 90 })
  :title 'pie'
figure:save(arg[1] or 'kinds.svg')
