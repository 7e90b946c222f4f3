--- A variational autoencoder of digits: pictures to normal distributions of a few numbers, and back.
-- `net(x)`, x (N, 1, 28, 28) or (N, 784) from 0 to 1, returns pictures (N, 784), means and logarithms of variances (N, latentDim). Training
-- draws from the distributions, by the trick of section 2.4; evaluation takes their means. `net:loss(x)` is what training minimises,
-- `net:encode(x)` and `net:decode(z)` are the halves.
-- Source: the paper below, appendices B and C.1; names of parameters as in PyTorch's example `vae`.
-- @module zoo.models.vae
local torch, nn = require 'torch', require 'nn'

local Vae = torch.class('zoo.Vae', 'nn.Module', {})

function Vae:__init(o)
  self.inputDim = o.inputDim
  self.fc1 = nn.Linear(o.inputDim, o.hiddenDim)
  self.fc21, self.fc22 = nn.Linear(o.hiddenDim, o.latentDim), nn.Linear(o.hiddenDim, o.latentDim)
  self.fc3, self.fc4 = nn.Linear(o.latentDim, o.hiddenDim), nn.Linear(o.hiddenDim, o.inputDim)
end

-- Returns the means and the logarithms of the variances.
function Vae:encode(x)
  local hidden = torch.relu(self.fc1(torch.view(torch.contiguous(x), -1, self.inputDim)))
  return self.fc21(hidden), self.fc22(hidden)
end

-- Returns the logits of the pictures.
function Vae:logits(z) return self.fc4(torch.relu(self.fc3(z))) end

function Vae:decode(z) return torch.sigmoid(self:logits(z)) end

-- Returns a draw from each distribution.
function Vae:drawn(mean, logVariance)
  if self.train == false then return mean end
  local noise = torch.randn(mean:size()):typeAs(mean)
  return torch.add(mean, torch.cmul(torch.exp(torch.mul(logVariance, 0.5)), noise))
end

function Vae:forward(x)
  local mean, logVariance = self:encode(x)
  return self:decode(self:drawn(mean, logVariance)), mean, logVariance
end

-- Returns the cross-entropy of the pictures plus the divergence from the normal distribution, equation 10 of the paper, sums of the batch.
function Vae:loss(x)
  local mean, logVariance = self:encode(x)
  local logits = self:logits(self:drawn(mean, logVariance))
  local target = torch.view(torch.contiguous(x), -1, self.inputDim)
  local entropy = nn.functional.binaryCrossEntropyWithLogits(logits, target, { reduction = 'sum' })
  local terms = torch.add(torch.add(torch.add(logVariance, 1), -1, torch.pow(mean, 2)), -1, torch.exp(logVariance))
  return torch.add(entropy, -0.5, torch.sum(terms))
end

return require 'zoo.declare' {
  title = 'VAE',
  paper = 'Kingma & Welling (2014), "Auto-Encoding Variational Bayes", ICLR',
  input = function(o) return { o.inputDim } end, normalisation = 'pictures from 0 to 1',
  options = {
    { 'inputDim', 'int', min = 1, default = 784 }, { 'hiddenDim', 'int', min = 1, default = 400 },
    { 'latentDim', 'int', min = 1, default = 20 },
  },
  models = { vae = {} },
  make = function(o) return Vae.new(o) end,
  samples = { { 'vae', { inputDim = 12, hiddenDim = 7, latentDim = 3 }, { 2, 12 } } },
}
