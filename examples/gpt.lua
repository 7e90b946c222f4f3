-- Learns to continue a text, character by character, by attention: `th examples/gpt.lua --data FILE`, and --help for more. A small GPT-2 of
-- the zoo reads stretches of the text from random places. Matrices of hidden layers learn by Muon, the other parameters by AdamW. The last
-- tenth of the file is held out; the last line printed is the loss on it, in nats per character: at most 1.75 for Shakespeare's plays
-- (Karpathy's tinyshakespeare) after five minutes of one processor.
local here = arg and arg[0]:match '^(.*)/[^/]*$' or '.'
package.path = here .. '/?.lua;' .. package.path

local torch, nn, optim, zoo = require 'torch', require 'nn', require 'optim', require 'zoo'
local newCurve, read = require 'curve', require 'characters'

local command = torch.CmdLine()
command:text 'Learns to write text like that of a file, by attention: th examples/gpt.lua --data FILE'
command:option('--data', '', 'any text file')
command:option('--size', 128, 'size of the vectors')
command:option('--layers', 4, 'layers')
command:option('--heads', 4, 'heads of attention in a layer')
command:option('--length', 64, 'characters that it sees')
command:option('--batch', 32, 'stretches a step')
command:option('--steps', 850, 'steps')
command:option('--lr', 0.02, 'learning rate of Muon, falling to 0')
command:option('--lrOther', 0.003, 'learning rate of AdamW, falling to 0')
command:option('--seed', 1, 'of weights, places and the sample')
command:option('--save', '', "where the model's parameters go, as a file of PyTorch's")
command:option('--curve', 'gpt.svg', "where a picture of the loss goes; '' draws none")
command:option('--sample', 300, 'characters to write at the end')

local function say(...)
  io.write((...):format(select(2, ...)), '\n')
  io.flush()
end

-- The mean loss of the characters after each of those in `inputs` (N, T).
local function lossOf(net, inputs, targets)
  local logits = net(inputs)
  return nn.functional.crossEntropy(logits:view(-1, logits:size(3)), targets:contiguous():view(-1))
end

-- Stretches that begin at random places, and the characters that follow.
local function draw(numbers, options)
  local places = torch.LongTensor(options.batch, 1):random(1, numbers:size(1) - options.length)
  local all = torch.add(places:expand(options.batch, options.length), torch.range(0, options.length - 1):long():view(1, -1):expand(
    options.batch, options.length))
  local function at(positions) return numbers:index(1, positions:view(-1)):view(options.batch, options.length) end
  return at(all), at(torch.add(all, 1))
end

-- The loss on all stretches of a text, side by side.
local function heldOutLoss(net, numbers, length)
  local count = math.floor((numbers:size(1) - 1) / length)
  local inputs, targets = numbers:narrow(1, 1, count * length):view(count, length), numbers:narrow(1, 2, count * length):view(count, length)
  local sum = 0
  torch.noGrad(function()
    for first = 1, count, 64 do
      local size = math.min(64, count - first + 1)
      sum = sum + size * lossOf(net, inputs:narrow(1, first, size), targets:narrow(1, first, size)):item()
    end
  end)
  return sum / count
end

local options = command:parse(arg or {})
torch.setdefaulttensortype 'torch.FloatTensor'
torch.manualSeed(options.seed)
local numbers, characters = read('gpt', options.data)
local border = math.floor(0.9 * numbers:size(1))
local train, heldOut = numbers:narrow(1, 1, border), numbers:narrow(1, border + 1, numbers:size(1) - border)
local net = zoo.make('gpt2', {
  vocabSize = #characters, nPositions = options.length, nEmbd = options.size, nLayer = options.layers, nHead = options.heads,
  embdPdrop = 0, attnPdrop = 0, residPdrop = 0,
}):requiresGrad()

local hidden, other, count = {}, {}, 0
for name, parameter in net:namedParameters() do
  local isHidden = parameter:dim() == 2 and name:find '%.h%.'
  table.insert(isHidden and hidden or other, parameter)
  count = count + parameter:nElement()
end
local optimisers = {
  optim.Muon(hidden, { learningRate = options.lr, weightDecay = 0 }),
  optim.AdamW(other, { learningRate = options.lrOther, weightDecay = 0 }),
}
local schedules = {}
for i, optimiser in ipairs(optimisers) do
  schedules[i] = optim.schedule.cosine(optimiser, { period = options.steps, warmup = math.min(50, options.steps / 10) })
end
say('%d characters, %d kinds; %d parameters; %d steps of %d', numbers:size(1), #characters, count, options.steps,
  options.batch * options.length)

local timer, mean, curve = torch.Timer(), nil, newCurve(options.curve, 'step', { 'loss [nats a character]' })
for step = 1, options.steps do
  net:zeroGrad()
  local loss = lossOf(net, draw(train, options))
  loss:backward()
  for i, optimiser in ipairs(optimisers) do
    optimiser:step()
    schedules[i]:step()
  end
  mean = mean and 0.98 * mean + 0.02 * loss:item() or loss:item()
  if step % 50 == 0 or step == options.steps then
    say('step %5d  loss %.3f  %.0f s', step, mean, timer:time().real)
    curve:add(step, { mean })
  end
end
net:eval()
if options.save ~= '' then torch.pt.save(options.save, net:stateDict()) end
if options.sample > 0 then
  -- The network sees options.length characters; a longer text goes on with the last half of them.
  local text, context = {}, { 1 }
  while #text < options.sample do
    local written = zoo.generate(net, { context }, { maxNewTokens = options.length - #context, sample = true, temperature = 0.8 })[1]
    written = written:totable()
    for i = #context + 1, #written do text[#text + 1] = characters[written[i]] end
    context = { unpack(written, #written - math.floor(options.length / 2) + 1) }
  end
  say('%s', table.concat(text, '', 1, options.sample))
end
say('held-out %.3f nats a character', heldOutLoss(net, heldOut, options.length))
