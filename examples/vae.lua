-- Learns the distribution of handwritten digits: `th examples/vae.lua`, and --help for more. A variational autoencoder gives each picture a
-- normal distribution of twenty numbers; pictures of random numbers are digits of its own. Pictures are black and white, so that the loss
-- is an upper bound of the information in a digit. The last line printed is this bound on unseen digits, in nats a digit, below 105.
-- Source: Kingma & Welling (2014), "Auto-Encoding Variational Bayes", ICLR.
local here = arg and arg[0]:match '^(.*)/[^/]*$' or '.'
package.path = here .. '/?.lua;' .. package.path

local torch, optim, zoo, data, D = require 'torch', require 'optim', require 'zoo', require 'data', require 'distributions'
local digits, drawSheet = require 'digits.data', require 'digits.sheet'

local command = torch.CmdLine()
command:text 'Learns the distribution of handwritten digits: th examples/vae.lua'
command:option('--data', '', "folder with MNIST's files; '' draws digits")
command:option('--pictures', 8000, 'pictures to learn from')
command:option('--epochs', 20, 'passes over them')
command:option('--hidden', 400, 'size of the hidden layers')
command:option('--latent', 20, 'numbers that describe a picture')
command:option('--lr', 2e-3, 'learning rate, falling to 0')
command:option('--draws', 50, 'draws for the tighter bound')
command:option('--seed', 1, 'of digits, weights and draws')
command:option('--curve', 'vae.svg', "where the picture goes; '' draws none")

local function inkOf(set) return torch.gt(set.images, 127):float():view(-1, 784) end

-- Three figures in nats a picture: what the pictures cost, given the numbers; what the numbers cost, which is the divergence of their
-- distributions from the normal one; and by importance sampling (Burda et al., 2016, section 3) a bound that is tighter than the sum.
local function boundsOf(net, x, draws)
  return torch.noGrad(function()
    local mean, logVariance = net:encode(x)
    local posterior, prior, costs, weights = D.Normal(mean, torch.exp(torch.mul(logVariance, 0.5))), D.Normal(0, 1), 0, {}
    for i = 1, draws do
      local z = posterior:sample()
      local logLikelihood = D.Bernoulli({ logits = net:logits(z) }):logProb(x):sum(2)
      weights[i] = logLikelihood + (prior:logProb(z) - posterior:logProb(z)):sum(2)
      costs = costs - logLikelihood:mean() / draws
    end
    local tighter = math.log(draws) - torch.logsumexp(torch.cat(weights, 2), 2):mean()
    return costs, D.kl(posterior, prior):sum(2):mean(), tighter
  end)
end

local options = command:parse(arg or {})
torch.setdefaulttensortype 'torch.FloatTensor'
torch.manualSeed(options.seed)
local train, test = digits.sets(options.data, options.seed)
train, test = inkOf(digits.first(train, options.pictures)), inkOf(test)
local loader = data.DataLoader(data.TensorDataset(train), { batchSize = 100, shuffle = true, seed = options.seed })
local net = zoo.make('vae', { hiddenDim = options.hidden, latentDim = options.latent }):requiresGrad()
local optimiser = optim.Adam(net:parameters(), { learningRate = options.lr })
local schedule = optim.schedule.cosine(optimiser, { period = options.epochs })
local timer, epochs, training, testing = torch.Timer(), {}, {}, {}
for epoch = 1, options.epochs do
  local sum = 0
  for batch in loader() do
    optimiser:zeroGrad()
    local loss = torch.div(net:loss(batch), batch:size(1))
    loss:backward()
    optimiser:step()
    sum = sum + loss:item() * batch:size(1)
  end
  schedule:step()
  local costs, divergence = boundsOf(net, test, 1)
  epochs[epoch], training[epoch], testing[epoch] = epoch, sum / train:size(1), costs + divergence
  io.write(('epoch %2d  training %.1f  test %.1f nats a digit, %.1f s\n'):format(epoch, training[epoch], testing[epoch], timer:time().real))
  io.flush()
end
local costs, divergence, tighter = boundsOf(net, test, options.draws)
local samples = torch.noGrad(function() return net:decode(torch.randn(100, options.latent)) end)
drawSheet(options.curve, {
  title = 'bound [nats a digit]', along = 'epoch', x = epochs, lines = { { 'training', training }, { 'test', testing } },
}, 'digits of random numbers', samples:view(-1, 28, 28))
io.write(('pictures %.2f + numbers %.2f nats a digit; with %d draws %.2f\n'):format(costs, divergence, options.draws, tighter))
io.write(('the bound is %.2f nats a digit\n'):format(costs + divergence))
