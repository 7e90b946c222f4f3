-- Paints a picture in the style of another: `th examples/style.lua`, and --help for more. Style is which features occur together, anywhere:
-- the products of all pairs of feature maps, summed over places. Content is where it is light and dark, roughly. L-BFGS changes the points
-- of a picture until it has the style of one and the content of another. Features are rectified convolutions with random filters of several
-- sizes, which suffice for textures; so nothing has to be fetched. Content and style are drawn, or files of pictures. The last line printed
-- is how much of the distance between the styles is gone, and how the result's brightness correlates with the content's.
-- Sources: Gatys, Ecker & Bethge (2016), "Image Style Transfer Using Convolutional Neural Networks", CVPR, equations 1 to 7; Ustyuzhaninov
-- et al. (2016), "Texture Synthesis Using Shallow Convolutional Networks with Random Filters", arXiv:1606.00021.
local torch, nn, optim, image = require 'torch', require 'nn', require 'optim', require 'image'
local plot = require 'plot'

local command = torch.CmdLine()
command:text 'Paints a picture in the style of another: th examples/style.lua'
command:option('--content', '', "file of a picture; '' draws one")
command:option('--style', '', "file of a picture; '' draws one")
command:option('--size', 96, 'height and width of all, points')
command:option('--filters', 24, 'of each size')
command:option('--weight', 15, 'of the content')
command:option('--steps', 150, 'iterations of L-BFGS')
command:option('--seed', 1, 'of filters')
command:option('--curve', 'style.svg', "where content, style and result go; '' draws none")
command:option('--save', '', 'where the result alone goes: .png or .jpg')
command:option('--threads', 1, 'number of threads')

local filterSizes, levels = { 1, 3, 7, 11 }, 3      -- levels: of a pyramid, each half as large as the one below

-- A smooth step from 0 to 1 where x passes 0, about a point wide.
local function step(x, size) return torch.sigmoid(x * (2 * size)) end

local function mix(share, a, b)
  local layers = {}
  for c = 1, 3 do layers[c] = share * (b[c] - a[c]) + a[c] end
  return torch.stack(layers, 1)
end

-- A ring and a disk in front of two tones.
local function drawContent(size, x, y)
  local picture = mix(step(y - 0.3 + x * 0.2, size), { 0.75, 0.85, 0.95 }, { 0.35, 0.5, 0.4 })
  local ring = torch.abs(torch.sqrt(torch.pow(x + 0.25, 2) + torch.pow(y + 0.1, 2)) - 0.45) * -1 + 0.12
  local disk = torch.sqrt(torch.pow(x - 0.5, 2) + torch.pow(y - 0.35, 2)) * -1 + 0.3
  for _, shape in ipairs { { ring, { 0.8, 0.2, 0.2 } }, { disk, { 0.95, 0.8, 0.2 } } } do
    local share = step(shape[1], size):view(1, size, size):expand(3, size, size)
    picture = torch.cmul(picture, 1 - share) + torch.cmul(share, mix(torch.zeros(size, size), shape[2], shape[2]))
  end
  return picture
end

-- Waves of dark blue and orange, with light edges.
local function drawStyle(_, x, y)
  local phase = x * 14 + torch.sin(y * 7 + torch.sin(x * 5)) * 3
  local wave = torch.sin(phase)
  local picture = mix(torch.sigmoid(wave * 6), { 0.1, 0.15, 0.45 }, { 0.95, 0.55, 0.15 })
  local edge = torch.exp(torch.pow(wave * 3, 2) * -1):view(1, x:size(1), -1):expandAs(picture)
  return torch.cmul(picture, 1 - edge) + edge * 0.95
end

local function read(name, size)
  local picture = image.load(name, 3, 'float')
  local height, width = picture:size(2), picture:size(3)
  local side = math.min(height, width)
  local left, top = math.floor((width - side) / 2), math.floor((height - side) / 2)
  return image.scale(image.crop(picture, left, top, left + side, top + side), size, size)
end

local function newFilters(count)
  local banks = {}
  for i, size in ipairs(filterSizes) do
    local weight = torch.randn(count, 3, size, size)
    local rows = weight:view(count, -1)
    if size > 1 then rows:add(-1, rows:mean(2):expandAs(rows)) end
    rows:cdiv(rows:norm(2, 2):expandAs(rows))
    banks[i] = weight
  end
  return banks
end

-- Rectified maps of each size at each level of the pyramid, (filters, places), and the picture's brightness on its top.
local function featuresOf(banks, picture)
  local found, x = {}, torch.view(picture, 1, 3, picture:size(2), picture:size(3))
  for level = 1, levels do
    for i, weight in ipairs(banks) do
      local margin = (filterSizes[i] - 1) / 2
      local maps = torch.relu(nn.functional.conv2d(nn.functional.pad(x, { margin, margin, margin, margin }, 'reflect'), weight))
      found[#found + 1] = torch.view(maps, maps:size(2), -1)
    end
    if level < levels then x = nn.functional.avgPool2d(x, 2) end
  end
  return found, torch.mean(x, 2)
end

local function styleOf(features)
  local products = {}
  for i, maps in ipairs(features) do products[i] = torch.mm(maps, torch.transpose(maps, 1, 2)) / maps:size(2) end
  return products
end

local function distance(a, b)
  local sum = 0
  for i = 1, #a do
    sum = nn.functional.mseLoss(a[i], b[i]) / torch.cmul(b[i], b[i]):mean() + sum
  end
  return sum
end

local options = command:parse(arg or {})
torch.setnumthreads(options.threads)
torch.setdefaulttensortype 'torch.FloatTensor'
torch.manualSeed(options.seed)
local size = options.size
local y, x = torch.meshgrid(torch.linspace(-1, 1, size), torch.linspace(-1, 1, size))
local content = options.content ~= '' and read(options.content, size) or drawContent(size, x, y)
local style = options.style ~= '' and read(options.style, size) or drawStyle(size, x, y)
local banks = newFilters(options.filters)
local wanted = styleOf(featuresOf(banks, style))
local contentMaps, contentTop = featuresOf(banks, content)
local first = distance(styleOf(contentMaps), wanted)

local timer, evaluations = torch.Timer(), 0
local best = optim.lbfgs(function(point)
  local own = point:clone():requiresGrad()
  local features, top = featuresOf(banks, torch.sigmoid(own))
  local apart = distance(styleOf(features), wanted)
  local loss = apart + nn.functional.mseLoss(top, contentTop) * options.weight
  loss:backward()
  evaluations = evaluations + 1
  if evaluations % 20 == 0 then io.write(('%4d evaluations, style %.3f, %.1f s\n'):format(evaluations, apart:item(), timer:time().real)) end
  return loss:item(), own.grad
end, torch.logit(torch.clamp(content, 0.1, 0.9)) + torch.randn(content:size()),
  { maxIter = options.steps, maxEval = options.steps * 2, tolX = 0, lineSearch = optim.lswolfe })
local result = torch.sigmoid(best)

if options.save ~= '' then image.save(options.save, result) end
if options.curve ~= '' then
  local figure = plot.figure { width = 900, height = 320 }
  for i, each in ipairs { { content, 'content' }, { style, 'style' }, { result, 'content in this style' } } do
    figure:subplot(1, 3, i):imshow(each[1]):title(each[2]):xticks({}, {}):yticks({}, {})
  end
  figure:save(options.curve)
end
local last = distance(styleOf(featuresOf(banks, result)), wanted)
local before, after = content:mean(1):view(-1), result:mean(1):view(-1)
before, after = before - before:mean(), after - after:mean()
io.write(('%.1f %% of the distance between the styles is gone, brightness correlates with the content by %.2f\n'):format(
  100 * (1 - last / first), before:dot(after) / before:norm() / after:norm()))
