-- A residual network on CIFAR: `th examples/cifar.lua --data FOLDER`, and --help for more. FOLDER has CIFAR-10's or CIFAR-100's files, of
-- the binary version or of that for Python. Without it, pictures of ten shapes in any colours are drawn, which `--write FOLDER` writes in
-- CIFAR's binary format. Training pictures are shifted and mirrored at random. The last line printed is the accuracy on the test set. The
-- picture shows loss and accuracy after each epoch, and pictures with what the network says of them.
-- Source: He et al. (2016), "Deep Residual Learning for Image Recognition", CVPR, section 4.2: depth 6 n + 2, and maps of 32, 16, 8 points.
local torch, nn, optim = require 'torch', require 'nn', require 'optim'
local data, paths, plot = require 'data', require 'paths', require 'plot'

local command = torch.CmdLine()
command:text 'A residual network on CIFAR: th examples/cifar.lua --data FOLDER'
command:option('--data', '', "folder of CIFAR's files; '' draws pictures of shapes")
command:option('--write', '', "folder that the shapes are written to, in CIFAR's format")
command:option('--train', 2000, 'pictures of shapes to learn from')
command:option('--test', 500, 'pictures of shapes to test on')
command:option('--depth', 8, '6 n + 2: 8, 14, 20, ...')
command:option('--width', 8, 'channels of the first layers; 16 in the paper')
command:option('--epochs', 5, 'passes over the training set')
command:option('--batch', 32, 'pictures a step')
command:option('--lr', 0.1, 'learning rate, rising for an epoch, then falling to 0')
command:option('--seed', 1, 'of pictures and weights')
command:option('--curve', 'cifar.svg', "where the picture goes; '' draws none")
command:option('--threads', 0, 'number of threads; 0: as many as there are processors')

local side = 32
local shapeNames = { 'disk', 'ring', 'square', 'frame', 'triangle', 'plus', 'cross', 'bars', 'stripes', 'board' }

-- Of each shape, how far inside points (x, y) are, where it reaches from -1 to 1; tensors.
local shapes = {
  disk = function(x, y) return 1 - torch.sqrt(torch.cmul(x, x) + torch.cmul(y, y)) end,
  ring = function(x, y) return 0.25 - torch.abs(torch.sqrt(torch.cmul(x, x) + torch.cmul(y, y)) - 0.75) end,
  square = function(x, y) return 0.85 - torch.cmax(torch.abs(x), torch.abs(y)) end,
  frame = function(x, y) return 0.2 - torch.abs(torch.cmax(torch.abs(x), torch.abs(y)) - 0.7) end,
  triangle = function(x, y) return torch.cmin(0.7 - y, (y + 1) * 0.45 - torch.abs(x) * 0.9) end,
  plus = function(x, y) return torch.cmin(0.3 - torch.cmin(torch.abs(x), torch.abs(y)), 1 - torch.cmax(torch.abs(x), torch.abs(y))) end,
  cross = function(x, y) return torch.cmin(0.25 - torch.abs(torch.abs(x) - torch.abs(y)), 1 - torch.cmax(torch.abs(x), torch.abs(y))) end,
  bars = function(x, y) return torch.cmin(torch.cos(x * 9) * 0.3, 0.9 - torch.cmax(torch.abs(x), torch.abs(y))) end,
  stripes = function(x, y) return torch.cmin(torch.cos(y * 9) * 0.3, 0.9 - torch.cmax(torch.abs(x), torch.abs(y))) end,
  board = function(x, y)
    return torch.cmin(torch.cmul(torch.sin(x * 6), torch.sin(y * 6)) * 0.3, 0.9 - torch.cmax(torch.abs(x), torch.abs(y)))
  end,
}

-- Draws pictures of the shapes in turn, of random places, sizes, tilts and colours, with noise; as data.cifar.load returns them.
local function drawShapes(count)
  local pixels, labels = torch.ByteTensor(count, 3, side, side), torch.ByteTensor(count)
  local rows, columns = torch.meshgrid(torch.linspace(-1, 1, side), torch.linspace(-1, 1, side))
  for i = 1, count do
    local class = (i - 1) % #shapeNames
    local radius, tilt = torch.uniform(0.45, 0.8), torch.uniform(-0.25, 0.25)
    local x, y = (columns - torch.uniform(-0.25, 0.25)) / radius, (rows - torch.uniform(-0.25, 0.25)) / radius
    local inside = shapes[shapeNames[class + 1]](x + y * tilt, y - x * tilt)
    local share = torch.sigmoid(inside * (radius * side))
    for channel = 1, 3 do
      local front, back = torch.uniform(), torch.uniform()
      if channel == 1 and math.abs(front - back) < 0.4 then front, back = back < 0.5 and back + 0.5 or back - 0.5, back end
      local values = share * (front - back) + back + torch.randn(side, side):type(share:type()) * 0.06
      pixels[i][channel] = values:clamp(0, 1):mul(255):byte()
    end
    labels[i] = class
  end
  return { data = pixels, label = labels, size = count }
end

local function write(name, set)
  local file = assert(io.open(name, 'wb'))
  file:write(torch.cat(set.label:view(-1, 1), set.data:view(set.size, -1), 2):contiguous():storage():string())
  file:close()
end

-- Two convolutions around which the input goes; where sizes change, every second point of it, with channels of 0.
local Block = torch.class('cifar.Block', 'nn.Module', {})

function Block:__init(inputs, outputs, stride)
  self.conv1 = nn.Conv2d(inputs, outputs, 3, { stride = stride, padding = 1, bias = false })
  self.bn1 = nn.BatchNorm2d(outputs)
  self.conv2 = nn.Conv2d(outputs, outputs, 3, { padding = 1, bias = false })
  self.bn2 = nn.BatchNorm2d(outputs)
  self.stride, self.added = stride, outputs - inputs
end

function Block:forward(x)
  local y = self.bn2(self.conv2(torch.relu(self.bn1(self.conv1(x)))))
  if self.stride > 1 then x = nn.functional.avgPool2d(x, 1, self.stride) end
  if self.added > 0 then x = nn.functional.pad(x, { 0, 0, 0, 0, 0, self.added }) end
  return torch.relu(x + y)
end

local function newNet(depth, width, classes)
  local layers = { nn.Conv2d(3, width, 3, { padding = 1, bias = false }), nn.BatchNorm2d(width), nn.ReLU() }
  local inputs = width
  for stage = 0, 2 do
    for i = 1, (depth - 2) / 6 do
      local outputs = width * 2 ^ stage
      layers[#layers + 1] = Block.new(inputs, outputs, stage > 0 and i == 1 and 2 or 1)
      inputs = outputs
    end
  end
  layers[#layers + 1] = nn.AdaptiveAvgPool2d(1)
  layers[#layers + 1] = nn.Flatten()
  layers[#layers + 1] = nn.Linear(inputs, classes)
  local net = nn.Sequential(unpack(layers))
  return net
end

local function normalised(pixels) return pixels:float():div(255):add(-0.47):div(0.25) end

-- Pictures shifted by up to four points, half of them mirrored.
local function augmented(x)
  local padded, result = nn.functional.pad(x, { 4, 4, 4, 4 }), torch.Tensor(x:size())
  for i = 1, x:size(1) do
    local picture = padded[i]:narrow(2, torch.random(9), side):narrow(3, torch.random(9), side)
    result[i] = torch.random(2) == 1 and picture:flip(3) or picture
  end
  return result
end

local function evaluate(net, set)
  net:eval()
  local found = {}
  torch.noGrad(function()
    for i, pixels in ipairs(set.data:split(250, 1)) do found[i] = net(normalised(pixels)):argmax(2):view(-1) end
  end)
  net:training()
  found = torch.cat(found, 1)
  return 100 * torch.eq(found, set.label:long():add(1)):double():mean(), found
end

local function draw(name, points, set, found, names)
  local columns = torch.Tensor(points):t()
  local figure = plot.figure { width = 960, height = 300 }
  figure:subplot(1, 3, 1):plot(columns[1], columns[2], 'o-'):title('loss'):xlabel('epoch'):grid()
  figure:subplot(1, 3, 2):plot(columns[1], columns[3], 'o-'):title('test accuracy [%]'):xlabel('epoch'):grid()
  local axes, count = figure:subplot(1, 3, 3), math.min(12, set.size)
  local sheet = torch.ByteTensor(3, 3 * side, 4 * side):zero()
  for i = 0, count - 1 do
    local top, left = math.floor(i / 4) * side, i % 4 * side
    sheet:narrow(2, top + 1, side):narrow(3, left + 1, side):copy(set.data[i + 1])
  end
  axes:imshow(sheet):xticks({}, {}):yticks({}, {}):title 'what the network says'
  for i = 0, count - 1 do
    local isRight = found[i + 1] == set.label[i + 1] + 1
    local text = names and names[found[i + 1]] or tostring(found[i + 1])
    local style = { anchor = 'middle', size = 9, color = isRight and 'white' or 'red' }
    axes:text(i % 4 * side + side / 2, (math.floor(i / 4) + 1) * side - 2, text, style)
  end
  figure:save(name)
end

local options = command:parse(arg or {})
if options.threads > 0 then torch.setnumthreads(options.threads) end
torch.setdefaulttensortype 'torch.FloatTensor'
torch.manualSeed(options.seed)
local train, test, names
if options.data == '' then
  train, test, names = drawShapes(options.train), drawShapes(options.test), shapeNames
  if options.write ~= '' then
    paths.mkdir(options.write)
    write(paths.concat(options.write, 'data_batch_1.bin'), train)
    write(paths.concat(options.write, 'test_batch.bin'), test)
  end
else
  local isRead, first = pcall(data.cifar.load, options.data, { part = 'train' })
  local isReadToo, second = pcall(data.cifar.load, options.data, { part = 'test' })
  if not isRead or not isReadToo then
    io.stderr:write('cifar: --data: ', ((isRead and second or first):gsub('^%S+:%d+: ', '')), '\n')
    os.exit(2, true)
  end
  train, test, names = first, second, not first.coarse and data.cifar.classes or nil
end

local net = newNet(options.depth, options.width, train.coarse and 100 or 10):requiresGrad()
local config, points = { momentum = 0.9, nesterov = true, weightDecay = 5e-4 }, {}
local optimiser, timer = optim.SGD(net:parameters(), config), torch.Timer()
local stepsPerEpoch = math.ceil(train.size / options.batch)
local step, steps = 0, stepsPerEpoch * options.epochs
for epoch = 1, options.epochs do
  local sum = 0
  for _, chosen in ipairs(torch.randperm(train.size):long():split(options.batch, 1)) do
    step = step + 1
    local rising, falling = step / stepsPerEpoch, (steps - step + 1) / math.max(1, steps - stepsPerEpoch)
    config.learningRate = options.lr * math.min(1, rising, falling)
    optimiser:zeroGrad()
    local output = net(augmented(normalised(train.data:index(1, chosen))))
    local loss = nn.functional.crossEntropy(output, train.label:index(1, chosen):long():add(1))
    loss:backward()
    optimiser:step()
    sum = sum + loss:item() * chosen:size(1)
  end
  local accuracy, found = evaluate(net, test)
  points[epoch] = { epoch, sum / train.size, accuracy }
  io.write(('epoch %d: loss %.3f, %.1f %% right, %.1f s\n'):format(epoch, sum / train.size, accuracy, timer:time().real))
  io.flush()
  if options.curve ~= '' then draw(options.curve, points, test, found, names) end
end
io.write(('%.1f %% of the test pictures are right\n'):format(points[#points][3]))
