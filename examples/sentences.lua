-- Finds sentences of the same meaning: `th examples/sentences.lua --model FOLDER`, and --help for more. `examples/sentences/fetch FOLDER`
-- gets the network, MiniLM; FOLDER may be the environment variable MT_MINILM. The sentences are those below, which share few words, or the
-- lines of a file. The program prints the line that is closest to a query; without a query, the closest other line of each, and how many of
-- these have the same subject.
local here = arg and arg[0]:match '^(.*)/[^/]*$' or '.'
package.path = here .. '/?.lua;' .. package.path

local torch, plot = require 'torch', require 'plot'
local encoder = require 'sentences.encoder'

local command = torch.CmdLine()
command:text 'Finds sentences of the same meaning: th examples/sentences.lua --model FOLDER'
command:option('--model', os.getenv 'MT_MINILM' or '', 'folder of examples/sentences/fetch')
command:option('--file', '', 'a sentence a line, instead of the built-in ones')
command:option('--query', '', 'a sentence to compare all with')
command:option('--picture', '', "where a picture of all similarities goes; '' draws none")

-- Four of each subject, one after the other.
local perSubject = 4
local examples = {
  'The cat sleeps on the window sill.', 'A kitten is dozing in the sun.', 'Our puppy chewed up another slipper.',
  'Feed the hamster before you leave.', 'The central bank raised interest rates.', 'Inflation fell to two percent in spring.',
  'Shares lost a tenth of their value on Monday.', 'My savings account pays almost nothing.', 'Bake the bread until its crust is golden.',
  'Add a pinch of salt to the soup.', 'She whisked eggs and sugar for the cake.', 'Simmer the tomatoes with garlic and basil.',
  'A telescope in orbit found water vapour on a distant planet.', 'The comet returns every seventy-six years.',
  'Astronauts repaired the station in a long spacewalk.', 'Jupiter has dozens of moons.',
}

local function fail(...)
  io.stderr:write('sentences: ', (...):format(select(2, ...)), '\n')
  os.exit(2, true)
end

local function linesOf(name)
  local file, message = io.open(name)
  if not file then fail('--file: %s', message) end
  local lines = {}
  for line in file:lines() do
    if line:find '%S' then lines[#lines + 1] = line end
  end
  file:close()
  if #lines < 2 then fail('--file: %s: %d sentences, expected two or more', name, #lines) end
  return lines
end

-- Prints the closest other sentence of each.
local function printNeighbours(sentences, similarities)
  local right = 0
  local others = similarities:clone():add(-2, torch.eye(#sentences):typeAs(similarities))
  local closest, places = others:max(2)
  for i, sentence in ipairs(sentences) do
    local j = places[i][1]
    if math.ceil(i / perSubject) == math.ceil(j / perSubject) then right = right + 1 end
    io.write(('%.2f  %s\n      %s\n'):format(closest[i][1], sentence, sentences[j]))
  end
  return right
end

local options = command:parse(arg or {})
if options.model == '' then fail '--model: nothing, expected a folder; examples/sentences/fetch FOLDER gets the network' end
torch.setdefaulttensortype 'torch.FloatTensor'
local isOwn = options.file ~= ''
local sentences = isOwn and linesOf(options.file) or examples
local isRead, network = pcall(encoder.load, options.model)
if not isRead then fail('--model: %s', (network:gsub('^%S+:%d+: ', ''))) end
local vectors = network:encode(sentences)
if options.query ~= '' then
  local similarities = torch.mv(vectors, network:encode({ options.query })[1])
  local sorted, order = torch.sort(similarities, 1, true)
  for i = 1, #sentences do io.write(('%.2f  %s\n'):format(sorted[i], sentences[order[i]])) end
else
  local similarities = torch.mm(vectors, vectors:t())
  local right = printNeighbours(sentences, similarities)
  if not isOwn then io.write(('the closest sentence has the same subject: %d of %d\n'):format(right, #sentences)) end
  if options.picture ~= '' then
    local figure = plot.figure { width = 560, height = 480, title = 'Similarities of sentences' }
    figure:subplot(1, 1, 1):imshow(similarities, { colorbar = true, vmin = 0, vmax = 0.6 }):xlabel('sentence'):ylabel 'sentence'
    figure:save(options.picture)
  end
end
