-- LÖVE with torch in its Lua state: a small network learns to paint a picture, from the place of a point to its colour. In each frame it
-- learns from some points, and its painting is computed into the memory of LÖVE's picture.
--
--     love examples/hosts/love                  a click begins anew; MOONTORCH names Moontorch's folder, by default three above this one
--     FRAMES=300 love examples/hosts/love       stops after so many frames, and prints times and memory; PICTURE=FILE writes the painting
local love = love      -- luacheck: ignore 113

local function now() return love.timer.getTime() * 1000 end      -- ms
local function residentKiB()
  local file = io.open '/proc/self/status'
  return file and tonumber(file:read '*a':match 'VmRSS:%s+(%d+)') or 0
end

local began, residentBefore = now(), residentKiB()
local root = os.getenv 'MOONTORCH' or love.filesystem.getSource() .. '/../../..'
package.path = ('%s/lua/?.lua;%s/lua/?/init.lua;%s'):format(root, root, package.path)
package.cpath = ('%s/build/release/lib/?.so;%s'):format(root, package.cpath)
local torch, nn, optim, image = require 'torch', require 'nn', require 'optim', require 'image'
local required = now() - began

local SIDE, BATCH, FREQUENCIES, HIDDEN = 96, 1024, 32, 64

torch.setdefaulttensortype 'torch.FloatTensor'
torch.setnumthreads(1)      -- the other processors are for LÖVE and the driver
torch.manualSeed(1)

local target = image.resample(image.lena(), SIDE, SIDE, 'bicubic'):clamp(0, 1)
local colours = target:view(3, SIDE * SIDE):t():contiguous()

-- Sines and cosines of the places: Tancik et al. (2020), "Fourier features let networks learn high frequency functions in low dimensional
-- domains", NeurIPS.
local places = torch.FloatTensor(SIDE * SIDE, 2)
places:select(2, 1):copy(torch.range(0, SIDE - 1):view(1, SIDE):expand(SIDE, SIDE))
places:select(2, 2):copy(torch.range(0, SIDE - 1):view(SIDE, 1):expand(SIDE, SIDE))
local angles = torch.mm(places:div(SIDE), torch.randn(2, FREQUENCIES):mul(2 * math.pi * 2.5))
local features = torch.cat(torch.sin(angles), torch.cos(angles), 2)

local net, criterion, steps
local function begin()
  net = nn.Sequential(nn.Linear(2 * FREQUENCIES, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 3),
    nn.Sigmoid())
  criterion = nn.MSECriterion()
  steps = optim.Adam(net:requiresGrad():parameters(), { learningRate = 0.005 })
end
begin()

local function learn()
  local points = torch.LongTensor(BATCH):random(SIDE * SIDE)
  steps:zeroGrad()
  local loss = criterion(net(features:index(1, points)), colours:index(1, points))
  loss:backward()
  steps:step()
  return loss:item()
end

-- A picture of LÖVE, and a tensor over its bytes: height x width x 4.
local function canvas()
  local data = love.image.newImageData(SIDE, SIDE)
  data:mapPixel(function() return 0, 0, 0, 1 end)
  return data, torch.fromBlob(data:getFFIPointer(), { SIDE, SIDE, 4 }, 'byte', { keep = data })
end

local function show(bytes, painting)      -- painting: points x 3, from 0 to 1
  bytes:narrow(3, 1, 3):copy(torch.mul(painting, 255):add(0.5):view(SIDE, SIDE, 3))
end

local painted, paintedBytes = canvas()
local shown, shownBytes = canvas()
show(shownBytes, colours)
local paintedPicture, shownPicture = love.graphics.newImage(painted), love.graphics.newImage(shown)
paintedPicture:setFilter('linear', 'linear')

local frames, loss, first, times = 0, nil, nil, {}
local last = tonumber(os.getenv 'FRAMES')

local function report()
  table.sort(times)
  local function share(p) return times[math.max(1, math.ceil(p * #times))] end
  io.write(('require: %.0f ms; memory: %d KiB before, %d KiB now, of Lua %d\n'):format(required, residentBefore, residentKiB(),
    collectgarbage 'count'))
  io.write(('%d frames, learning and painting: p50 %.2f ms, p99 %.2f ms, longest %.2f ms\n'):format(frames, share(0.5), share(0.99),
    share(1)))
  io.write(('loss %.4f, then %.4f\n'):format(first, loss))
end

function love.update()
  local start = now()
  loss = learn()
  torch.noGrad(function() show(paintedBytes, net(features)) end)
  first = first or loss
  frames = frames + 1
  times[frames] = now() - start
  paintedPicture:replacePixels(painted)
  if frames == last then
    if os.getenv 'PICTURE' then image.save(os.getenv 'PICTURE', paintedBytes:narrow(3, 1, 3):permute(3, 1, 2):contiguous()) end
    report()
    love.event.quit()
  end
end

function love.draw()
  love.graphics.draw(paintedPicture, 0, 0, 0, 4)
  love.graphics.draw(shownPicture, 4 * SIDE, 0, 0, 4)
  love.graphics.print(('frame %d, loss %.4f'):format(frames, loss or 0), 8, 8)
end

love.mousepressed = begin
