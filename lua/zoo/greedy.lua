--- Writes texts with an encoder and a decoder: the likeliest token each time, with a cache of keys and values.
-- @module zoo.greedy
local torch, nn, check = require 'torch', require 'nn', require 'torch.check'

local where = 'zoo: generate'

local function tokensOf(name, list)
  for _, token in ipairs(check.table(where, name, list)) do check.int(where, name, token, { min = 1 }) end
  return list
end

local function repeated(prompt, count)
  return torch.LongTensor(prompt):view(1, -1):expand(count, #prompt):contiguous()
end

--- Writes a text for each input of the encoder.
-- @tparam nn.Module net with `encode(x, mask)`, `decode(targets, memory, { cache = })`, and perhaps `maxPositions`
-- @tparam torch.Tensor x what the encoder reads
-- @tparam table options `prompt`, tokens that all texts begin with (1 alone); `maxNewTokens` (as many as the network has positions, or 50);
-- `stopIds` ({}): tokens that end a text; `mask` of x, 0 for padding
-- @treturn {torch.LongTensor,...} new tokens of each text, with the stop token
return function(net, x, options)
  local o = check.options(where, options, { 'prompt', 'maxNewTokens', 'stopIds', 'mask' })
  local prompt, stops = tokensOf('prompt', o.prompt or { 1 }), {}
  check.that(#prompt > 0, where .. ': prompt: no tokens, expected one or more')
  local most = net.maxPositions and net.maxPositions - #prompt
  local count = check.int(where, 'maxNewTokens', o.maxNewTokens or most or 50, { min = 1, max = most })
  for _, token in ipairs(tokensOf('stopIds', o.stopIds or {})) do stops[token] = true end
  return torch.noGrad(function()
    local memory, cache, texts, running = net:encode(x, o.mask), nn.KeyValueCache(), {}, x:size(1)
    for i = 1, running do texts[i] = {} end
    local targets = repeated(prompt, running)
    for _ = 1, count do
      targets = (net:decode(targets, memory, { cache = cache })):select(2, -1):argmax(2):view(-1, 1)
      for i, text in ipairs(texts) do
        if not stops[text[#text]] then
          text[#text + 1] = targets[i][1]
          running = running - (stops[text[#text]] and 1 or 0)
        end
      end
      if running == 0 then break end
    end
    for i, text in ipairs(texts) do texts[i] = torch.LongTensor(text) end
    return texts
  end)
end
