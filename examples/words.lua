-- Learns what words mean from the words around them: `th examples/words.lua`, and --help for more. The text is generated: sentences about
-- countries, their capitals, their people and their food. Word2vec then answers "Paris is to France as what is to Italy?". The last line
-- printed is how many of these questions it answers. The picture shows the vectors in the two directions in which they vary most.
local torch, plot, zoo = require 'torch', require 'plot', require 'zoo'

local command = torch.CmdLine()
command:text 'Learns what words mean from the words around them: th examples/words.lua'
command:option('--model', 'skipgram', 'skipgram or cbow')
command:option('--size', 24, 'numbers of a vector')
command:option('--sentences', 8000, 'sentences to learn from')
command:option('--epochs', 8, 'how often each is read')
command:option('--seed', 1, 'of sentences and vectors')
command:option('--curve', 'words.svg', "where the picture goes; '' draws none")

-- Country, capital, people, river, food.
local facts = {
  { 'france', 'paris', 'french', 'seine', 'baguettes' }, { 'italy', 'rome', 'italians', 'tiber', 'pasta' },
  { 'germany', 'berlin', 'germans', 'spree', 'pretzels' }, { 'spain', 'madrid', 'spaniards', 'manzanares', 'paella' },
  { 'poland', 'warsaw', 'poles', 'vistula', 'pierogi' }, { 'austria', 'vienna', 'austrians', 'danube', 'strudel' },
  { 'japan', 'tokyo', 'japanese', 'sumida', 'sushi' }, { 'egypt', 'cairo', 'egyptians', 'nile', 'falafel' },
  { 'england', 'london', 'english', 'thames', 'crumpets' }, { 'portugal', 'lisbon', 'portuguese', 'tagus', 'sardines' },
}

-- Words of a fact by number: 1 is the country, and so on. A slash separates words of which one is drawn.
local patterns = {
  'the army/border/president/parliament/economy of 1 is strong/old/famous/important', 'the 3 live in 1', 'the 3 elect the parliament of 1',
  'the streets/museums/theatres/bridges of 2 are busy/quiet/beautiful/crowded', 'tourists visit/photograph/love the museums/towers of 2',
  'the 4 flows through 2', 'boats on the 4 leave/reach the harbour of 2', 'the 3 eat/cook/like 5',
  'fields/farmers of 1 grow wheat/barley/corn',
  'restaurants/bakeries in 2 sell 5', '5 comes from 1', 'the mayor/subway/airport of 2 is new/large',
}

local function sentence()
  local fact, words = facts[torch.random(#facts)], {}
  for part in patterns[torch.random(#patterns)]:gmatch '%S+' do
    local choices = {}
    for choice in part:gmatch '[^/]+' do choices[#choices + 1] = choice end
    local word = choices[torch.random(#choices)]
    words[#words + 1] = fact[tonumber(word)] or word
  end
  return words
end

-- Returns the share of right answers: a's capital - a + b is b's capital.
local function answered(words)
  local right, asked = 0, 0
  for _, a in ipairs(facts) do
    for _, b in ipairs(facts) do
      if a ~= b then
        asked = asked + 1
        if words:nearest({ a[2], '-' .. a[1], b[1] }, 1)[1].word == b[2] then right = right + 1 end
      end
    end
  end
  return 100 * right / asked
end

local function draw(name, words)
  local weight, colours = words:directions():double(), { 'C0', 'C1', 'C2', 'C3', 'C4' }
  local kinds, places = { 'country', 'capital', 'people', 'river', 'food' }, {}
  for _, fact in ipairs(facts) do
    for _, word in ipairs(fact) do places[#places + 1] = words:place(word) end
  end
  local rows = weight:index(1, torch.LongTensor(places))
  rows = rows - rows:mean(1):expandAs(rows)
  local _, _, directions = torch.svd(rows)
  local points = torch.mm(rows, directions:narrow(2, 1, 2)):view(#facts, #kinds, 2)
  local figure = plot.figure { width = 800, height = 560, title = 'Words that word2vec has learnt' }
  local axes = figure:subplot(1, 1, 1)
  for i = 1, #facts do
    axes:plot({ points[i][1][1], points[i][2][1] }, { points[i][1][2], points[i][2][2] }, { color = '0.8', linewidth = 1 })
  end
  for k, kind in ipairs(kinds) do
    axes:scatter(points:select(2, k):select(2, 1), points:select(2, k):select(2, 2), { color = colours[k], label = kind, s = 20 })
    for i, fact in ipairs(facts) do axes:text(points[i][k][1], points[i][k][2], fact[k], { size = 9 }) end
  end
  axes:ylim(points:select(3, 2):min() - 0.1, points:select(3, 2):max() + 0.4):legend { loc = 'upper right' }
  figure:save(name)
end

local options = command:parse(arg or {})
torch.manualSeed(options.seed)
local sentences, timer = {}, torch.Timer()
for i = 1, options.sentences do sentences[i] = sentence() end
local words = zoo.trainWords(sentences, {
  model = options.model, size = options.size, epochs = options.epochs, sample = 1e-2, callback = function(epoch)
    io.write(('epoch %d, %.1f s\n'):format(epoch, timer:time().real))
    io.flush()
  end,
})
local near = words:nearest('paris', 3)
io.write(('paris: %s, %s, %s\n'):format(near[1].word, near[2].word, near[3].word))
if options.curve ~= '' then draw(options.curve, words) end
io.write(('%.0f %% of the questions are answered\n'):format(answered(words)))
