-- Learns to read handwritten digits: `th examples/digits.lua`, and `--help` for more.
-- Without files it draws its own; with `--data DIR` it reads MNIST's. The last line printed is the accuracy on pictures it hasn't seen.
local ffi = require 'ffi'
local here = arg and arg[0]:match '^(.*)/[^/]*$' or '.'
package.path = here .. '/?.lua;' .. package.path

local torch = require 'torch'
local nn, optim = require 'nn', require 'optim'
local data, newCurve = require 'digits.data', require 'curve'

local usage = [[
usage: th examples/digits.lua [options]
  --data DIR      read MNIST's files (IDX, gzipped or not) from DIR; with the t10k pair alone, the first 8,000 train
  --model NAME    lenet (default) or mlp
  --style NAME    tape (default): loss:backward();  legacy: module:backward(), Torch7's way. Both give the same numbers
  --precision P   float32 (default); bfloat16 or float16: products and convolutions in 16 bits (torch.autocast)
  --device NAME   cpu (default) or cuda: where it learns
  --epochs N      passes over the training pictures (5)
  --batch N       pictures a step (32)
  --lr X          learning rate (0.02), divided by 10 for the last fifth of the epochs
  --seed N        of weights, drawing and order (1)
  --threads N     number of threads
  --save FILE     the model's file, written after each epoch (digits.t7); the curves are next to it (digits.svg)
  --resume FILE   continue from such a file, in its style
  --pictures N    learn from the first N
  --quick         one epoch on 2,000 pictures]]

local function fail(...)
  io.stderr:write('digits: ', (...):format(select(2, ...)), '\n\n', usage, '\n')
  os.exit(2, true)
end

local function say(...)
  io.write((...):format(select(2, ...)), '\n')
  io.flush()
end

local function parse(arguments)
  local options = { model = 'lenet', style = 'tape', precision = 'float32', device = 'cpu', epochs = 5, batch = 32, lr = 0.02, seed = 1 }
  options.save = 'digits.t7'
  local numbers = { epochs = true, batch = true, lr = true, seed = true, threads = true, pictures = true }
  local texts = { data = true, model = true, style = true, precision = true, save = true, resume = true, device = true }
  local i = 1
  while i <= #arguments do
    local name, value = arguments[i]:match '^%-%-(%w+)$', arguments[i + 1]
    if name == 'help' then
      say('%s', usage)
      os.exit(0, true)
    elseif name == 'quick' then
      options.quick = true
      i = i + 1
    elseif numbers[name] or texts[name] then
      if numbers[name] and not tonumber(value) then fail('--%s: %s, expected a number', name, tostring(value)) end
      options[name] = numbers[name] and tonumber(value) or value or fail('--%s: nothing, expected a value', name)
      i = i + 2
    else
      fail('%s: not an option', arguments[i])
    end
  end
  if options.model ~= 'lenet' and options.model ~= 'mlp' then fail('--model: %s, expected lenet or mlp', options.model) end
  if options.style ~= 'tape' and options.style ~= 'legacy' then fail('--style: %s, expected tape or legacy', options.style) end
  if not options.precision:find '^b?float16$' and options.precision ~= 'float32' then
    fail('--precision: %s, expected float32, bfloat16 or float16', options.precision)
  end
  if options.device ~= 'cpu' and not options.device:find '^cuda' then fail('--device: %s, expected cpu or cuda', options.device) end
  if options.quick then options.epochs = 1 end
  return options
end

-- After LeCun et al. (1998), "Gradient-Based Learning Applied to Document Recognition", figure 2, with rectifiers and max pooling.
local function lenet()
  return nn.Sequential()
    :add(nn.SpatialConvolution(1, 16, 5, 5)):add(nn.ReLU()):add(nn.SpatialMaxPooling(2, 2))     -- 16 x 12 x 12
    :add(nn.SpatialConvolution(16, 32, 5, 5)):add(nn.ReLU()):add(nn.SpatialMaxPooling(2, 2))    -- 32 x 4 x 4
    :add(nn.View(512))
    :add(nn.Linear(512, 128)):add(nn.ReLU())
    :add(nn.Linear(128, 10)):add(nn.LogSoftMax())
end

local function mlp()
  return nn.Sequential()
    :add(nn.View(784))
    :add(nn.Linear(784, 256)):add(nn.ReLU())
    :add(nn.Linear(256, 10)):add(nn.LogSoftMax())
end

ffi.cdef [[
  int isatty(int descriptor);
  struct moontorch_timeval { long sec, usec; };
  int gettimeofday(struct moontorch_timeval *now, void *zone);
]]

local function seconds()
  local now = ffi.new 'struct moontorch_timeval'
  ffi.C.gettimeofday(now, nil)
  return tonumber(now.sec) + tonumber(now.usec) * 1e-6
end

-- The peak memory of the process, as text; nothing if the system doesn't report it.
local function peakMemory()
  local file = io.open '/proc/self/status'
  if not file then return '' end
  local kibibytes = file:read('*a'):match 'VmHWM:%s*(%d+)'
  file:close()
  return (', peak %d MiB'):format(math.floor(kibibytes / 1024 + 0.5))
end

local showsProgress = ffi.C.isatty(1) == 1

local function progress(epoch, done, total, loss)
  if not showsProgress then return end
  local filled = math.floor(30 * done / total)
  io.write(('\repoch %d [%s%s] %3d %%  loss %.4f '):format(epoch, ('='):rep(filled), (' '):rep(30 - filled), 100 * done / total, loss))
  io.flush()
end

-- Calls f in a precision. Small gradients underflow in float16, so the loss is scaled.
local function inPrecision(precision)
  local function within(f)
    if precision == 'float32' then return f() end
    return torch.autocast(precision, f)
  end
  return within, optim.GradScaler { enabled = precision == 'float16' }
end

-- One step by Torch7's protocol: the loss and its gradient as a function of the flat parameters.
local function legacyStep(net, criterion, config, state, precision)
  local within, scaler = inPrecision(precision)
  local parameters, gradients = net:getParameters()
  net:get(1).gradInput = nil   -- the gradient with respect to the pictures isn't needed
  return function(input, target)
    local function lossAndGradients()
      gradients:zero()
      local output = net:forward(input)
      local loss = criterion:forward(output, target)
      net:backward(input, scaler:scale(criterion:backward(output, target)))
      return loss, gradients
    end
    local _, losses = scaler:step(optim.sgd, function() return within(lossAndGradients) end, parameters, config, state)
    scaler:update()
    return losses[1]
  end
end

-- One step on the tape.
local function tapeStep(net, criterion, config, state, precision)
  local within, scaler = inPrecision(precision)
  local parameters = net:requiresGrad():parameters()
  local steps = optim.SGD(parameters, config)
  steps.state = state
  return function(input, target)
    steps:zeroGrad()
    local loss = within(function() return criterion(net(input), target) end)
    scaler:scale(loss):backward()
    scaler:step(steps)
    scaler:update()
    return loss:item()
  end
end

local function trainEpoch(step, set, options, epoch)
  local count = set.labels:size(1)
  local order, sum = torch.randperm(count):long(), 0
  for first = 1, count, options.batch do
    local size = math.min(options.batch, count - first + 1)
    local input, target = data.batch(set, order:narrow(1, first, size))
    local loss = step(input:to(options.device), target:to(options.device))
    sum = sum + size * loss
    progress(epoch, first + size - 1, count, sum / (first + size - 1))
  end
  return sum / count
end

-- The percentage of pictures that are classified correctly.
local function accuracy(net, set, device)
  local count, right = set.labels:size(1), 0
  local order = torch.range(1, count):long()
  net:evaluate()
  torch.noGrad(function()
    for first = 1, count, 200 do
      local input, target = data.batch(set, order:narrow(1, first, math.min(200, count - first + 1)))
      local _, best = net(input:to(device)):max(2)
      right = right + torch.eq(best:view(-1), target:to(device)):sum()
    end
  end)
  net:training()
  return 100 * right / count
end

local function readSets(options)
  local train, test = data.sets(options.data, options.seed)
  if options.quick then
    train, test = data.first(train, 2000), data.first(test, 500)
  end
  if options.pictures then
    train, test = data.first(train, options.pictures), data.first(test, options.pictures)
  end
  return train, test
end

-- Moves the tensors of a loaded file to a device.
local function brought(value, device)
  if torch.isTensor(value) then return value:to(device) end
  if type(value) ~= 'table' then return value end
  for key, item in pairs(value) do value[key] = brought(item, device) end
  return value
end

local function main(options)
  if options.threads then torch.setnumthreads(options.threads) end
  torch.manualSeed(options.seed)
  torch.setdefaulttensortype 'torch.FloatTensor'
  if options.device ~= 'cpu' then options.device = ('cuda:%d'):format(torch.cuda.device()) end

  local train, test = readSets(options)
  local saved = options.resume and torch.load(options.resume) or { epoch = 0, state = {}, style = options.style }
  local net = (saved.model or (options.model == 'mlp' and mlp or lenet)()):to(options.device)
  if saved.random then torch.setRNGState(saved.random) end
  local config, state = { momentum = 0.9, dampening = 0 }, brought(saved.state, options.device)
  local criterion = nn.ClassNLLCriterion():to(options.device)
  local step = (saved.style == 'legacy' and legacyStep or tapeStep)(net, criterion, config, state, options.precision)
  say('%d pictures to learn, %d to test\n%s', train.labels:size(1), test.labels:size(1), tostring(net))

  local reached
  local curve = newCurve(options.save:gsub('%.t7$', '') .. '.svg', 'epoch', { 'loss', 'accuracy [%]' }, saved.curve)
  for epoch = saved.epoch + 1, options.epochs do
    local start = seconds()
    config.learningRate = epoch > 0.8 * options.epochs and options.epochs > 1 and options.lr / 10 or options.lr
    local loss = trainEpoch(step, train, options, epoch)
    local spent = seconds() - start
    reached = accuracy(net, test, options.device)
    local clear = showsProgress and '\r\27[K' or ''
    say('%sepoch %d  loss %.4f  accuracy %.2f %%  %.1f s%s', clear, epoch, loss, reached, spent, peakMemory())
    curve:add(epoch, { loss, reached })
    torch.save(options.save, {
      model = net:clearState(), state = state, style = saved.style, epoch = epoch, random = torch.getRNGState(),
      curve = curve.points,
    })
  end
  say('saved as %s', options.save)
  say('accuracy %.2f %%', reached or accuracy(net, test, options.device))
end

main(parse(arg))
