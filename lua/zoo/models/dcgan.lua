--- DCGAN: a generator of pictures from random vectors, and the discriminator that it is trained against.
-- The generator makes (N, nc, imageSize, imageSize), from -1 to 1, of normal vectors (N, nz, 1, 1); the discriminator gives each picture a
-- probability (N) that it is real. Each layer but one doubles or halves the picture: those of the paper's form make 64 of 4.
-- Source: the paper below, section 3; layers and names of parameters as in PyTorch's example `dcgan`.
-- @module zoo.models.dcgan
local torch, nn, check = require 'torch', require 'nn', require 'torch.check'

local Net = torch.class('zoo.Dcgan', 'nn.Module', {})

-- Arguments: the layers; whether there is one number for each picture.
function Net:__init(layers, isScalar)
  self.main, self.isScalar = layers, isScalar
  for _, module in ipairs(layers:listModules()) do
    if torch.isTypeOf(module, 'nn.BatchNorm2d') then
      nn.init.normal(module.weight, 1, 0.02)
    elseif module.weight then
      nn.init.normal(module.weight, 0, 0.02)
    end
  end
end

function Net:forward(x)
  local y = self.main(x)
  return self.isScalar and torch.view(y, -1) or y
end

-- Multiples of a picture's channels in the layers, from 1 in its own size / 2 to that in 4 x 4.
local function widest(o)
  local factor = o.imageSize / 8
  local isPower = math.frexp(factor) == 0.5
  check.that(isPower, ('zoo.make: dcgan: imageSize: %d, expected 8, 16, 32, 64 or a further power of 2'):format(o.imageSize))
  return factor
end

local function generator(o)
  local factor = widest(o)
  local layers = nn.Sequential(nn.ConvTranspose2d(o.nz, o.ngf * factor, 4, { bias = false }))
  while factor > 1 do
    layers:add(nn.BatchNorm2d(o.ngf * factor)):add(nn.ReLU())
    layers:add(nn.ConvTranspose2d(o.ngf * factor, o.ngf * factor / 2, 4, { stride = 2, padding = 1, bias = false }))
    factor = factor / 2
  end
  layers:add(nn.BatchNorm2d(o.ngf)):add(nn.ReLU())
  layers:add(nn.ConvTranspose2d(o.ngf, o.nc, 4, { stride = 2, padding = 1, bias = false })):add(nn.Tanh())
  return Net.new(layers, false)
end

local function discriminator(o)
  local function conv(inputs, outputs) return nn.Conv2d(inputs, outputs, 4, { stride = 2, padding = 1, bias = false }) end
  local layers, last, factor = nn.Sequential(conv(o.nc, o.ndf), nn.LeakyReLU(0.2)), widest(o), 1
  while factor < last do
    layers:add(conv(o.ndf * factor, o.ndf * factor * 2)):add(nn.BatchNorm2d(o.ndf * factor * 2)):add(nn.LeakyReLU(0.2))
    factor = factor * 2
  end
  layers:add(nn.Conv2d(o.ndf * last, 1, 4, { bias = false })):add(nn.Sigmoid())
  return Net.new(layers, true)
end

return require 'zoo.declare' {
  title = 'DCGAN',
  paper = 'Radford et al. (2016), "Unsupervised Representation Learning with Deep Convolutional Generative Adversarial Networks", ICLR',
  input = function(o) return o.isGenerator and { o.nz, 1, 1 } or { o.nc, o.imageSize, o.imageSize } end,
  normalisation = 'pictures from -1 to 1, random vectors of the normal distribution',
  options = {
    { 'nc', 'int', min = 1, default = 3 }, { 'nz', 'int', min = 1, default = 100 }, { 'ngf', 'int', min = 1, default = 64 },
    { 'ndf', 'int', min = 1, default = 64 }, { 'imageSize', 'int', min = 8, default = 64 },
  },
  models = { dcgan_generator = { isGenerator = true }, dcgan_discriminator = {} },
  make = function(o) return o.isGenerator and generator(o) or discriminator(o) end,
  samples = {
    { 'dcgan_generator', { nz = 5, ngf = 2, nc = 1 }, { 2, 5, 1, 1 } }, { 'dcgan_discriminator', { ndf = 2 }, { 2, 3, 64, 64 } },
    { 'dcgan_generator', { nz = 3, ngf = 2, imageSize = 32 }, { 2, 3, 1, 1 } },
    { 'dcgan_discriminator', { ndf = 2, nc = 1, imageSize = 8 }, { 3, 1, 8, 8 } },
  },
}
