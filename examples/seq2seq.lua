-- Learns to write sequences backwards: `th examples/seq2seq.lua`, and --help for more. An encoder reads letters, a decoder writes letters,
-- and attention says where it looks. The last line printed is how many unseen sequences, of 4 to 10 letters, are right to the last letter.
-- The picture shows the loss, and attention in one sequence: from the end to the beginning.
local here = arg and arg[0]:match '^(.*)/[^/]*$' or '.'
package.path = here .. '/?.lua;' .. package.path

local torch, nn, optim = require 'torch', require 'nn', require 'optim'
local plot, text, zoo = require 'plot', require 'text', require 'zoo'

local command = torch.CmdLine()
command:text 'Learns to write sequences backwards: th examples/seq2seq.lua'
command:option('--model', 'seq2seq_luong', 'network of the zoo: seq2seq_luong or seq2seq_bahdanau')
command:option('--steps', 600, 'batches to learn from')
command:option('--batch', 64, 'sequences a batch')
command:option('--hidden', 48, 'size of states')
command:option('--lr', 0.01, 'learning rate, falling to 0')
command:option('--test', 500, 'sequences to test on')
command:option('--seed', 1, 'of weights and sequences')
command:option('--curve', 'seq2seq.svg', "where the picture goes; '' draws none")
command:option('--threads', 1, 'number of threads')

-- Tokens: 1 begins what the decoder writes, 2 ends sequences, 3 and further ones are letters.
local begins, ends, letters = 1, 2, 12
local shortest, longest = 4, 10

-- Returns ids, their mask, what the decoder reads, what it is to write, and the mask of that.
local function drawBatch(count)
  local sources, read, written = {}, {}, {}
  for i = 1, count do
    local length = torch.random(shortest, longest)
    local letterIds = torch.LongTensor(length):random(3, letters + 2)
    local reversed, stop = letterIds:flip(1), torch.LongTensor { ends }
    sources[i] = letterIds:cat(stop, 1)
    read[i], written[i] = torch.LongTensor({ begins }):cat(reversed, 1), reversed:cat(stop, 1)
  end
  local ids, mask = text.pad(sources, { value = ends })
  local targets = text.pad(read, { value = ends })
  local answers, answerMask = text.pad(written, { value = ends })
  return { ids = ids, mask = mask, targets = targets, answers = answers, answerMask = answerMask, sources = sources, written = written }
end

-- The mean cross-entropy of a letter, padding left out.
local function lossOf(net, batch)
  local logits = net(batch.ids, { mask = batch.mask, targets = batch.targets })
  local answers = batch.answers:clone()
  answers[torch.eq(batch.answerMask, 0)] = -100
  return nn.functional.crossEntropy(logits:view(-1, logits:size(3)), answers:view(-1), { ignoreIndex = -100 })
end

local function accuracy(net, batch)
  local right = 0
  for i, written in ipairs(net:generate(batch.ids, { mask = batch.mask, maxNewTokens = longest + 1, stopIds = { ends } })) do
    if torch.equal(written, batch.written[i]) then right = right + 1 end
  end
  return 100 * right / #batch.written
end

local function word(ids)
  local characters = {}
  for i, id in ipairs(ids:totable()) do characters[i] = id == ends and '.' or string.char(('a'):byte() + id - 3) end
  return characters
end

local function draw(name, steps, losses, net, batch)
  local figure = plot.figure { width = 800, height = 340 }
  figure:subplot(1, 2, 1):plot(steps, losses):title('loss [nats a letter]'):xlabel('batches'):grid()
  local _, weights = torch.noGrad(function() return net(batch.ids, { mask = batch.mask, targets = batch.targets }) end)
  local row = 1
  while row < #batch.sources and batch.sources[row]:size(1) <= longest do row = row + 1 end      -- a long one
  local source, written = word(batch.sources[row]), word(batch.written[row])
  local axes = figure:subplot(1, 2, 2)
  axes:imshow(weights[row]:narrow(2, 1, #source):narrow(1, 1, #written), { cmap = 'Blues', colorbar = true })
  local places = {}
  for i = 1, #source do places[i] = i end
  axes:xticks(places, source):yticks(places, written):title('attention'):xlabel('read'):ylabel 'written'
  figure:save(name)
end

local options = command:parse(arg or {})
torch.setnumthreads(options.threads)
torch.setdefaulttensortype 'torch.FloatTensor'
torch.manualSeed(options.seed)
local net = zoo.make(options.model, { vocabSize = letters + 2, hiddenSize = options.hidden, dropout = 0 }):requiresGrad()
local config, steps, losses = {}, {}, {}
local optimiser, timer, loss = optim.Adam(net:parameters(), config), torch.Timer(), nil
for step = 1, options.steps do
  config.learningRate = options.lr * (1 - (step - 1) / options.steps)
  optimiser:zeroGrad()
  local each = lossOf(net, drawBatch(options.batch))
  each:backward()
  optim.clipGradNorm(net:parameters(), 1)
  optimiser:step()
  loss = loss and 0.95 * loss + 0.05 * each:item() or each:item()
  steps[step], losses[step] = step, loss
  if step % 100 == 0 then
    io.write(('%5d batches, loss %.3f, %.1f s\n'):format(step, loss, timer:time().real))
    io.flush()
  end
end
net:eval()
local test = drawBatch(options.test)
if options.curve ~= '' then draw(options.curve, steps, losses, net, test) end
io.write(('%.1f %% of unseen sequences are right\n'):format(accuracy(net, test)))
