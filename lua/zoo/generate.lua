--- Goes on with texts: greedy, by drawing, or by beam search, with a cache of keys and values.
-- @module zoo.generate
local torch, nn, check, attention = require 'torch', require 'nn', require 'torch.check', require 'zoo.attention'
local sampling = require 'zoo.sampling'

local where = 'zoo.generate'
local names = { 'maxNewTokens', 'sample', 'temperature', 'topK', 'topP', 'beams', 'lengthPenalty', 'stopIds', 'callback' }

-- A network with its cache, and the padding in front of each prompt.
local Decoder = {}
Decoder.__index = Decoder

-- Computes logits (N, V) after the last of further tokens (N, T).
function Decoder:run(ids)
  self.length = self.length + ids:size(2)
  local options = { cache = self.cache }
  if self.isPadded then
    local positions = torch.range(1, self.length):long():view(1, -1):expand(ids:size(1), self.length)
    positions = positions - self.padding:view(-1, 1):expandAs(positions)
    options.mask = torch.gt(positions, 0)
    options.positions = positions:narrow(2, self.length - ids:size(2) + 1, ids:size(2)):contiguous():cmax(1)
  end
  local logits = self.net(ids, options)
  return logits:select(2, -1):clone()
end

function Decoder:step(tokens) return self:run(torch.LongTensor(tokens):view(-1, 1)) end

function Decoder:reorder(rows)
  local index = torch.LongTensor(rows)
  attention.reorder(self.cache, index)
  self.padding = self.padding:index(1, index)
end

-- The decoder of an encoder and a decoder, with what the encoder has read.
local Writer = {}
Writer.__index = Writer

function Writer:run(ids) return self.net:decode(ids, self.memory, self.mask, self.cache):select(2, -1):clone() end

Writer.step = Decoder.step

function Writer:reorder(rows)
  local index = torch.LongTensor(rows)
  attention.reorder(self.cache, index)
  self.memory, self.mask = self.memory:index(1, index), self.mask:index(1, index)
end

-- Returns the prompts as lists of tokens.
local function promptsOf(ids)
  local prompts = {}
  if torch.isTensor(ids) and ids:dim() == 1 then ids = ids:view(1, -1) end
  for i = 1, torch.isTensor(ids) and ids:size(1) or #check.table(where, 'ids', ids) do
    local row = ids[i]
    prompts[i] = torch.isTensor(row) and row:dim() == 1 and row:totable() or row
    if type(prompts[i]) ~= 'table' then
      check.raise(('%s: ids: a %s in place %d, expected a list of tokens'):format(where, torch.type(row), i))
    end
    check.that(#prompts[i] > 0, ('%s: ids: prompt %d is empty, expected a token or more'):format(where, i))
    for _, token in ipairs(prompts[i]) do check.int(where, 'ids', token, { min = 1 }) end
  end
  check.that(#prompts > 0, where .. ': ids: no prompts, expected one or more')
  return prompts
end

-- Returns complete options.
local function optionsOf(given)
  local o = {}
  for key, value in pairs(check.options(where, given, names)) do o[key] = value end
  o.maxNewTokens = check.int(where, 'maxNewTokens', o.maxNewTokens or 20, { min = 1 })
  o.beams = check.int(where, 'beams', o.beams or 1, { min = 1 })
  o.lengthPenalty = check.number(where, 'lengthPenalty', o.lengthPenalty or 1)
  check.flag(where, 'sample', o.sample)
  if o.temperature then check.number(where, 'temperature', o.temperature, { min = 1e-6 }) end
  if o.topK then check.int(where, 'topK', o.topK, { min = 1 }) end
  if o.topP then check.number(where, 'topP', o.topP, { min = 0, max = 1 }) end
  if o.callback then check.callable(where, 'callback', o.callback) end
  local draws = o.temperature or o.topK or o.topP
  check.that(o.sample or not draws, where .. ': options: temperature, topK or topP without sample, expected sample = true')
  check.that(o.beams == 1 or not o.sample and not o.callback, where .. ': beams: more than 1, expected neither sample nor callback')
  o.stops, o.stopList = {}, check.table(where, 'stopIds', o.stopIds or {})
  for _, token in ipairs(o.stopList) do o.stops[check.int(where, 'stopIds', token, { min = 1 })] = true end
  return o
end

-- Returns prompts as rows with padding, 1, in front or behind, a mask of what isn't padding, and the number of columns.
local function padded(prompts, inFront)
  local longest = 0
  for _, prompt in ipairs(prompts) do longest = math.max(longest, #prompt) end
  local ids, mask = torch.ones(#prompts, longest):long(), torch.zeros(#prompts, longest):byte()
  for i, prompt in ipairs(prompts) do
    local first = inFront and longest - #prompt + 1 or 1
    ids[i]:narrow(1, first, #prompt):copy(torch.LongTensor(prompt))
    mask[i]:narrow(1, first, #prompt):fill(1)
  end
  return ids, mask, longest
end

-- Fills a cache with prompts, padded in front. Returns the decoder and logits (N, V).
local function begin(net, prompts)
  local ids, _, longest = padded(prompts, true)
  local padding, isPadded = {}, false
  for i, prompt in ipairs(prompts) do
    padding[i] = longest - #prompt
    isPadded = isPadded or padding[i] > 0
  end
  local decoder = setmetatable({
    net = net, cache = nn.KeyValueCache(), length = 0, padding = torch.LongTensor(padding), isPadded = isPadded,
  }, Decoder)
  return decoder, decoder:run(ids)
end

-- Reads prompts, padded behind. Returns the writer and logits (N, V) after the token that begins texts, 1.
local function read(net, prompts)
  local ids, mask = padded(prompts, false)
  local writer = setmetatable({ net = net, cache = nn.KeyValueCache(), memory = net:encode(ids, mask), mask = mask }, Writer)
  return writer, writer:run(torch.ones(#prompts, 1):long())
end

-- Takes the likeliest token, or draws one, until all texts have ended. Returns the new tokens of each.
local function goOn(decoder, logits, o)
  local results, isDone, running = {}, {}, logits:size(1)
  for i = 1, running do results[i] = {} end
  for step = 1, o.maxNewTokens do
    local tokens = (o.sample and torch.multinomial(sampling.probabilities(logits, o), 1) or logits:argmax(2)):view(-1):totable()
    for i, token in ipairs(tokens) do
      if not isDone[i] then
        table.insert(results[i], token)
        local goesOn = not o.callback or o.callback(i, token) ~= false
        isDone[i] = o.stops[token] or not goesOn
        running = running - (isDone[i] and 1 or 0)
      end
    end
    if running == 0 or step == o.maxNewTokens then return results end
    logits = decoder:step(tokens)
  end
end

--- Returns texts with further tokens, from a network that predicts the next one: GPT-2 or Llama, in evaluation mode; or the texts that T5
-- writes for those that it reads, without the token that begins them.
-- Tokens are counted from 1. Keys and values of earlier tokens are kept, so that each step computes one token of each text.
-- @tparam nn.Module net
-- @tparam torch.LongTensor|{{int,...},...} ids (N, T), (T), or a list of prompts, of any lengths
-- @tparam[opt] table options `maxNewTokens` (20); `stopIds`, tokens that end a text; `sample` (false): tokens are drawn, not the likeliest
-- ones, from logits over `temperature` (1), of the `topK` likeliest, of the fewest that have the probability `topP`; `beams` (1) of a
-- beam search, whose sums of logarithms are divided by length ^ `lengthPenalty` (1); `callback(i, token)` is called with each token of text
-- i, which ends if it returns false
-- @treturn {torch.LongTensor,...} for each prompt, it (not of T5) and the new tokens, with the stop token
-- @raise if options or tokens are out of range, or texts would have more positions than the network
-- @usage for _, text in ipairs(zoo.generate(net, { { 7, 3 }, { 12 } }, { maxNewTokens = 5 })) do print(text) end
local function generate(net, ids, options)
  if not torch.isTypeOf(net, 'nn.Module') or not (net.predictsNext or net.writesAfterReading) then
    check.raise(('%s: net: a %s, expected a network of GPT-2, Llama or T5'):format(where, torch.type(net)))
  end
  local prompts, o = promptsOf(ids), optionsOf(options)
  for i, prompt in ipairs(prompts) do
    local length = #prompt + o.maxNewTokens
    if net.maxPositions and length > net.maxPositions then
      check.raise(('%s: prompt %d: %d positions with maxNewTokens, expected %d at most'):format(where, i, length, net.maxPositions))
    end
  end
  return torch.noGrad(function()
    local decoder, logits = (net.writesAfterReading and read or begin)(net, prompts)
    local new = o.beams > 1 and require 'zoo.beams'(decoder, logits, o) or goOn(decoder, logits, o)
    for i, tokens in ipairs(new) do
      new[i] = torch.LongTensor(tokens)
      if not net.writesAfterReading then new[i] = torch.LongTensor(prompts[i]):cat(new[i], 1) end
    end
    return new
  end)
end

return { generate = generate }
