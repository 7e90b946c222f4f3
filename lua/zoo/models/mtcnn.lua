--- MTCNN: three networks that find faces: candidates in pictures of any size, then two that refine squares of 24 and 48 points.
-- Parameters have the names of facenet-pytorch. Outputs, in a table: probabilities of no face and a face, corrections of the box, and with
-- onet five landmarks. Columns of a picture come before its rows in the linear maps, as in the original's memory.
-- Source: the paper below, figure 2.
-- @module zoo.models.mtcnn
local torch, nn = require 'torch', require 'nn'

local Net = torch.class('zoo.Mtcnn', 'nn.Module', {})

-- Adds a layer and its activation.
local function add(self, name, layer, outputs)
  self[name] = layer
  self['prelu' .. name:match '%d'] = nn.PReLU(outputs)
end

function Net:__init(o)
  local inputs = 3
  self.pools = {}
  for i, conv in ipairs(o.convs) do
    local outputs, size, pool = unpack(conv)
    add(self, 'conv' .. i, nn.Conv2d(inputs, outputs, size), outputs)
    self.pools[i] = pool or false
    inputs = outputs
  end
  local last = #o.convs + 1
  self.depth = #o.convs
  if o.dense then
    self.denseName = 'dense' .. last
    add(self, self.denseName, nn.Linear(inputs * 9, o.dense), o.dense)
    last = last + 1
  end
  self.heads = {}
  for i, outputs in ipairs(o.outputs) do
    self.heads[i] = ('%s%d_%d'):format(o.dense and 'dense' or 'conv', last, i)
    self[self.heads[i]] = o.dense and nn.Linear(o.dense, outputs) or nn.Conv2d(inputs, outputs, 1)
  end
end

function Net:forward(x)
  for i = 1, self.depth do
    x = self['prelu' .. i](self['conv' .. i](x))
    local pool = self.pools[i]
    if pool then x = nn.functional.maxPool2d(x, pool, 2, 0, 1, true) end
  end
  if self.denseName then
    x = torch.flatten(torch.contiguous(x:permute(1, 4, 3, 2)), 2)
    x = self['prelu' .. self.denseName:match '%d'](self[self.denseName](x))
  end
  local outputs = {}
  for i, name in ipairs(self.heads) do
    local y = self[name](x)
    outputs[i] = i == 1 and nn.functional.softmax(y, 2) or y
  end
  return unpack(outputs)
end

return require 'zoo.declare' {
  title = 'MTCNN',
  paper = 'Zhang et al. (2016), "Joint Face Detection and Alignment Using Multitask Cascaded Convolutional Networks", IEEE SPL 23',
  input = function(o) return { 3, o.size, o.size } end,
  normalisation = { mean = { 0.5, 0.5, 0.5 }, std = { 0.502, 0.502, 0.502 } },      -- (byte - 127.5) / 128
  options = {},
  models = {
    mtcnn_pnet = { size = 12, convs = { { 10, 3, 2 }, { 16, 3 }, { 32, 3 } }, outputs = { 2, 4 } },
    mtcnn_rnet = { size = 24, convs = { { 28, 3, 3 }, { 48, 3, 3 }, { 64, 2 } }, dense = 128, outputs = { 2, 4 } },
    mtcnn_onet = {
      size = 48, convs = { { 32, 3, 3 }, { 64, 3, 3 }, { 64, 3, 2 }, { 128, 2 } }, dense = 256, outputs = { 2, 4, 10 },
    },
  },
  make = function(o) return Net.new(o) end,
  samples = {
    { 'mtcnn_pnet', {}, { 2, 3, 25, 18 } }, { 'mtcnn_rnet', {}, { 1, 3, 24, 24 } }, { 'mtcnn_onet', {}, { 1, 3, 48, 48 } },
  },
}
