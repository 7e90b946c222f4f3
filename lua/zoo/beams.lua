--- Beam search: the texts that have the largest sum of logarithms of probabilities, over a power of their length.
-- Hypotheses that end compete with those that go on, as in transformers: a search ends when it has enough that no running one can better.
-- @module zoo.beams
local torch = require 'torch'

-- Puts an ended hypothesis into a list of the best `count`, best first.
local function finish(list, count, hypothesis)
  local place = #list + 1
  while place > 1 and list[place - 1].score < hypothesis.score do place = place - 1 end
  table.insert(list, place, hypothesis)
  list[count + 1] = nil
end

local function appended(tokens, token)
  local list = { unpack(tokens) }
  list[#list + 1] = token
  return list
end

-- Advances the beams of one prompt. Sums (count, V) of logarithms; returns the tokens of the next beams, and the rows that they continue.
local function advance(search, sums, o, isLast)
  local count, vocabulary = o.beams, sums:size(2)
  local wanted = math.min(count * (1 + math.max(1, #o.stopList)), sums:nElement())
  local scores, places = torch.topk(sums:view(-1), wanted, 1, true, true)
  local length, nexts = #search.beams[1].tokens + 1, {}
  for rank = 1, wanted do
    local row, token = math.floor((places[rank] - 1) / vocabulary) + 1, (places[rank] - 1) % vocabulary + 1
    local tokens = appended(search.beams[row].tokens, token)
    if o.stops[token] or isLast then
      if rank <= count then
        finish(search.finished, count, { tokens = tokens, score = scores[rank] / length ^ o.lengthPenalty })
      end
    elseif #nexts < count then
      nexts[#nexts + 1] = { tokens = tokens, sum = scores[rank], row = row }
    end
  end
  local worst = search.finished[count]
  search.isDone = isLast or #nexts < count or worst and nexts[1].sum / length ^ o.lengthPenalty <= worst.score
  if not search.isDone then search.beams = nexts end
end

--- Searches.
-- @tparam table decoder of zoo.generate: `decoder:step(tokens)` and `decoder:reorder(rows)`
-- @tparam torch.Tensor logits (N, V) of the prompts' next tokens
-- @tparam table o `beams`, `lengthPenalty`, `maxNewTokens`, `stops`, `stopList`
-- @treturn {{int,...},...} the new tokens of each prompt
return function(decoder, logits, o)
  local count, searches, rows = o.beams, {}, {}
  for i = 1, logits:size(1) do
    local beams = {}
    for j = 1, count do
      beams[j], rows[#rows + 1] = { tokens = {}, sum = j == 1 and 0 or -1e9, row = j }, i      -- the first step has one beam
    end
    searches[i] = { beams = beams, finished = {} }
  end
  decoder:reorder(rows)
  logits = logits:index(1, torch.LongTensor(rows))
  for step = 1, o.maxNewTokens do
    local sums, running, tokens = torch.logSoftmax(logits:double(), 2), 0, {}
    rows = {}
    for i, search in ipairs(searches) do
      if not search.isDone then
        local own = sums:narrow(1, (i - 1) * count + 1, count)
        for j, beam in ipairs(search.beams) do own:select(1, j):add(beam.sum) end
        advance(search, own:contiguous(), o, step == o.maxNewTokens)
      end
      running = running + (search.isDone and 0 or 1)
      for j, beam in ipairs(search.beams) do
        rows[#rows + 1] = (i - 1) * count + (search.isDone and j or beam.row)
        tokens[#tokens + 1] = beam.tokens[#beam.tokens] or 1
      end
    end
    if running == 0 then break end
    decoder:reorder(rows)
    logits = decoder:step(tokens)
  end
  local results = {}
  for i, search in ipairs(searches) do results[i] = search.finished[1].tokens end
  return results
end
