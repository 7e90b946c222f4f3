-- Learns to continue a text, character by character: `th examples/charlm.lua --data FILE`, and --help for more.
-- An LSTM reads many sections of the text in parallel and carries its state from each chunk to the next. The last tenth of the file is held
-- out; the last line printed is the loss on it, in nats per character: at most 1.75 for Shakespeare's plays (Karpathy's tinyshakespeare).
local here = arg and arg[0]:match '^(.*)/[^/]*$' or '.'
package.path = here .. '/?.lua;' .. package.path

local torch = require 'torch'
local nn, optim = require 'nn', require 'optim'
local newCurve, read = require 'curve', require 'characters'

local command = torch.CmdLine()
command:text 'Learns to write text like that of a file, a character at a time: th examples/charlm.lua --data FILE'
command:option('--data', '', 'any text file')
command:option('--size', 256, 'size of the state')
command:option('--layers', 1, 'layers of the LSTM')
command:option('--epochs', 3, 'passes over the text')
command:option('--batch', 64, 'stretches read side by side')
command:option('--length', 64, 'characters a step')
command:option('--lr', 0.004, 'learning rate, falling to 0')
command:option('--dropout', 0.1, 'share of the inputs and outputs of the LSTM that are dropped')
command:option('--steps', 0, 'stop after so many steps; 0: after the epochs')
command:option('--seed', 1, 'of weights and samples')
command:option('--threads', 0, 'number of threads; 0: as many as there are processors')
command:option('--save', '', 'where the model goes')
command:option('--curve', 'charlm.svg', "where a picture of the loss goes; '' draws none")
command:option('--sample', 300, 'characters to write at the end')

-- Arranges the text in `batch` columns of consecutive characters: (length, batch); targets are the next characters.
local function stretches(numbers, batch)
  local length = math.floor((numbers:size(1) - 1) / batch)
  local function arrange(first)
    return numbers:narrow(1, first, length * batch):view(batch, length):t():contiguous()
  end
  return { inputs = arrange(1), targets = arrange(2), length = length }
end

local Model = torch.class('charlm.Model', 'nn.Module', {})

function Model:__init(characters, options)
  nn.Module.__init(self)
  self.modules = {
    nn.Embedding(characters, options.size), nn.Dropout(options.dropout),
    nn.LSTM(options.size, options.size, { layers = options.layers, dropout = options.dropout }), nn.Dropout(options.dropout),
    nn.Linear(options.size, characters),
  }
  self.options = options
end

function Model:parameters() return nn.Container.parameters(self) end

function Model:applyToModules(fn)
  for _, module in ipairs(self.modules) do fn(module) end
end

Model.training, Model.evaluate = nn.Container.training, nn.Container.evaluate

-- Scores of the next character for each position of x (T, N), and the final states.
function Model:scores(x, states)
  local embedding, dropIn, lstm, dropOut, output = unpack(self.modules)
  local results = lstm { dropIn(embedding(x)), states[1], states[2] }
  local flat = torch.view(dropOut(results[1]), x:nElement(), self.options.size)
  return output(flat), { results[2]:detach(), results[3]:detach() }
end

local function heldOutLoss(model, set, options)
  local states, sum, count = {}, 0, 0
  model:evaluate()
  torch.noGrad(function()
    for first = 1, set.length, options.length do
      local length = math.min(options.length, set.length - first + 1)
      local scores
      scores, states = model:scores(set.inputs:narrow(1, first, length), states)
      local targets = set.targets:narrow(1, first, length):contiguous():view(-1)
      sum = sum + nn.functional.crossEntropy(scores, targets, { reduction = 'sum' }):sum()
      count = count + targets:nElement()
    end
  end)
  model:training()
  return sum / count
end

local function write(model, characters, count)
  local states, text, last = {}, {}, 1
  model:evaluate()
  torch.noGrad(function()
    for i = 1, count do
      local scores
      scores, states = model:scores(torch.LongTensor { { last } }, states)
      last = torch.multinomial(torch.softmax(torch.mul(scores, 1.2), 2):view(-1), 1)[1]
      text[i] = characters[last]
    end
  end)
  return table.concat(text)
end

local function say(text)
  io.write(text, '\n')
  io.flush()
end

local options = command:parse(arg or {})
torch.setnumthreads(options.threads > 0 and options.threads or torch.getnumcores())
torch.setdefaulttensortype 'torch.FloatTensor'
torch.manualSeed(options.seed)
local numbers, characters = read('charlm', options.data)
local border = math.floor(0.9 * numbers:size(1))
local train = stretches(numbers:narrow(1, 1, border), options.batch)
local heldOut = stretches(numbers:narrow(1, border + 1, numbers:size(1) - border), math.min(options.batch, 16))
local model = torch.getmetatable('charlm.Model').new(#characters, options)
local parameters = model:requiresGrad():parameters()
local config = {}
local adam, timer = optim.Adam(parameters, config), torch.Timer()
local pieces = math.floor(train.length / options.length)
local total = options.steps > 0 and options.steps or options.epochs * pieces
say(('%d characters, %d kinds; %d steps of %d'):format(numbers:size(1), #characters, total, options.batch * options.length))

local states, mean, curve = {}, nil, newCurve(options.curve, 'step', { 'loss [nats a character]' })
for step = 1, total do
  local piece = (step - 1) % pieces
  if piece == 0 then states = {} end
  local left = 1 - (step - 1) / total
  config.learningRate = options.lr * math.min(1, step / 100) * math.min(1, 1.5 * left)
  local scores
  scores, states = model:scores(train.inputs:narrow(1, piece * options.length + 1, options.length), states)
  local targets = train.targets:narrow(1, piece * options.length + 1, options.length):contiguous():view(-1)
  local loss = nn.functional.crossEntropy(scores, targets)
  adam:zeroGrad()
  loss:backward()
  optim.clipGradNorm(parameters, 1)
  adam:step()
  mean = mean and 0.98 * mean + 0.02 * loss:item() or loss:item()
  if step % 100 == 0 or step == total then
    say(('step %5d  loss %.3f  %.0f s'):format(step, mean, timer:time().real))
    curve:add(step, { mean })
  end
end
if options.save ~= '' then torch.save(options.save, { parameters = model:parameters(), characters = characters, options = options }) end
if options.sample > 0 then say(write(model, characters, options.sample)) end
say(('held-out %.3f nats a character'):format(heldOutLoss(model, heldOut, options)))
