-- A translation model: an encoder and a decoder with attention learn to spell words of one toy language in another, backwards.
require 'torch'
require 'nn'
require 'optim'
require 'paths'

torch.setdefaulttensortype('torch.FloatTensor')

onmt = { Constants = { PAD = 1, BOS = 2, EOS = 3 }, utils = {} }
local PAD, BOS, EOS = onmt.Constants.PAD, onmt.Constants.BOS, onmt.Constants.EOS

------------------------------------------------------------------------ the command line
local ExtendedCmdLine, lineParent = torch.class('onmt.ExtendedCmdLine', 'torch.CmdLine')

function ExtendedCmdLine:__init(script)
  self.script = script
  lineParent.__init(self)
end

function ExtendedCmdLine:option(key, default, help, kind, meta)
  for _, line in ipairs(self.helplines) do
    assert(type(line) ~= 'table' or line.key ~= key, 'Duplicate options declaration: ' .. key)
  end
  lineParent.option(self, key, default, help, kind)
  self.options[key].meta = meta or {}
end

function ExtendedCmdLine:__readOption__(params, arg, i)
  local option = self.options[arg[i]]
  local name = arg[i]:gsub('^%-+', '')
  if option and option.type == 'table' then
    local values, taken = {}, 1
    while arg[i + taken] and not self.options[arg[i + taken]] do
      table.insert(values, tonumber(arg[i + taken]) or arg[i + taken])
      taken = taken + 1
    end
    params[name] = values
    return taken
  end
  local taken = lineParent.__readOption__(self, params, arg, i)
  local enum = option.meta.enum
  if enum and not enum[params[name]] then self:error('option ' .. arg[i] .. ': ' .. params[name] .. ' is not among its values') end
  return taken
end

function ExtendedCmdLine:error(message) error(self.script .. ': ' .. message, 0) end

local cmd = onmt.ExtendedCmdLine('train.lua')
cmd:text('')
cmd:text('**Model options**')
cmd:option('-word_vec_size', 12, 'size of the embeddings')
cmd:option('-rnn_size', 24, 'size of the hidden state')
cmd:option('-dropout', 0, 'probability of dropping')
cmd:option('-epochs', { 1, 30 }, 'epochs by sgd, then by adam, at most')
cmd:option('-optim', 'adam', 'method', 'string', { enum = { sgd = true, adam = true } })
cmd:option('-max_grad_norm', 5, 'clip the gradient')
cmd:option('-learning_rate', 0.5, 'of sgd')
cmd:option('-profiler', false, 'measure')
cmd:option('-save_model', paths.tmpname(), 'folder')
opt = cmd:parse(arg)

assert(#opt.epochs == 2 and opt.epochs[2] == 30 and opt.profiler == false)
local other = cmd:parse { '-epochs', '3', '4', '5', '-profiler', '-rnn_size', '7', '-optim', 'sgd' }
assert(#other.epochs == 3 and other.epochs[3] == 5 and other.profiler and other.rnn_size == 7)
local good, message = pcall(cmd.parse, cmd, { '-optim', 'sgdd' })
assert(not good and message == 'train.lua: option -optim: sgdd is not among its values', message)
good, message = pcall(cmd.parse, cmd, { '-rnn_size' })
assert(not good and message:find('^train.lua: '))
good, message = pcall(cmd.option, cmd, '-optim', '', '')
assert(not good and message:find('Duplicate options'))

------------------------------------------------------------------------ the model
local Network, parent = torch.class('onmt.Network', 'nn.Container')

function Network:__init(net)
  parent.__init(self)
  self:add(net)                 -- net may be nil: it is set later
end

function Network:setNet(net)
  self.modules = { net }
  self.net = net
  return self
end

function Network:updateOutput(input)
  self.output = self.modules[1]:updateOutput(input)
  return self.output
end

function Network:updateGradInput(input, gradOutput)
  self.gradInput = self.modules[1]:updateGradInput(input, gradOutput)
  return self.gradInput
end

function Network:accGradParameters(input, gradOutput, scale) self.modules[1]:accGradParameters(input, gradOutput, scale) end

local function path(i, ...)
  local net = nn.Sequential():add(nn.SelectTable(i))
  for _, module in ipairs { ... } do net:add(module) end
  return net
end

local LSTM, lstmParent = torch.class('onmt.LSTM', 'onmt.Network')

-- {x, c, h} -> {c, h}
function LSTM:__init(inputSize, H)
  lstmParent.__init(self)
  assert(#self.modules == 0)
  local function gate(k, transfer) return path(1, nn.Narrow(2, (k - 1) * H + 1, H), transfer) end
  local sums = nn.Sequential()
    :add(nn.ConcatTable():add(path(1, nn.Linear(inputSize, 4 * H))):add(path(3, nn.Linear(H, 4 * H))))
    :add(nn.CAddTable())
  local cell = nn.Sequential()
    :add(nn.ConcatTable()
      :add(nn.Sequential():add(nn.ConcatTable():add(gate(1, nn.Sigmoid())):add(gate(2, nn.Tanh()))):add(nn.CMulTable()))
      :add(nn.Sequential():add(nn.ConcatTable():add(gate(3, nn.Sigmoid())):add(nn.SelectTable(2))):add(nn.CMulTable())))
    :add(nn.CAddTable())
  self:setNet(nn.Sequential()
    :add(nn.ConcatTable():add(sums):add(nn.SelectTable(2)))
    :add(nn.ConcatTable():add(cell):add(gate(4, nn.Sigmoid())))
    :add(nn.ConcatTable():add(nn.SelectTable(1))
      :add(nn.Sequential():add(nn.ParallelTable():add(nn.Tanh()):add(nn.Identity())):add(nn.CMulTable()))))
end

local Attention, attentionParent = torch.class('onmt.GlobalAttention', 'onmt.Network')

-- {h (N x H), context (N x S x H)} -> N x H
function Attention:__init(H)
  attentionParent.__init(self)
  local weights = nn.Sequential()
    :add(nn.ParallelTable():add(nn.Sequential():add(nn.Linear(H, H, false)):add(nn.Replicate(1, 3))):add(nn.Identity()))
    :add(nn.ConcatTable():add(nn.SelectTable(2)):add(nn.SelectTable(1)))
    :add(nn.MM()):add(nn.Squeeze(3)):add(nn.SoftMax()):add(nn.Replicate(1, 2))
  self:setNet(nn.Sequential()
    :add(nn.ConcatTable()
      :add(nn.Sequential():add(nn.ConcatTable():add(weights):add(nn.SelectTable(2))):add(nn.MM()):add(nn.Squeeze(2)))
      :add(nn.SelectTable(1)))
    :add(nn.JoinTable(2)):add(nn.Linear(2 * H, H)):add(nn.Tanh()))
end

local letters, longest = 6, 3
local vocabulary, H = letters + 3, opt.rnn_size

local function encoderStep()
  return nn.Sequential()
    :add(nn.ParallelTable():add(nn.LookupTable(vocabulary, opt.word_vec_size, PAD)):add(nn.Identity()):add(nn.Identity()))
    :add(onmt.LSTM(opt.word_vec_size, H))
end

-- {word, c, h, context} -> {c, h, scores}
local function decoderStep()
  local state = nn.Sequential():add(nn.NarrowTable(1, 3)):add(encoderStep())
  return nn.Sequential()
    :add(nn.ConcatTable():add(state):add(nn.SelectTable(4)))
    :add(nn.FlattenTable())
    :add(nn.ConcatTable():add(nn.SelectTable(1)):add(nn.SelectTable(2))
      :add(nn.Sequential():add(nn.NarrowTable(2, 2)):add(onmt.GlobalAttention(H)):add(nn.Dropout(opt.dropout))
        :add(nn.Linear(H, vocabulary)):add(nn.LogSoftMax())))
end

-- Copies by way of a file in memory, which share their parameters with the original.
function onmt.utils.clones(net, n)
  local params, grads = net:parameters()
  local mem = torch.MemoryFile('w'):binary()
  mem:writeObject(net)
  local clones = {}
  for t = 1, n do
    local reader = torch.MemoryFile(mem:storage(), 'r'):binary()
    local clone = reader:readObject()
    reader:close()
    local cloneParams, cloneGrads = clone:parameters()
    for i = 1, #params do
      cloneParams[i]:set(params[i])
      cloneGrads[i]:set(grads[i])
    end
    clones[t] = clone
    collectgarbage()
  end
  mem:close()
  return clones
end

------------------------------------------------------------------------ data: words of 2 and 3 letters, padded on the left
local function makeBatch(n)
  local source, target = torch.LongTensor(n, longest):fill(PAD), torch.LongTensor(n, longest + 1):fill(PAD)
  for i = 1, n do
    local length = torch.random(2, longest)
    for k = 1, length do
      local letter = torch.random(1, letters)
      source[i][longest - length + k] = letter + 3
      target[i][length - k + 1] = letter % letters + 4       -- the next letter, backwards
    end
    target[i][length + 1] = EOS
  end
  return { source = source, target = target, size = n }
end

local weights = torch.ones(vocabulary)
weights[PAD] = 0
local criterion, ignoring = nn.ClassNLLCriterion(weights, false), nn.ClassNLLCriterion(nil, false, PAD)

local model = {}
function model.build(encoder, decoder)
  model.encoder, model.decoder = encoder, decoder
  model.params, model.grads = nn.Container.getParameters(nn.Container():add(encoder):add(decoder))
  model.encoders, model.decoders = onmt.utils.clones(encoder, longest), onmt.utils.clones(decoder, longest + 1)
end

local function zeros(n) return torch.zeros(n, H) end

function model.encode(batch)
  local states, context = { [0] = { zeros(batch.size), zeros(batch.size) } }, torch.Tensor(batch.size, longest, H)
  for t = 1, longest do
    local out = model.encoders[t]:forward { batch.source:select(2, t), states[t - 1][1], states[t - 1][2] }
    states[t] = { out[1], out[2] }
    context:select(2, t):copy(out[2])
  end
  return states, context
end

local function firstWords(n) return torch.LongTensor(n):fill(BOS) end

-- The loss of a batch a word; gradients are added up unless told not to.
function model.loss(batch, forwardOnly)
  local states, context = model.encode(batch)
  local inputs, outputs, loss = {}, {}, 0
  local c, h, word = states[longest][1], states[longest][2], firstWords(batch.size)
  for t = 1, longest + 1 do
    inputs[t] = { word, c, h, context }
    outputs[t] = model.decoders[t]:forward(inputs[t])
    c, h, word = outputs[t][1], outputs[t][2], batch.target:select(2, t)
    local part = criterion:forward(outputs[t][3], word)
    loss = loss + part
    assert(math.abs(ignoring:forward(outputs[t][3], word) - part) < 1e-3 * (1 + part))
  end
  local words = batch.target:ne(PAD):sum()
  if forwardOnly then return loss / words end

  local gradContext, gradC, gradH = context:clone():zero(), zeros(batch.size), zeros(batch.size)
  for t = longest + 1, 1, -1 do
    local gradScores = criterion:backward(outputs[t][3], batch.target:select(2, t))
    gradScores:div(words)
    local gradInput = model.decoders[t]:backward(inputs[t], { gradC, gradH, gradScores })
    gradC, gradH = gradInput[2], gradInput[3]
    gradContext:add(gradInput[4])
  end
  for t = longest, 1, -1 do
    gradH = gradH + gradContext:select(2, t)
    local gradInput = model.encoders[t]:backward({ batch.source:select(2, t), states[t - 1][1], states[t - 1][2] }, { gradC, gradH })
    gradC, gradH = gradInput[2], gradInput[3]
  end
  return loss / words
end

-- The share of words that greedy decoding spells right from end to end.
function model.accuracy(batch)
  local states, context = model.encode(batch)
  local c, h, word = states[longest][1], states[longest][2], firstWords(batch.size)
  local right = torch.ByteTensor(batch.size):fill(1)
  for t = 1, longest + 1 do
    local out = model.decoders[t]:forward { word, c, h, context }
    local _, best = out[3]:max(2)
    c, h, word = out[1], out[2], best:squeeze(2)
    local target = batch.target:select(2, t)
    right:cmul((word:eq(target) + target:eq(PAD)):gt(0))
  end
  return right:sum() / batch.size
end

------------------------------------------------------------------------ training
torch.manualSeed(1234)
model.build(encoderStep(), decoderStep())
model.params:uniform(-0.1, 0.1)
local total = 0
for _, net in ipairs { model.encoder, model.decoder } do
  for _, p in ipairs(net:parameters()) do total = total + p:nElement() end
end
assert(total == model.params:nElement())

-- Compares one gradient with differences, in the middle of the LSTM.
local check = makeBatch(3)
model.grads:zero()
model.loss(check)
local place = 777
local kept, epsilon = model.params[place], 1e-2
model.params[place] = kept + epsilon
local above = model.loss(check, true)
model.params[place] = kept - epsilon
local below = model.loss(check, true)
model.params[place] = kept
assert(math.abs((above - below) / (2 * epsilon) - model.grads[place]) < 1e-3, 'gradient')

local function clip(grads, most)
  local norm = grads:norm()
  if norm > most then grads:mul(most / norm) end
  return norm
end

paths.mkdir(opt.save_model)
local logger = optim.Logger(paths.concat(opt.save_model, 'train.log'))
logger:setNames { 'loss', 'norm' }
local held, state = makeBatch(200), { learningRate = 0.02 }
local first, loss
local epoch, perEpoch = 0, 25
local accuracy
repeat
  epoch = epoch + 1
  for _ = 1, perEpoch do
    local batch, norm = makeBatch(32), nil
    model.grads:zero()
    if epoch <= opt.epochs[1] then
      loss = model.loss(batch)
      norm = clip(model.grads, opt.max_grad_norm)
      model.params:add(-opt.learning_rate, model.grads)
    else
      local _, losses = optim.adam(function(x)
        assert(x == model.params)
        local f = model.loss(batch)
        norm = clip(model.grads, opt.max_grad_norm)
        return f, model.grads
      end, model.params, state)
      loss = losses[1]
    end
    first = first or loss
    logger:add { loss, norm }
  end
  accuracy = model.accuracy(held)
until accuracy >= 0.95 or epoch == opt.epochs[1] + opt.epochs[2]
local heldLoss = model.loss(held, true)
print(('epoch %d: loss %.3f, held out %.3f, %.1f %% right'):format(epoch, loss, heldLoss, 100 * accuracy))
assert(accuracy >= 0.95)
assert(state.t == (epoch - opt.epochs[1]) * perEpoch and state.m:nElement() == total)
assert(math.abs(first - math.log(vocabulary)) < 0.1, 'an untrained model guesses: ' .. first)

------------------------------------------------------------------------ checkpoints and the log
local file = paths.concat(opt.save_model, ('model_epoch%d_%.2f.t7'):format(epoch, math.exp(heldLoss)))
torch.save(file, { models = { encoder = model.encoder:clearState(), decoder = model.decoder:clearState() }, options = opt, info = state })
local checkpoint = torch.load(file)
assert(torch.typename(checkpoint.models.encoder:get(2)) == 'onmt.LSTM')
assert(checkpoint.options.epochs[2] == 30 and checkpoint.info.t == state.t)
assert(checkpoint.info.m:equal(state.m))
local before = model.params:clone()
model.build(checkpoint.models.encoder, checkpoint.models.decoder)
assert(model.params:equal(before))
assert(model.loss(held, true) == heldLoss and model.accuracy(held) == accuracy)

local lines = {}
for line in io.lines(paths.concat(opt.save_model, 'train.log')) do table.insert(lines, line) end
assert(lines[1] == 'loss\tnorm\t' and #lines == 1 + epoch * perEpoch)
assert(math.abs(tonumber(lines[2]:match('%S+')) - first) < 1e-3)
assert(paths.rmall(opt.save_model, 'yes'))
print('ok')
