-- Learns to make handwritten digits of noise: `th examples/diffusion.lua`, --help for more. A small U-Net learns to tell digits and noise
-- in noisy digits; it then removes noise, a little at a time, from pictures that are nothing else, told which digit each is to become. The
-- last line printed is how many pictures a classifier of real digits reads as the digit asked for, at least 85 %.
-- Sources: Ho et al. (2020), "Denoising Diffusion Probabilistic Models", NeurIPS, algorithms 1 and 2; the amounts of noise by a cosine from
-- Nichol & Dhariwal (2021), "Improved Denoising Diffusion Probabilistic Models", ICML, equation 17; what the network tells from Salimans &
-- Ho (2022), "Progressive Distillation for Fast Sampling of Diffusion Models", ICLR, appendix D; guidance from Ho & Salimans (2022),
-- "Classifier-Free Diffusion Guidance".
local here = arg and arg[0]:match '^(.*)/[^/]*$' or '.'
package.path = here .. '/?.lua;' .. package.path

local torch, nn, optim, data = require 'torch', require 'nn', require 'optim', require 'data'
local digits, trainJudge, drawSheet = require 'digits.data', require 'digits.judge', require 'digits.sheet'

local command = torch.CmdLine()
command:text 'Learns to make handwritten digits of noise: th examples/diffusion.lua'
command:option('--data', '', "folder with MNIST's files; '' draws digits")
command:option('--pictures', 8000, 'pictures to learn from')
command:option('--epochs', 6, 'passes over them')
command:option('--batch', 32, 'pictures a step')
command:option('--width', 32, 'channels of the first layers')
command:option('--steps', 60, 'steps from a digit to noise')
command:option('--guidance', 1, 'how much more the pictures are to look like the digits asked for')
command:option('--samples', 200, 'pictures to make')
command:option('--lr', 2e-3, 'learning rate, falling to 0')
command:option('--seed', 1, 'of digits, weights and noise')
command:option('--curve', 'diffusion.svg', "where the picture goes; '' draws none")

-- A U-Net of pictures of 14 x 14, each pixel four of the digit, that knows the step and the digit; label 11: any digit.
local Net = torch.class('diffusion.Net', 'nn.Module', {})

local function conv(inputs, outputs, stride)
  local layer = nn.Conv2d(inputs, outputs, 3, { stride = stride or 1, padding = 1, bias = false })
  return nn.Sequential(layer, nn.GroupNorm(8, outputs), nn.SiLU())
end

function Net:__init(width, steps)
  nn.Module.__init(self)
  self.step, self.label = nn.Embedding(steps, 4 * width), nn.Embedding(11, 4 * width)
  self.knowledge = nn.ModuleList()
  for _, factor in ipairs { 1, 2, 4, 2, 1 } do self.knowledge:append(nn.Linear(4 * width, factor * width)) end
  self.fine1, self.fine2 = conv(4, width), conv(width, width)                                                             -- 14 x 14
  self.coarse1, self.coarse2 = conv(width, 2 * width, 2), conv(2 * width, 2 * width)                                      -- 7 x 7
  self.whole1, self.whole2 = conv(2 * width, 4 * width, 2), conv(4 * width, 4 * width)                                    -- 4 x 4
  self.coarse3, self.coarse4 = nn.ConvTranspose2d(4 * width, 2 * width, 3, { stride = 2, padding = 1 }), conv(4 * width, 2 * width)
  self.fine3 = nn.ConvTranspose2d(2 * width, width, 3, { stride = 2, padding = 1, outputPadding = 1 })
  self.fine4, self.output = conv(2 * width, width), nn.Conv2d(width, 4, 3, { padding = 1 })
end

-- For pictures x (N, 1, 28, 28), sums of a digit and noise with weights whose squares add to 1, after `steps` (N): noise times the digit's
-- weight, minus the digit times the noise's weight. `labels` (N) say which digits.
function Net:forward(x, steps, labels)
  local known = torch.add(self.step(steps), self.label(labels))
  local function told(y, i)
    local change = self.knowledge[i](known)
    return torch.add(y, change:view(change:size(1), change:size(2), 1, 1):expandAs(y))
  end
  local fine = self.fine2(told(self.fine1(nn.functional.pixelUnshuffle(x, 2)), 1))
  local coarse = self.coarse2(told(self.coarse1(fine), 2))
  local whole = self.whole2(told(self.whole1(coarse), 3))
  local y = self.coarse4(torch.cat({ told(self.coarse3(whole), 4), coarse }, 2))
  y = self.fine4(torch.cat({ told(self.fine3(y), 5), fine }, 2))
  return nn.functional.pixelShuffle(self.output(y), 2)
end

-- What is left of a digit's variance after each step, from nearly 1 to nearly 0.
local function remaining(steps)
  local function at(t) return math.cos((t / steps + 0.008) / 1.008 * math.pi / 2) ^ 2 / math.cos(0.008 / 1.008 * math.pi / 2) ^ 2 end
  local left, product = torch.Tensor(steps), 1
  for t = 1, steps do
    product = product * (1 - math.min(0.999, 1 - at(t) / at(t - 1)))
    left[t] = product
  end
  return left
end

-- Algorithm 2, with the guess of the digit clipped to its range: pictures from -1 to 1 of the digits with these labels.
local function sample(net, left, labels, guidance)
  local count, steps = labels:size(1), left:size(1)
  local x, any = torch.randn(count, 1, 28, 28), torch.LongTensor(count):fill(11)
  for t = steps, 1, -1 do
    local now, before = left[t], t > 1 and left[t - 1] or 1
    local place = torch.LongTensor(count):fill(t)
    local told = net(x, place, labels)
    if guidance > 0 then told = told * (1 + guidance) - net(x, place, any) * guidance end
    local guess = (x * math.sqrt(now) - told * math.sqrt(1 - now)):clamp(-1, 1)
    local beta = 1 - now / before
    x = guess * (math.sqrt(before) * beta / (1 - now)) + x * (math.sqrt(1 - beta) * (1 - before) / (1 - now))      -- equation 7
    if t > 1 then x = x + torch.randn(x:size()) * math.sqrt(beta * (1 - before) / (1 - now)) end
  end
  return x
end

local options = command:parse(arg or {})
torch.setdefaulttensortype 'torch.FloatTensor'
torch.manualSeed(options.seed)
local set = digits.first(digits.sets(options.data, options.seed), options.pictures)
local real = torch.div(set.images:float(), 255)
local loader = data.DataLoader(data.TensorDataset { input = real:view(-1, 1, 28, 28), label = set.labels }, {
  batchSize = options.batch, shuffle = true, seed = options.seed,
})
local net, left = torch.getmetatable('diffusion.Net').new(options.width, options.steps):requiresGrad(), remaining(options.steps)
local optimiser = optim.Adam(net:parameters(), { learningRate = options.lr })
local schedule = optim.schedule.cosine(optimiser, { period = options.epochs * loader:size(), warmup = 50 })
local average, timer, epochs, losses = optim.EMA(net:parameters(), { decay = 0.99 }), torch.Timer(), {}, {}
for epoch = 1, options.epochs do
  local sum, count = 0, 0
  for batch in loader() do
    local x, size = batch.input:mul(2):add(-1), batch.label:size(1)
    local steps, noise = torch.LongTensor(size):random(1, options.steps), torch.randn(x:size())
    local share = left:index(1, steps):view(-1, 1, 1, 1):expandAs(x)
    local ofDigit, ofNoise = torch.sqrt(share), torch.sqrt(1 - share)
    local noisy, answer = torch.cmul(ofDigit, x) + torch.cmul(ofNoise, noise), torch.cmul(ofDigit, noise) - torch.cmul(ofNoise, x)
    batch.label[torch.lt(torch.rand(size), 0.1)] = 11
    optimiser:zeroGrad()
    local loss = nn.functional.mseLoss(net(noisy, steps, batch.label), answer)
    loss:backward()
    optimiser:step()
    schedule:step()
    average:update()
    sum, count = sum + loss:item(), count + 1
  end
  epochs[epoch], losses[epoch] = epoch, sum / count
  io.write(('epoch %2d  loss %.4f, %.1f s\n'):format(epoch, losses[epoch], timer:time().real))
  io.flush()
end
average:apply()
local asked = torch.range(0, options.samples - 1):long():remainder(10):add(1)
local samples = torch.noGrad(function() return sample(net:eval(), left, asked, options.guidance) end)
samples = samples:select(2, 1):add(1):div(2)
drawSheet(options.curve, { title = 'loss', along = 'epoch', x = epochs, lines = { { 'square error', losses } } }, 'made of noise',
  samples:narrow(1, 1, math.min(100, options.samples)))
local judge = trainJudge(real, set.labels, options.seed)
local _, read = judge:read(samples)
io.write(('%.1f %% of the pictures are clear digits\n'):format((judge:score(samples))))
io.write(('ink covers %.3f of the pictures, and %.3f of real digits\n'):format(samples:mean(), real:mean()))
io.write(('%.1f %% show the digits asked for\n'):format(100 * torch.eq(read, asked):double():mean()))
