-- Residual networks on folders of pictures: files listed and cached, transforms, loading threads that share what they read, checkpoints,
-- and the best model apart.
require 'torch'
require 'paths'
require 'optim'
require 'nn'
local image = require 'image'
local threads = require 'threads'
local ffi = require 'ffi'
threads.Threads.serialization('threads.sharedserialize')

local opts = {}
function opts.parse(arg)
  local cmd = torch.CmdLine()
  cmd:text()
  cmd:text('Residual network training script')
  cmd:text()
  cmd:text('Options:')
  cmd:option('-data', '', 'Path to dataset')
  cmd:option('-gen', paths.tmpname(), 'Path to save generated files')
  cmd:option('-nThreads', 2, 'Number of data loading threads')
  cmd:option('-nEpochs', 6, 'Number of total epochs to run')
  cmd:option('-epochNumber', 1, 'Manual epoch number (useful on restarts)')
  cmd:option('-batchSize', 10, 'mini-batch size (1 = pure stochastic)')
  cmd:option('-LR', 0.05, 'initial learning rate')
  cmd:option('-momentum', 0.9, 'momentum')
  cmd:option('-weightDecay', 1e-4, 'weight decay')
  cmd:option('-resume', 'none', 'Resume from the latest checkpoint in this directory')
  cmd:option('-manualSeed', 0, 'Manually set RNG seed')
  cmd:option('-tenCrop', 'false', 'Ten-crop testing')
  cmd:text()
  local opt = cmd:parse(arg or {})
  opt.tenCrop = opt.tenCrop ~= 'false'
  return opt
end
local opt = opts.parse(arg)
torch.setdefaulttensortype('torch.FloatTensor')
torch.setnumthreads(1)
torch.manualSeed(opt.manualSeed)
paths.mkdir(opt.gen)

------------------------------------------------------------------------ pictures: stripes across, stripes down, and rings
if opt.data == '' then
  opt.data = paths.concat(opt.gen, 'data')
  local function picture(class)
    local h, w = torch.random(24, 40), torch.random(24, 40)
    local im = torch.FloatTensor(3, h, w)
    local phase, period = torch.uniform(0, 6), torch.uniform(0.8, 1.2)
    for y = 1, h do
      for x = 1, w do
        local at = class == 'rings' and math.sqrt((x - w / 2) ^ 2 + (y - h / 2) ^ 2) or class == 'across' and y or x
        local v = 0.5 + 0.5 * math.sin(at * period + phase)
        im[1][y][x], im[2][y][x], im[3][y][x] = v, 1 - v, 0.5
      end
    end
    return im
  end
  for _, split in ipairs { 'train', 'val' } do
    for _, class in ipairs { 'across', 'down', 'rings' } do
      local folder = paths.concat(opt.data, split, class)
      os.execute('mkdir -p ' .. folder)
      for i = 1, split == 'train' and 20 or 8 do
        image.save(paths.concat(folder, i .. (i % 3 == 0 and '.png' or '.jpg')), picture(class))
      end
    end
  end
end

------------------------------------------------------------------------ the list of files, in tensors that threads share
local function findClasses(dir)
  local dirs = paths.dir(dir)
  table.sort(dirs)
  local classList, classToIdx = {}, {}
  for _, class in ipairs(dirs) do
    if not classToIdx[class] and class ~= '.' and class ~= '..' then
      table.insert(classList, class)
      classToIdx[class] = #classList
    end
  end
  return classList, classToIdx
end

local function findImages(dir, classToIdx)
  local findOptions = ' -iname "*.jpg"'
  for _, ext in ipairs { 'png', 'JPG', 'JPEG', 'ppm' } do findOptions = findOptions .. ' -o -iname "*.' .. ext .. '"' end
  local f = io.popen('find -L ' .. dir .. findOptions)
  local maxLength, imagePaths, imageClasses = -1, {}, {}
  while true do
    local line = f:read('*line')
    if not line then break end
    local className, filename = paths.basename(paths.dirname(line)), paths.basename(line)
    local path = className .. '/' .. filename
    table.insert(imagePaths, path)
    table.insert(imageClasses, classToIdx[className])
    maxLength = math.max(maxLength, #path + 1)
  end
  f:close()
  local nImages = #imagePaths
  local imagePath = torch.CharTensor(nImages, maxLength):zero()
  for i, path in ipairs(imagePaths) do ffi.copy(imagePath[i]:data(), path) end
  return imagePath, torch.LongTensor(imageClasses)
end

local function exec(cacheFile)
  local classList, classToIdx = findClasses(paths.concat(opt.data, 'train'))
  local info = { basedir = opt.data, classList = classList }
  for _, split in ipairs { 'train', 'val' } do
    local imagePath, imageClass = findImages(paths.concat(opt.data, split), classToIdx)
    info[split] = { imagePath = imagePath, imageClass = imageClass }
  end
  torch.save(cacheFile, info)
  return info
end
local cachePath = paths.concat(opt.gen, 'folder.t7')
local imageInfo = paths.filep(cachePath) and torch.load(cachePath) or exec(cachePath)
assert(#imageInfo.classList == 3 and imageInfo.train.imagePath:size(1) == 60)

------------------------------------------------------------------------ transforms
local M = {}
function M.Compose(transforms)
  return function(input)
    for _, transform in ipairs(transforms) do input = transform(input) end
    return input
  end
end
function M.ColorNormalize(meanstd)
  return function(img)
    img = img:clone()
    for i = 1, 3 do
      img[i]:add(-meanstd.mean[i])
      img[i]:div(meanstd.std[i])
    end
    return img
  end
end
function M.Scale(size, interpolation)
  interpolation = interpolation or 'bicubic'
  return function(input)
    local w, h = input:size(3), input:size(2)
    if (w <= h and w == size) or (h <= w and h == size) then return input end
    if w < h then return image.scale(input, size, h / w * size, interpolation) end
    return image.scale(input, w / h * size, size, interpolation)
  end
end
function M.CenterCrop(size)
  return function(input)
    local w1, h1 = math.ceil((input:size(3) - size) / 2), math.ceil((input:size(2) - size) / 2)
    return image.crop(input, w1, h1, w1 + size, h1 + size)
  end
end
function M.RandomSizedCrop(size)
  local scale, crop = M.Scale(size), M.CenterCrop(size)
  return function(input)
    local attempt = 0
    repeat
      local area = input:size(2) * input:size(3)
      local targetArea, aspectRatio = torch.uniform(0.5, 1.0) * area, torch.uniform(3 / 4, 4 / 3)
      local w, h = torch.round(math.sqrt(targetArea * aspectRatio)), torch.round(math.sqrt(targetArea / aspectRatio))
      if torch.uniform() < 0.5 then w, h = h, w end
      if h <= input:size(2) and w <= input:size(3) then
        local y1, x1 = torch.random(0, input:size(2) - h), torch.random(0, input:size(3) - w)
        local out = image.crop(input, x1, y1, x1 + w, y1 + h)
        assert(out:size(2) == h and out:size(3) == w, 'wrong crop size')
        return image.scale(out, size, size, 'bicubic')
      end
      attempt = attempt + 1
    until attempt >= 10
    return crop(scale(input))
  end
end
function M.HorizontalFlip(prob)
  return function(input)
    if torch.uniform() < prob then input = image.hflip(input) end
    return input
  end
end
local function blend(img1, img2, alpha) return img1:mul(alpha):add(1 - alpha, img2) end
local function grayscale(dst, img)
  dst:resizeAs(img)
  dst[1]:zero()
  dst[1]:add(0.299, img[1]):add(0.587, img[2]):add(0.114, img[3])
  dst[2]:copy(dst[1])
  dst[3]:copy(dst[1])
  return dst
end
function M.Saturation(var)
  local gs
  return function(input)
    gs = gs or input.new()
    grayscale(gs, input)
    blend(input, gs, 1.0 + torch.uniform(-var, var))
    return input
  end
end
function M.Brightness(var)
  local gs
  return function(input)
    gs = gs or input.new()
    gs:resizeAs(input):zero()
    blend(input, gs, 1.0 + torch.uniform(-var, var))
    return input
  end
end
function M.RandomOrder(ts)
  return function(input)
    local img = input.img or input
    local order = torch.randperm(#ts)
    for i = 1, #ts do img = ts[order[i]](img) end
    return img
  end
end
local meanstd = { mean = { 0.5, 0.5, 0.5 }, std = { 0.3, 0.3, 1 } }
local function preprocess(split)
  if split == 'train' then
    return M.Compose {
      M.RandomSizedCrop(16), M.RandomOrder { M.Brightness(0.2), M.Saturation(0.2) }, M.ColorNormalize(meanstd), M.HorizontalFlip(0.5),
    }
  end
  return M.Compose { M.Scale(18), M.ColorNormalize(meanstd), M.CenterCrop(16) }
end

------------------------------------------------------------------------ the loader: batches from threads, as an iterator
local DataLoader = torch.class('spec.DataLoader', {})
function DataLoader:__init(info, split)
  local manualSeed = opt.manualSeed
  local path = paths.concat(opt.data, split)
  local function init() require 'torch' require 'image' end
  local function main(idx)
    torch.setdefaulttensortype('torch.FloatTensor')
    torch.setnumthreads(1)
    torch.manualSeed(manualSeed + idx)
    _G.info, _G.preprocess = info, preprocess(split)
    _G.load = function(i)
      local file = require('ffi').string(_G.info.imagePath[i]:data())
      local ok, input = pcall(function() return image.load(paths.concat(path, file), 3, 'float') end)
      if not ok then error('no picture: ' .. file) end
      return input, _G.info.imageClass[i]
    end
    return info.imageClass:size(1)
  end
  local thread_pool, sizes = threads.Threads(opt.nThreads, init, main)
  self.threads, self.__size, self.batchSize = thread_pool, sizes[1][1], opt.batchSize
end
function DataLoader:size() return math.ceil(self.__size / self.batchSize) end
function DataLoader:run()
  local pool, size, batchSize = self.threads, self.__size, self.batchSize
  local perm = torch.randperm(size)
  local idx, sample = 1, nil
  local function enqueue()
    while idx <= size and pool:acceptsjob() do
      local indices = perm:narrow(1, idx, math.min(batchSize, size - idx + 1))
      pool:addjob(
        function(indices)
          local sz = indices:size(1)
          local batch, target = nil, torch.IntTensor(sz)
          for i, index in ipairs(indices:totable()) do
            local input, class = _G.load(index)
            input = _G.preprocess(input)
            if not batch then batch = torch.FloatTensor(sz, unpack(input:size():totable())) end
            batch[i]:copy(input)
            target[i] = class
          end
          collectgarbage()
          return { input = batch, target = target }
        end,
        function(_sample_) sample = _sample_ end,
        indices)
      idx = idx + batchSize
    end
  end
  local n = 0
  local function loop()
    enqueue()
    if not pool:hasjob() then return nil end
    pool:dojob()
    if pool:haserror() then pool:synchronize() end
    enqueue()
    n = n + 1
    return n, sample
  end
  return loop
end

------------------------------------------------------------------------ the model
local Convolution, Max, ReLU, SBatchNorm = nn.SpatialConvolution, nn.SpatialMaxPooling, nn.ReLU, nn.SpatialBatchNormalization
local function shortcut(nInputPlane, nOutputPlane, stride)
  if nInputPlane == nOutputPlane then return nn.Identity() end
  return nn.Sequential():add(nn.SpatialAveragePooling(1, 1, stride, stride))
    :add(nn.Concat(2):add(nn.Identity()):add(nn.MulConstant(0)))
end
local iChannels = 8
local function basicblock(n, stride)
  local nInputPlane = iChannels
  iChannels = n
  local s = nn.Sequential()
  s:add(Convolution(nInputPlane, n, 3, 3, stride, stride, 1, 1)):add(SBatchNorm(n)):add(ReLU(true))
  s:add(Convolution(n, n, 3, 3, 1, 1, 1, 1)):add(SBatchNorm(n))
  return nn.Sequential():add(nn.ConcatTable():add(s):add(shortcut(nInputPlane, n, stride))):add(nn.CAddTable(true)):add(ReLU(true))
end
local model = nn.Sequential()
model:add(Convolution(3, 8, 3, 3, 1, 1, 1, 1)):add(SBatchNorm(8)):add(ReLU(true)):add(Max(2, 2, 2, 2))
model:add(basicblock(8, 1)):add(basicblock(16, 2)):add(nn.SpatialAveragePooling(4, 4, 1, 1)):add(nn.View(16):setNumInputDims(3))
model:add(nn.Linear(16, 3))
for _, v in pairs(model:findModules('nn.SpatialConvolution')) do
  v.weight:normal(0, math.sqrt(2 / (v.kW * v.kH * v.nOutputPlane)))
  v.bias:zero()
end
model:get(1).gradInput = nil
local criterion = nn.CrossEntropyCriterion()

------------------------------------------------------------------------ the trainer
local Trainer = torch.class('spec.Trainer', {})
function Trainer:__init(model, criterion, opt, optimState)
  self.model, self.criterion, self.opt = model, criterion, opt
  self.optimState = optimState or {
    learningRate = opt.LR, learningRateDecay = 0.0, momentum = opt.momentum, nesterov = true, dampening = 0.0,
    weightDecay = opt.weightDecay,
  }
  self.params, self.gradParams = model:getParameters()
end
function Trainer:computeScore(output, target)
  local batchSize = output:size(1)
  local _, predictions = output:float():topk(2, 2, true, true)
  local correct = predictions:eq(target:long():view(batchSize, 1):expandAs(predictions))
  return (1.0 - correct:narrow(2, 1, 1):sum() / batchSize) * 100, (1.0 - correct:sum() / batchSize) * 100
end
function Trainer:pass(dataloader, learn)
  local top1Sum, lossSum, N = 0, 0, 0
  if learn then self.model:training() else self.model:evaluate() end
  for _, sample in dataloader:run() do
    self.input = (self.input or torch.FloatTensor()):resize(sample.input:size()):copy(sample.input)
    self.target = (self.target or torch.LongTensor()):resize(sample.target:size()):copy(sample.target)
    local output = self.model:forward(self.input):float()
    local batchSize = output:size(1)
    local loss = self.criterion:forward(self.model.output, self.target)
    if learn then
      self.model:zeroGradParameters()
      self.criterion:backward(self.model.output, self.target)
      self.model:backward(self.input, self.criterion.gradInput)
      optim.sgd(function() return self.criterion.output, self.gradParams end, self.params, self.optimState)
      assert(self.params:storage() == self.model:parameters()[1]:storage())
    end
    local top1 = self:computeScore(output, sample.target)
    top1Sum, lossSum, N = top1Sum + top1 * batchSize, lossSum + loss * batchSize, N + batchSize
  end
  return top1Sum / N, lossSum / N, N
end

local trainLoader, valLoader = DataLoader(imageInfo.train, 'train'), DataLoader(imageInfo.val, 'val')
assert(trainLoader:size() == 6 and valLoader:size() == 3)
local trainer = Trainer(model, criterion, opt)

local function deepCopy(tbl)
  local copy = {}
  for k, v in pairs(tbl) do
    if type(v) == 'table' then copy[k] = deepCopy(v) else copy[k] = v end
    if torch.isTensor(v) then copy[k] = v.new() end
  end
  if torch.typename(tbl) then torch.setmetatable(copy, torch.typename(tbl)) end
  return copy
end

local bestTop1, firstLoss, lastLoss = math.huge, nil, nil
for epoch = opt.epochNumber, opt.nEpochs do
  local trainTop1, trainLoss, n = trainer:pass(trainLoader, true)
  local testTop1 = trainer:pass(valLoader, false)
  assert(n == 60)
  print((' * Finished epoch # %d  train top1: %7.3f loss: %6.3f  test top1: %7.3f'):format(epoch, trainTop1, trainLoss, testTop1))
  firstLoss, lastLoss = firstLoss or trainLoss, trainLoss
  local saved = deepCopy(model):clearState()
  assert(saved:get(1).weight:nElement() == 0 and model:get(1).weight:nElement() == 216)
  local modelFile, optimFile = 'model_' .. epoch .. '.t7', 'optimState_' .. epoch .. '.t7'
  torch.save(paths.concat(opt.gen, modelFile), model:clearState())
  torch.save(paths.concat(opt.gen, optimFile), trainer.optimState)
  torch.save(paths.concat(opt.gen, 'latest.t7'), { epoch = epoch, modelFile = modelFile, optimFile = optimFile })
  if testTop1 < bestTop1 then
    bestTop1 = testTop1
    torch.save(paths.concat(opt.gen, 'model_best.t7'), model)
  end
end
assert(lastLoss < 0.8 * firstLoss, 'the loss falls: ' .. firstLoss .. ' became ' .. lastLoss)
assert(bestTop1 < 50, 'error ' .. bestTop1)

------------------------------------------------------------------------ going on
local latest = torch.load(paths.concat(opt.gen, 'latest.t7'))
local again = Trainer(torch.load(paths.concat(opt.gen, latest.modelFile)), criterion, opt,
  torch.load(paths.concat(opt.gen, latest.optimFile)))
assert(again.optimState.dfdx:nElement() == again.params:nElement())
local before = trainer:pass(valLoader, false)
assert(math.abs(before - again:pass(valLoader, false)) < 1e-6)

-- Files that a thread can't load are reported by name.
os.execute('rm ' .. paths.concat(opt.data, 'val', 'rings', '1.jpg'))
local done, message = pcall(trainer.pass, trainer, valLoader, false)
assert(not done and message:find('no picture: rings/1.jpg', 1, true) and message:find('[thread', 1, true), message)
os.execute('rm -r ' .. opt.gen)
print('ok')
