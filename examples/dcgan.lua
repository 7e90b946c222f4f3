-- Learns to draw handwritten digits by a game: `th examples/dcgan.lua`, and --help for more. One network draws, another one tells drawings
-- from real digits, and each learns from the other. The last line printed is how many drawings a classifier of real digits reads with a
-- probability of 90 % or more, at least 50 %, and how many show the rarest digit, at least 2 %; of unseen real digits it reads about 90 %.
-- Source: Radford et al. (2016), "Unsupervised Representation Learning with Deep Convolutional Generative Adversarial Networks", ICLR.
local here = arg and arg[0]:match '^(.*)/[^/]*$' or '.'
package.path = here .. '/?.lua;' .. package.path

local torch, nn, optim, zoo, data = require 'torch', require 'nn', require 'optim', require 'zoo', require 'data'
local digits, trainJudge, drawSheet = require 'digits.data', require 'digits.judge', require 'digits.sheet'

local command = torch.CmdLine()
command:text 'Learns to draw handwritten digits by a game of two networks: th examples/dcgan.lua'
command:option('--data', '', "folder with MNIST's files; '' draws digits")
command:option('--pictures', 8000, 'pictures to learn from')
command:option('--epochs', 8, 'passes over them')
command:option('--batch', 32, 'pictures a step')
command:option('--width', 16, 'channels of the layer of the largest pictures')
command:option('--noise', 32, 'random numbers that a drawing is made of')
command:option('--lr', 5e-4, 'learning rate of both networks')
command:option('--smooth', 0.9, 'probability that the judging network is to give real digits; 1 makes it sure of itself')
command:option('--seed', 1, 'of digits, weights and noise')
command:option('--curve', 'dcgan.svg', "where the picture goes; '' draws none")

local options = command:parse(arg or {})
torch.setdefaulttensortype 'torch.FloatTensor'
torch.manualSeed(options.seed)
local set, test = digits.sets(options.data, options.seed)
set = digits.first(set, options.pictures)
local function greyOf(some) return torch.div(some.images:float(), 255) end
local real = greyOf(set)
-- The networks know 32 x 32 pixels from -1 to 1.
local enlarged = nn.functional.pad(torch.add(torch.mul(real, 2), -1), { 2, 2, 2, 2 }, 'constant', -1):view(-1, 1, 32, 32)
local loader = data.DataLoader(data.TensorDataset(enlarged), {
  batchSize = options.batch, shuffle = true, dropLast = true, seed = options.seed,
})
local sizes = { imageSize = 32, nc = 1, nz = options.noise, ngf = options.width, ndf = options.width }
local generator, discriminator = zoo.make('dcgan_generator', sizes):requiresGrad(), zoo.make('dcgan_discriminator', sizes):requiresGrad()

local function steps(net) return optim.Adam(net:parameters(), { learningRate = options.lr, beta1 = 0.5 }) end

local function noise(count) return torch.randn(count, options.noise, 1, 1) end

-- What a network pays if the discriminator gives the pictures other probabilities of being real.
local function cost(pictures, probability)
  local judged = discriminator(pictures)
  return nn.functional.binaryCrossEntropy(judged, torch.Tensor(judged:size(1)):fill(probability))
end

local drawing, telling, timer = steps(generator), steps(discriminator), torch.Timer()
local epochs, drawn, told = {}, {}, {}
for epoch = 1, options.epochs do
  local drawerPays, tellerPays, count = 0, 0, 0
  for batch in loader() do
    local fake = generator(noise(options.batch))
    telling:zeroGrad()
    local teller = cost(batch, options.smooth) + cost(fake:detach(), 0)
    teller:backward()
    telling:step()
    drawing:zeroGrad()
    local drawer = cost(fake, 1)
    drawer:backward()
    drawing:step()
    drawerPays, tellerPays, count = drawerPays + drawer:item(), tellerPays + teller:item(), count + 1
  end
  epochs[epoch], drawn[epoch], told[epoch] = epoch, drawerPays / count, tellerPays / count
  io.write(('epoch %2d  drawing %.2f  telling %.2f, %.1f s\n'):format(epoch, drawn[epoch], told[epoch], timer:time().real))
  io.flush()
end
local samples = torch.noGrad(function() return generator:eval()(noise(1000)) end)
samples = samples:select(2, 1):narrow(2, 3, 28):narrow(3, 3, 28):add(1):div(2)
drawSheet(options.curve, {
  title = 'loss [nats]', along = 'epoch', x = epochs, lines = { { 'generator', drawn }, { 'discriminator', told } },
}, 'drawings', samples:narrow(1, 1, 100))
local judge = trainJudge(real, set.labels, options.seed)
io.write(('ink covers %.3f of drawings, and %.3f of real digits\n'):format(samples:mean(), real:mean()))
io.write(('%.1f %% of unseen real digits are clear\n'):format((judge:score(greyOf(test)))))
io.write(('%.1f %% of drawings are clear digits, %.1f %% show the rarest one\n'):format(judge:score(samples)))
