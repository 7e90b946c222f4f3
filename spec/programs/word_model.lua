--[[
Words one after another: a recurrent net of the script's own classes, in the manner of the package rnn, over dataload's sequences; a pool of
threads that counts; options in tables. Written for a machine with a GPU, run on one without.
]]
unpack = table.unpack or unpack
local torch = require 'torch'
require 'nn'
require 'cunn'
require 'optim'
local dl = require 'dataload'
local threads = require 'threads'
local class = require 'class'
require 'pprint'

local opt = {
  seed = 2, seqlen = 5, batchsize = 6, hiddensize = { 12, 12 }, epochs = 16, lr = 1.5, cutoff = 4, cuda = false, nthread = 2,
}
opt.id = dl.uniqueid('words', '-')
assert(#dl.splitString(opt.id, '-') == 3)
table.print(opt)
torch.manualSeed(opt.seed)

-- a list with a length, and a table with an iterator ----------------------------------------------
local Stack = class('words.Stack')
function Stack:__init(...) self.n, self.entries = select('#', ...), table.pack(...) end
local proxy = setmetatable({}, { __pairs = function() return next, { a = 1 }, nil end })
for key, value in pairs(proxy) do assert(key == 'a' and value == 1) end
assert(Stack('a', nil, 'c').entries.n == 3 and Stack('a', nil, 'c').n == 3)
local chunk = load('return hidden * 2', '=chunk', 't', { hidden = 21 })
assert(chunk() == 42)

-- text ------------------------------------------------------------------------------------------------------------------------
local sentence = ('the cat sees the dog and the dog sees the cat <eos>')
local words = {}
for i = 1, 30 do
  for _, word in ipairs(dl.splitString(sentence, ' ')) do words[#words + 1] = word end
end
local vocab, ivocab = dl.buildVocab(words)
local train = dl.SequenceLoader(dl.text2tensor(words, vocab), opt.batchsize)

-- classes in nn's table, under names that nn leaves to packages ----------------------------------------------------------------
assert(nn.LSTM == nil and nn.Sequencer == nil and nn.GRU == nil)
local LSTM, parent = torch.class('nn.LSTM', 'nn.Container')

function LSTM:__init(inputSize, outputSize)
  parent.__init(self)
  self.outputSize = outputSize
  self.i2g, self.o2g = nn.Linear(inputSize, 4 * outputSize), nn.Linear(outputSize, 4 * outputSize)
  self.o2g:noBias()
  local gates = nn.Sequential()
  gates:add(nn.ParallelTable():add(self.i2g):add(self.o2g)):add(nn.CAddTable())
  self.gates, self.modules = gates, { gates }
  self:forget()
end

function LSTM:forget() self.h, self.c, self.saved, self.carried = {}, {}, {}, nil end

-- x is a T x N x D tensor: the whole sequence
function LSTM:updateOutput(x)
  local T, N, H = x:size(1), x:size(2), self.outputSize
  self:forget()
  self.h[0], self.c[0] = torch.zeros(N, H), torch.zeros(N, H)
  self.output:resize(T, N, H)
  for t = 1, T do
    local a = self.gates:forward({ x[t], self.h[t - 1] })
    local ifo, g = torch.sigmoid(a:narrow(2, 1, 3 * H)), torch.tanh(a:narrow(2, 3 * H + 1, H))
    self.c[t] = torch.cmul(ifo:narrow(2, H + 1, H), self.c[t - 1]):addcmul(ifo:narrow(2, 1, H), g)
    self.h[t] = torch.cmul(ifo:narrow(2, 2 * H + 1, H), torch.tanh(self.c[t]))
    self.saved[t] = { ifo, g }
    self.output[t]:copy(self.h[t])
  end
  return self.output
end

function LSTM:backward(x, gradOutput, scale)
  local H = self.outputSize
  local dh, dc = torch.zeros(x:size(2), H), torch.zeros(x:size(2), H)
  self.gradInput:resizeAs(x)
  for t = x:size(1), 1, -1 do
    local ifo, g = unpack(self.saved[t])
    local i, f, o = ifo:narrow(2, 1, H), ifo:narrow(2, H + 1, H), ifo:narrow(2, 2 * H + 1, H)
    local tc, da = torch.tanh(self.c[t]), torch.Tensor(x:size(2), 4 * H)
    dh:add(gradOutput[t])
    dc:add(torch.cmul(dh, o):cmul(torch.pow(tc, 2):mul(-1):add(1)))
    da:narrow(2, 1, H):copy(dc):cmul(g):cmul(i):cmul(torch.mul(i, -1):add(1))
    da:narrow(2, H + 1, H):copy(dc):cmul(self.c[t - 1]):cmul(f):cmul(torch.mul(f, -1):add(1))
    da:narrow(2, 2 * H + 1, H):copy(dh):cmul(tc):cmul(o):cmul(torch.mul(o, -1):add(1))
    da:narrow(2, 3 * H + 1, H):copy(dc):cmul(i):cmul(torch.pow(g, 2):mul(-1):add(1))
    local input = { x[t], self.h[t - 1] }
    self.gates:forward(input)
    local dx = self.gates:backward(input, da, scale)
    self.gradInput[t]:copy(dx[1])
    dh:copy(dx[2])
    dc:cmul(f)
  end
  return self.gradInput
end

-- the step's gradient agrees with differences
local cell, px, pg = nn.LSTM(2, 3), torch.randn(3, 1, 2), torch.randn(3, 1, 3)
cell:forward(px)
cell:zeroGradParameters()
local slope, eps = cell:backward(px, pg)[1][1][2], 1e-5
px[1][1][2] = px[1][1][2] + eps
local above = torch.cmul(cell:forward(px), pg):sum()
px[1][1][2] = px[1][1][2] - 2 * eps
local below = torch.cmul(cell:forward(px), pg):sum()
assert(math.abs((above - below) / (2 * eps) - slope) < 1e-7)

-- the model: a Linear maps each step of each column ------------------------------------------------------------------------------
local model = nn.Sequential():add(nn.LookupTable(#ivocab, opt.hiddensize[1]))
for i, size in ipairs(opt.hiddensize) do model:add(nn.LSTM(opt.hiddensize[math.max(i - 1, 1)], size)) end
model:add(nn.Linear(opt.hiddensize[#opt.hiddensize], #ivocab)):add(nn.View(-1, #ivocab)):add(nn.LogSoftMax())
local criterion = nn.ClassNLLCriterion()
if opt.cuda then model:cuda() end

local losses = {}
for epoch = 1, opt.epochs do
  local sum, steps = 0, 0
  for _, inputs, targets in train:subiter(opt.seqlen, train:size()) do
    local outputs = model:forward(inputs)
    sum, steps = sum + criterion:forward(outputs, targets:contiguous():view(-1)), steps + 1
    model:zeroGradParameters()
    model:backward(inputs, criterion:backward(outputs, targets:contiguous():view(-1)))
    local _, grads = model:parameters()
    local norm = 0
    for _, g in ipairs(grads) do norm = norm + g:norm() ^ 2 end
    if math.sqrt(norm) > opt.cutoff then for _, g in ipairs(grads) do g:mul(opt.cutoff / math.sqrt(norm)) end end
    model:updateParameters(opt.lr)
  end
  losses[epoch] = math.exp(sum / steps)
end
assert(losses[#losses] < 0.6 * losses[1], pprint.string(losses))

-- threads count words; the program terminates the pool twice -----------------------------------------------
local pool = threads.Threads(opt.nthread, function() unpack = table.unpack or unpack end)
local counts = {}
for word in pairs(vocab) do
  pool:addjob(function()
    local n = 0
    for _, other in ipairs(words) do if other == word then n = n + 1 end end
    return word, n
  end, function(w, n) counts[w] = n end)
end
pool:terminate()
pool:synchronize()
pool:terminate()
assert(counts.the == 120 and counts['<eos>'] == 30)

local report = string.format
  ('perplexity %.1f -> %.1f', losses[1], losses[#losses])
print(report)
print 'ok'
os.exit(true, true)
