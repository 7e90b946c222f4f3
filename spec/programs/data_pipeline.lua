-- A data pipeline: documents in folders become a vocabulary, shards on disk with an index, shuffled batches and a classifier of them.
require 'torch'
require 'nn'
require 'optim'
require 'paths'
require 'sys'
require 'xlua'
local tds = require 'tds'

local cmd = torch.CmdLine()
cmd:text()
cmd:text('Classify small documents')
cmd:text()
cmd:option('-data', paths.tmpname(), 'folder of the documents, a folder a class')
cmd:option('-documents', 40, 'documents a class')
cmd:option('-minCount', 3, 'words met less often are unknown')
cmd:option('-shardSize', 50, 'documents a shard')
cmd:option('-batchSize', 16, 'documents a batch')
cmd:option('-epochs', 6, 'passes over the data')
cmd:option('-keep', false, 'leave the folder as it is')
cmd:text()
local opt = cmd:parse(arg or {})
assert(cmd:string('run', opt, { data = true }) == 'run')
assert(cmd:string('run', cmd:parse { '-batchSize', '8', '-keep' }, { data = true, epochs = false }) == 'run,batchSize=8,epochs=6,keep=t')

torch.manualSeed(42)
local classes = { 'animals', 'tools', 'weather' }
local words = {
  animals = { 'cat', 'dog', 'owl', 'fox' }, tools = { 'saw', 'file', 'axe' }, weather = { 'rain', 'wind', 'snow', 'fog', 'sun' },
}
local common = { 'the', 'a', 'and' }

------------------------------------------------------------------------ documents as text, a word a line
local function draw(list) return list[torch.random(#list)] end

local written = { total = 0 }
assert(paths.mkdir(opt.data))
for _, class in ipairs(classes) do
  local folder = paths.concat(opt.data, class)
  paths.mkdir(folder)
  for i = 1, opt.documents do
    local file = torch.DiskFile(paths.concat(folder, ('%03d.txt'):format(i)), 'w')
    for _ = 1, torch.random(6, 12) do
      local word = torch.uniform() < 0.6 and draw(words[class]) or draw(common)
      file:writeString(word .. '\n')
      written[word], written.total = (written[word] or 0) + 1, written.total + 1
    end
    if i == 7 then file:writeString('once-' .. class .. '\n') end
    file:close()
  end
  torch.DiskFile(paths.concat(folder, 'README'), 'w'):close()
end

local function readDocument(path)
  local list, file = {}, torch.DiskFile(path, 'r'):quiet()
  local line = file:readString('*l')
  while not file:hasError() do
    table.insert(list, line)
    line = file:readString('*l')
  end
  file:clearError()
  assert(not file:hasError())
  file:close()
  return list
end

------------------------------------------------------------------------ the vocabulary, counted outside Lua's heap
local counts, documents = tds.Hash(), tds.Vec()
local labels = {}
for class in paths.iterdirs(opt.data) do table.insert(labels, class) end
table.sort(labels)
assert(table.concat(labels, ' ') == 'animals tools weather')
for label, class in ipairs(labels) do
  local folder = paths.concat(opt.data, class)
  local found = 0
  for name in paths.iterfiles(folder) do
    if paths.extname(name) == 'txt' then
      local document = tds.Hash { label = label, name = paths.basename(name, 'txt') }
      document.words = tds.Vec(readDocument(paths.concat(folder, name)))
      for _, word in ipairs(document.words) do counts[word] = (counts[word] or 0) + 1 end
      documents:insert(document)
      found = found + 1
    end
  end
  assert(found == opt.documents)
end
assert(#documents == 3 * opt.documents and torch.type(documents[1]) == 'tds.Hash')
documents:sort(function(a, b)
  if a.label ~= b.label then return a.label < b.label end
  return a.name < b.name
end)
assert(documents[1].name == '001' and documents[#documents].name == ('%03d'):format(opt.documents))
assert(documents[7].words[#documents[7].words] == 'once-animals')

local vocabulary, index = tds.Vec('<unk>'), tds.Hash { ['<unk>'] = 1 }
local known, unknown = {}, 0
for word, n in pairs(counts) do
  assert(n == (written[word] or 1), word)
  if n >= opt.minCount then table.insert(known, word) else unknown = unknown + n end
end
table.sort(known)
for _, word in ipairs(known) do
  vocabulary:insert(word)
  index[word] = #vocabulary
end
assert(#vocabulary == 1 + 4 + 3 + 5 + 3 and unknown == 3, 'each word of the lists, and three words met once')
assert(vocabulary[2] == 'a' and index.axe == 4 and not index['once-tools'])

------------------------------------------------------------------------ shards: numbers in one file, where each document begins in another
local cache = paths.concat(opt.data, '.cache')
paths.mkdir(cache)
local shards = {}
for first = 1, #documents, opt.shardSize do
  local stem = paths.concat(cache, 'shard' .. #shards + 1)
  local bin = torch.DiskFile(stem .. '.bin', 'w'):binary():littleEndianEncoding()
  local last = math.min(first + opt.shardSize - 1, #documents)
  local offsets, classOf, at = torch.LongTensor(last - first + 2), torch.ByteTensor(last - first + 1), 1
  for i = first, last do
    local codes = torch.IntTensor(#documents[i].words)
    for k, word in ipairs(documents[i].words) do codes[k] = index[word] or 1 end
    offsets[i - first + 1], classOf[i - first + 1] = at, documents[i].label
    assert(bin:writeInt(codes:storage()) == codes:nElement())
    at = at + codes:nElement()
  end
  offsets[last - first + 2] = at
  assert(bin:position() == (at - 1) * 4 + 1)
  bin:close()
  local idx = torch.DiskFile(stem .. '.idx', 'w')                -- as text
  idx:writeInt(last - first + 1)
  idx:writeObject { offsets = offsets, labels = classOf, classes = labels }
  idx:writeBool(true)
  idx:close()
  table.insert(shards, { stem = stem, size = last - first + 1, codes = at - 1 })
end
assert(#shards == 3 and shards[3].size == 20)
assert(shards[1].codes + shards[2].codes + shards[3].codes == written.total + 3)

-- The bytes are those of the format: little-endian integers, text a line an item.
local raw = io.open(shards[1].stem .. '.bin', 'rb')
local bytes = raw:read('*a')
raw:close()
assert(#bytes == 4 * shards[1].codes)
for k, word in ipairs(documents[1].words) do
  assert(bytes:sub(4 * k - 3, 4 * k) == string.char(index[word], 0, 0, 0))
end
local text = sys.execute('head -n 3 ' .. shards[3].stem .. '.idx')
assert(text == '20\n3\n1', text)

-- Memory holds the last shard; the others stay on disk.
local function openShard(shard, inMemory)
  local idx = torch.DiskFile(shard.stem .. '.idx')
  local size, content = idx:readInt(), idx:readObject()
  assert(size == shard.size and idx:readBool() == true)
  idx:close()
  local file
  if inMemory then
    local disk = torch.DiskFile(shard.stem .. '.bin'):binary()
    disk:seekEnd()
    local length = disk:position() - 1
    disk:seek(1)
    local storage = disk:readChar(length)
    disk:close()
    storage:resize(length + 1)
    storage[length + 1] = 0
    file = torch.MemoryFile(storage, 'r'):binary()
  else
    file = torch.DiskFile(shard.stem .. '.bin', 'r'):binary():littleEndianEncoding()
  end
  return {
    size = size, classes = content.classes,
    get = function(i)
      file:seek((content.offsets[i] - 1) * 4 + 1)
      local codes = file:readInt(content.offsets[i + 1] - content.offsets[i])
      return torch.IntTensor(codes):long(), content.labels[i]
    end,
    close = function() file:close() end,
  }
end

------------------------------------------------------------------------ features: how often each word is there
local samples = #documents
local inputs, targets, place = torch.zeros(samples, #vocabulary), torch.LongTensor(samples), 0
for s, shard in ipairs(shards) do
  local open = openShard(shard, s == #shards)
  assert(open.classes[3] == 'weather')
  for i = 1, open.size do
    local codes, label = open.get(i)
    place = place + 1
    inputs[place]:indexAdd(1, codes, torch.ones(codes:nElement()))
    targets[place] = label
    if place % 40 == 0 then xlua.progress(place, samples) end
  end
  open.close()
  assert(not pcall(open.get, 1), 'a closed file gives nothing')
end
assert(place == samples)
assert(inputs:sum() == written.total + 3 and inputs:select(2, 1):sum() == 3)
assert(inputs:select(2, index.cat):sum() == written.cat)
for label = 1, 3 do assert(targets:eq(label):sum() == opt.documents) end

-- A third is held out; the statistics of the rest normalise both, and are stored as text.
local order = torch.randperm(samples):long()
local sorted = torch.sort(order)
assert(sorted:equal(torch.range(1, samples):long()))
local trainSize = samples * 2 / 3
local function part(first, n)
  local chosen = order:narrow(1, first, n)
  return { data = inputs:index(1, chosen), labels = targets:index(1, chosen), size = function() return n end }
end
local trainData, testData = part(1, trainSize), part(trainSize + 1, samples - trainSize)
local mean, std = trainData.data:mean(1), trainData.data:std(1):add(1e-6)
for _, set in ipairs { trainData, testData } do set.data:add(-1, mean:expandAs(set.data)):cdiv(std:expandAs(set.data)) end
assert(trainData.data:mean(1):abs():max() < 1e-12)
torch.save(paths.concat(cache, 'norm.t7'), { mean = mean, std = std }, 'ascii')
local norm = torch.load(paths.concat(cache, 'norm.t7'), 'ascii')
assert(norm.mean:equal(mean) and norm.std:equal(std), 'seventeen digits are enough')

-- Batches go through a string each, as to another thread.
local function batches(set, shuffle)
  local perm = shuffle and torch.randperm(set.size()):long() or torch.range(1, set.size()):long()
  local at = 1
  return function()
    if at > set.size() then return nil end
    local chosen = perm:narrow(1, at, math.min(opt.batchSize, set.size() - at + 1))
    at = at + opt.batchSize
    local packed = torch.serialize { input = set.data:index(1, chosen), target = set.labels:index(1, chosen), indices = chosen:clone() }
    assert(type(packed) == 'string')
    return torch.deserialize(packed)
  end
end

local model = nn.Sequential():add(nn.Linear(#vocabulary, 8)):add(nn.Tanh()):add(nn.Linear(8, #labels)):add(nn.LogSoftMax())
local criterion = nn.ClassNLLCriterion()
local parameters, gradParameters = model:getParameters()
local confusion = optim.ConfusionMatrix(labels)
local logger = optim.Logger(paths.concat(cache, 'accuracy.log'))
local sgdState = { learningRate = 0.3, momentum = 0.9, learningRateDecay = 1e-3 }

local function pass(set, train)
  local met = torch.ByteTensor(set.size()):zero()
  for batch in batches(set, train) do
    for i = 1, batch.indices:size(1) do met[batch.indices[i]] = met[batch.indices[i]] + 1 end
    local function feval(x)
      if x ~= parameters then parameters:copy(x) end
      gradParameters:zero()
      local output = model:forward(batch.input)
      local f = criterion:forward(output, batch.target)
      model:backward(batch.input, criterion:backward(output, batch.target))
      confusion:batchAdd(output, batch.target)
      return f, gradParameters
    end
    if train then optim.sgd(feval, parameters, sgdState) else feval(parameters) end
  end
  assert(met:min() == 1 and met:max() == 1, 'each sample once')
  assert(confusion.mat:sum() == set.size())
  confusion:updateValids()
  local share = confusion.totalValid * 100
  assert(math.abs(share - 100 * torch.diag(confusion.mat):sum() / set.size()) < 1e-9)
  for label = 1, #labels do assert(confusion.mat[label]:sum() == set.labels:eq(label):sum()) end
  confusion:zero()
  return share
end

local train, test
for _ = 1, opt.epochs do
  train, test = pass(trainData, true), pass(testData)
  logger:add { ['% train'] = train, ['% test'] = test }
end
assert(sgdState.evalCounter == opt.epochs * math.ceil(trainSize / opt.batchSize))
assert(test >= 85, test)
pass(testData)
confusion:add(2, 1)
assert(tostring(confusion):find('[class: animals]', 1, true) and confusion.mat[1][2] == 1)

local lines = {}
for line in io.lines(paths.concat(cache, 'accuracy.log')) do table.insert(lines, line) end
assert(lines[1] == '% test\t% train\t' and #lines == 1 + opt.epochs)
assert(math.abs(tonumber(lines[#lines]:match('%S+')) - test) < 0.1)

------------------------------------------------------------------------ the whole as one string, known bytes, and the end
local copy = torch.deserialize(torch.serialize { vocabulary = vocabulary, index = index, documents = documents })
assert(#copy.documents == #documents and copy.documents[9].words[2] == documents[9].words[2] and copy.index.fox == index.fox)
assert(torch.serialize(1.5) == '\1\0\0\0\0\0\0\0\0\0\248\63')
assert(torch.serialize({ 'hi' }, 'ascii'):gsub('%s+', ' ') == '3 1 1 1 1 2 2 hi ')
if not opt.keep then assert(paths.rmall(opt.data, 'yes')) end
assert(not paths.dirp(opt.data))
print(('%d documents, %d words, %.1f %% right'):format(#documents, #vocabulary, test))
print('ok')
