--[[
Which tree does a leaf come from? Pictures drawn as bytes, hue histograms, template matching by a Gaussian, figures by gnuplot where there
is one. Everything goes through files, as it would with a folder of photographs.
]]
require 'torch'
require 'image'
require 'xlua'
require 'gnuplot'

local opt = lapp[[
   -s,--side      (default 24)   pixels of a side
   -p,--perClass  (default 6)    leaves of a tree
   --seed         (default 4)    of the generator
   -b,--bins      (default 12)   hues that are told apart
]]
torch.manualSeed(opt.seed)
local trees = { 'beech', 'maple', 'birch' }
local hues = { beech = 0.30, maple = 0.02, birch = 0.15 }

local folder = paths.tmpname() .. '_leaves'
paths.mkdir(folder)

-- pictures --------------------------------------------------------------------------------------------------------------
-- a leaf: an ellipse of one hue, darker to its edge, on grey
local function leaf(hue)
  local side = opt.side
  local mask = torch.ByteTensor(side, side):fill(0)
  local cx, cy = side / 2 + torch.uniform(-2, 2), side / 2 + torch.uniform(-2, 2)
  -- a byte kernel: its elements saturate at 255
  local shade = image.gaussian{ tensor = torch.ByteTensor(side, side), amplitude = 320, sigma = 0.3,
                                mean_horz = cx / side, mean_vert = cy / side }
  mask[shade:gt(90)] = 1
  local hsv = torch.ByteTensor(3, side, side):zero()
  hsv[1]:fill(math.floor(hue * 255)):cmul(mask)
  hsv[2]:fill(200):cmul(mask)
  hsv[3]:copy(shade)
  hsv[3][mask:eq(0)] = 128
  return image.hsv2rgb(hsv), mask
end

local list = {}
for i, tree in ipairs(trees) do
  for k = 1, opt.perClass do
    local picture = leaf(hues[tree] + torch.uniform(-0.01, 0.01))
    assert(picture:type() == 'torch.ByteTensor')
    local file = paths.concat(folder, ('%s_%d.png'):format(tree, k))
    image.save(file, picture)
    table.insert(list, { file = file, class = i })
  end
end
assert(#list == #trees * opt.perClass)

-- features: a histogram of hues over the coloured pixels ----------------------------------------------------------------
local function histogram(file)
  local bytes = image.load(file, 3, 'byte')
  local hsv = image.rgb2hsv(bytes)
  local hue, saturation = hsv[1]:contiguous():view(-1), hsv[2]:contiguous():view(-1)
  local coloured = torch.nonzero(saturation:gt(60)):view(-1)
  assert(coloured:nElement() > 20)
  local h = hue:index(1, coloured):double():div(255)
  return torch.histc(h, opt.bins, 0, 1):div(h:nElement())
end

local features = torch.Tensor(#list, opt.bins)
for i, item in ipairs(list) do
  xlua.progress(i, #list)
  features[i]:copy(histogram(item.file))
end

-- nearest neighbour, each left out once
local right = 0
for i = 1, #list do
  local d = torch.add(features, -1, features[i]:view(1, -1):expandAs(features)):norm(2, 2):view(-1)
  d[i] = math.huge
  local _, best = d:min(1)
  if list[best[1]].class == list[i].class then right = right + 1 end
end
assert(right >= #list - 1, right)

-- the same by fractions of bytes
local bytes = image.load(list[1].file, 3, 'byte')
local exact = image.rgb2hsl(bytes:double():div(255)):mul(255)
assert((exact - image.rgb2hsl(bytes):double()):abs():max() <= 0.51)
local there = image.hsl2rgb(image.rgb2hsl(bytes))
assert((there:double() - bytes:double()):abs():max() <= 6)

-- files that are no pictures, and deep ones --------------------------------------------------------------------------------------
local good, why = pcall(image.decompressJPG, torch.ByteTensor(64):fill(7))
assert(not good and why:find('Not a JPEG'), why)
local jpeg = image.compressJPG(bytes:double():div(255))
assert(image.decompressJPG(jpeg:narrow(1, 1, 80)) == nil)
assert(image.decompressJPG(jpeg):size(2) == opt.side)
local deep = torch.IntTensor{ { { 32767, 65535, 255 } } }
assert(image.decompress(image.compressPNG(deep, { bits = 16 }), 1, 'byte')[1][1][1] == 127)

-- levels as colours: of a map, and of a row
local levels = features:clone():mul(9):floor():add(1)
local map = image.y2jet(levels)
assert(map:size(1) == 3 and map:size(2) == #list and map:size(3) == opt.bins)
local row = image.y2jet(torch.range(1, 5))
assert((row:view(3, 5) - image.jetColormap(5):t()):abs():max() == 0)
image.save(paths.concat(folder, 'map.png'), image.scale(map, opt.bins * 8, #list * 4, 'simple'))
local some = { image.load(list[1].file), image.load(list[8].file), image.load(list[15].file) }
local sheet = image.toDisplayTensor{ input = some, padding = 1 }
assert(sheet:size(1) == 3 and sheet:size(2) >= opt.side)

-- a template: the middle of a leaf is where a Gaussian fits best ---------------------------------------------------------------------
local picture = image.load(list[opt.perClass + 1].file)
local brightness = image.rgb2hsv(picture)[3]
local response = image.convolve(brightness, image.gaussian(13), 'same')
local best, at = response:view(-1):max(1)
local y, x = math.ceil(at[1] / opt.side), (at[1] - 1) % opt.side + 1
assert(best[1] > 0 and math.abs(y - opt.side / 2) < 6 and math.abs(x - opt.side / 2) < 6, y .. ' ' .. x)
local box = image.crop(picture, math.max(0, x - 5), math.max(0, y - 5), math.min(opt.side, x + 5), math.min(opt.side, y + 5))
assert(box:size(1) == 3)

-- figures ---------------------------------------------------------------------------------------------------------------------------------
if gnuplot.isInstalled() then
  local file = paths.concat(folder, 'hues.eps')
  gnuplot.epsfigure(file)
  gnuplot.plot({ 'beech', features[1], '-' }, { 'maple', features[opt.perClass + 1], '+-' })
  gnuplot.title('hues')
  gnuplot.plotflush()
  gnuplot.close()
  assert(paths.filep(file))
  file = paths.concat(folder, 'features.svg')
  gnuplot.svgfigure(file)
  gnuplot.imagesc(features, 'rgbformulae 21,22,23')
  gnuplot.plotflush()
  gnuplot.imagesc(features, 'sigmoid')                    -- no palette of gnuplot's, whose own affair that is
  gnuplot.plotflush()
  gnuplot.close()
  assert(paths.filep(file))
end

paths.rmall(folder, 'yes')
print(('%d of %d leaves'):format(right, #list))
print 'ok'
