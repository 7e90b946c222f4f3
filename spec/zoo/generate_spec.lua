-- zoo.generate against transformers' generate, with numbers of a formula; its options and errors.
local torch, zoo = require 'torch', require 'zoo'
local sampling = require 'zoo.sampling'
local formula, figures = require 'spec.zoo.formula', require 'spec.zoo.generate_figures'
local assertClose = require('spec.support.close').assertClose

-- Returns a network with numbers of the formula, matrices times 3, as prepare of generate_figures.py.
local function networkOf(figure)
  local net = zoo.make(figure.name, figure.options):double():eval()
  local state = formula.state(net:stateDict())
  for _, x in pairs(state) do
    if x:dim() > 1 then x:mul(3) end
  end
  net:loadStateDict(state)
  return net
end

local function optionsOf(case)
  return { maxNewTokens = 12, beams = case.beams, lengthPenalty = case.penalty, stopIds = case.stop }
end

-- Returns the new tokens; texts of T5 have no others.
local function newTokens(prompts, texts, isWritten)
  local list = {}
  if isWritten then
    for i, text in ipairs(texts) do list[i] = text:totable() end
    return list
  end
  for i, text in ipairs(texts) do
    list[i] = text:narrow(1, #prompts[i] + 1, text:size(1) - #prompts[i]):totable()
    assert.same(prompts[i], text:narrow(1, 1, #prompts[i]):totable())
  end
  return list
end

describe('zoo.generate', function()
  for _, figure in ipairs(figures) do
    it("gives transformers' texts, of prompts of different lengths: " .. figure.name, function()
      local net = networkOf(figure)
      for _, case in ipairs(figure) do
        assert.same(case.texts, newTokens(figures.prompts, zoo.generate(net, figures.prompts, optionsOf(case)), net.writesAfterReading))
      end
    end)

    it('gives each prompt alone the text that it has in a batch: ' .. figure.name, function()
      local net = networkOf(figure)
      for _, case in ipairs { figure[2], figure[5] } do
        for i, prompt in ipairs(figures.prompts) do
          local text = zoo.generate(net, torch.LongTensor { prompt }, optionsOf(case))
          assert.same({ case.texts[i] }, newTokens({ prompt }, text, net.writesAfterReading))
        end
      end
    end)
  end

  it('calls back with each token, and ends a text for which that returns false', function()
    local net, lists = networkOf(figures[1]), { {}, {}, {} }
    local texts = zoo.generate(net, figures.prompts, { maxNewTokens = 12, callback = function(i, token)
      table.insert(lists[i], token)
      return #lists[i] < 2 + i
    end })
    local new = newTokens(figures.prompts, texts)
    assert.same(lists, new)
    for i, text in ipairs(new) do
      assert.equal(2 + i, #text)
      for j, token in ipairs(text) do assert.equal(figures[1][1].texts[i][j], token) end
    end
  end)

  it('draws with the probabilities of the logits', function()
    local net, prompts, counts = networkOf(figures[1]), {}, torch.zeros(31)
    for i = 1, 4000 do prompts[i] = figures.prompts[1] end
    for _, text in ipairs(zoo.generate(net, prompts, { maxNewTokens = 1, sample = true, topK = 4, temperature = 3 })) do
      counts[text[6]] = counts[text[6]] + 1
    end
    local logits = torch.noGrad(function() return net(torch.LongTensor { figures.prompts[1] }):select(2, -1) end)
    local largest, places = torch.topk(logits:div(3), 4, 2, true)
    local expected = torch.zeros(31):scatter(1, places:view(-1), torch.softmax(largest, 2):view(-1))
    assertClose(expected, counts / 4000, { atol = 0.04 })
  end)

  it('has the likeliest text where the most probable token alone is drawn', function()
    local net = networkOf(figures[2])
    for _, o in ipairs { { topK = 1 }, { topP = 0 }, { temperature = 1e-4 } } do
      o.sample, o.maxNewTokens = true, 12
      assert.same(figures[2][1].texts, newTokens(figures.prompts, zoo.generate(net, figures.prompts, o)))
    end
  end)
end)

describe('probabilities of tokens', function()
  for i, case in ipairs(figures.probabilities) do
    it(("are transformers', %d"):format(i), function()
      local o = { temperature = case.temperature, topK = case.topK, topP = case.topP }
      local logits = formula.series('logits', { 2, 8 }):mul(3)
      assertClose(torch.DoubleTensor { case[1], case[2] }, sampling.probabilities(logits, o), 1e-8)
    end)
  end
end)

describe('an error of zoo.generate', function()
  local net = zoo.make('gpt2', { vocabSize = 5, nPositions = 8, nEmbd = 4, nLayer = 1, nHead = 2 }):eval()
  for _, case in ipairs {
    { { zoo.make('vae', { inputDim = 4 }), { { 1 } } }, 'net: a zoo.Vae, expected a network of GPT%-2, Llama or T5' },
    { { 3, { { 1 } } }, 'net: a number, expected' },
    { { net, { { 1 }, {} } }, 'ids: prompt 2 is empty' },
    { { net, {} }, 'ids: no prompts' },
    { { net, 3 }, 'ids: 3, expected a table' },
    { { net, { 1, 2 } }, 'ids: a number in place 1, expected a list of tokens' },
    { { net, { { 0 } } }, 'ids: 0, expected a whole number, 1 or more' },
    { { net, { { 1, 2 } }, { maxNewTokens = 7 } }, 'prompt 1: 9 positions with maxNewTokens, expected 8 at most' },
    { { net, { { 1 } }, { beams = 2, sample = true } }, 'beams: more than 1, expected neither sample nor callback' },
    { { net, { { 1 } }, { topK = 3 } }, 'without sample, expected sample = true' },
    { { net, { { 1 } }, { sample = true, topP = 2 } }, 'topP: 2, expected a number from 0 to 1' },
    { { net, { { 1 } }, { sample = true, temperature = 0 } }, 'temperature: 0, expected a number' },
    { { net, { { 1 } }, { stopIds = { 'end' } } }, "stopIds: 'end', expected a whole number" },
    { { net, { { 1 } }, { length = 3 } }, 'options: length, expected one of maxNewTokens' },
  } do
    it('says: ' .. case[2], function() assert.error_matches(function() zoo.generate(unpack(case[1])) end, case[2]) end)
  end
end)
