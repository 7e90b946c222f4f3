--- Data sets of texts as loaders: the Penn Treebank, the Google Billion Words, Sentiment140.
-- @module dataload.sets.language
local torch = require 'torch'
local check = require 'torch.check'
local paths = require 'paths'
local dl = require 'dataload'
local fetch = require 'dataload.fetch'
local readers = require 'data.readers'
local words = require 'dataload.words'

local language = {}

-- The batch sizes of three loaders.
local function batchSizes(where, batchsize)
  local sizes = type(batchsize) == 'table' and batchsize or { batchsize, batchsize, batchsize }
  for i = 1, 3 do check.int(where, ('batchsize[%d]'):format(i), sizes[i], { min = 1 }) end
  return sizes
end

local function withWords(loaders, vocab, ivocab, wordfreq)
  for _, loader in ipairs(loaders) do loader.vocab, loader.ivocab, loader.wordfreq = vocab, ivocab, wordfreq end
  return unpack(loaders)
end

--- The Penn Treebank, or any three files of text.
-- @tparam int|{int,int,int} batchsize number of columns, for all loaders or for each
-- @string[opt] datapath folder of train.txt, valid.txt and test.txt; default: DATA_PATH/PennTreeBank
-- @string[opt] srcurl address of the folder or archive, to download missing files from
-- @tparam[opt] table vocab numbers by word; default: from the training text
-- @tparam[opt] table ivocab words by number
-- @tparam[opt] table wordfreq frequency of each word
-- @treturn dl.SequenceLoader for training, with the fields vocab, ivocab and wordfreq; line ends are '<eos>'
-- @treturn dl.SequenceLoader for validation
-- @treturn dl.SequenceLoader for testing
function language.loadPTB(batchsize, datapath, srcurl, vocab, ivocab, wordfreq)
  local where = 'dataload.loadPTB'
  local sizes = batchSizes(where, batchsize)
  datapath = datapath or paths.concat(dl.DATA_PATH, 'PennTreeBank')
  local names = {}
  for i, part in ipairs { 'train', 'valid', 'test' } do
    local plain, prefixed = part .. '.txt', 'ptb.' .. part .. '.txt'
    names[i] = paths.filep(paths.concat(datapath, prefixed)) and prefixed or plain
  end
  local loaders = {}
  for i, file in ipairs(fetch.files(where, datapath, names, srcurl)) do
    local tokens = readers.text.words(readers.text.read(file), { ending = '<eos>' })
    if i == 1 and not vocab then vocab, ivocab, wordfreq = words.buildVocab(tokens) end
    loaders[i] = dl.SequenceLoader(words.text2tensor(tokens, vocab), sizes[i])
  end
  return withWords(loaders, vocab, ivocab, wordfreq)
end

-- Splits rows of (first row of the sentence, word) into sentences.
local function sentencesOf(where, name, data)
  check.that(torch.isTensor(data) and data:dim() == 2 and data:size(2) == 2,
    ('%s: %s: %s, expected n x 2: where a sentence begins, and a word'):format(where, name, torch.type(data)))
  local found, tds = pcall(require, 'tds')
  local sentences = found and tds.Vec() or {}
  local begins, start = data:select(2, 1), 1
  for i = 2, data:size(1) + 1 do
    if i > data:size(1) or begins[i] ~= begins[start] then
      sentences[#sentences + 1] = data:select(2, 2):narrow(1, start, i - start):clone()
      start = i
    end
  end
  return sentences
end

--- The Google Billion Words, or any sentences in its format: tensors n x 2 from torch.save, whose first column is the position where the
-- sentence of a row begins, and whose second column is its word.
-- @tparam int|{int,int,int} batchsize number of columns, for all loaders or for each
-- @string[opt='train_data.th7'] trainfile
-- @string[opt] datapath folder of the training file, valid_data.th7, test_data.th7, word_map.th7 and word_freq.th7;
-- DATA_PATH/BillionWords
-- @string[opt] srcurl address of the folder or archive, to download missing files from
-- @bool[opt=true] verbose whether to print progress messages
-- @treturn dl.MultiSequence for training, with the fields vocab, ivocab and wordfreq
-- @treturn dl.MultiSequence for validation
-- @treturn dl.MultiSequence for testing
function language.loadGBW(batchsize, trainfile, datapath, srcurl, verbose)
  local where = 'dataload.loadGBW'
  local sizes = batchSizes(where, batchsize)
  datapath = datapath or paths.concat(dl.DATA_PATH, 'BillionWords')
  local names = { trainfile or 'train_data.th7', 'valid_data.th7', 'test_data.th7', 'word_map.th7', 'word_freq.th7' }
  local files, loaders = fetch.files(where, datapath, names, srcurl), {}
  for i = 1, 3 do
    if verbose ~= false then print('reading ' .. files[i]) end
    loaders[i] = dl.MultiSequence(sentencesOf(where, names[i], fetch.load(files[i])), sizes[i])
  end
  local ivocab, vocab, wordfreq = fetch.load(files[4]), {}, fetch.load(files[5])
  for number = 1, #ivocab do vocab[ivocab[number]] = number end
  return withWords(loaders, vocab, ivocab, wordfreq)
end

local sentimentFiles = { 'training.1600000.processed.noemoticon.csv', 'testdata.manual.2009.06.14.csv' }

-- The texts as words, and their sentiment: 1 is negative, 2 positive. Neutral texts are left out.
local function readTweets(file)
  local frame = readers.csv.load(file, { header = false, types = 'text', columns = { 1, 6 }, onlyAbsent = true })
  local texts, targets = {}, {}
  for i = 1, frame:size() do
    local polarity = frame:column(1)[i]
    if polarity == '0' or polarity == '4' then
      texts[#texts + 1] = readers.text.words(frame:column(2)[i], { lower = true, pattern = "[%w'@#_]+" })
      targets[#targets + 1] = polarity == '0' and 1 or 2
    end
  end
  return texts, torch.LongTensor(targets)
end

-- Texts as rows of numbers, padded with zeros at the beginning; only the end of long texts.
local function rowsOf(texts, vocab, seqlen)
  local rows = torch.LongTensor(#texts, seqlen):zero()
  for i, tokens in ipairs(texts) do
    local count = math.min(#tokens, seqlen)
    local row = rows[i]
    for j = 1, count do row[seqlen - count + j] = vocab[tokens[#tokens - count + j]] or vocab['<OOV>'] or 0 end
  end
  return rows
end

--- Short texts with a positive or negative sentiment.
-- @string[opt] datapath folder of the two CSV files; default: DATA_PATH/Sentiment140
-- @int[opt=3] minfreq less frequent words become '<OOV>'
-- @int[opt=50] seqlen words per row; shorter texts are padded with zeros at the beginning
-- @number[opt=1/8] validratio fraction of the training samples for validation
-- @string[opt] srcurl address of the archive, to download it if it is missing
-- @bool[opt] progress whether to print progress messages
-- @treturn dl.TensorLoader for training: inputs n x seqlen, targets 1 (negative) or 2; with the fields vocab, ivocab and wordfreq
-- @treturn dl.TensorLoader for validation
-- @treturn dl.TensorLoader for testing
function language.loadSentiment140(datapath, minfreq, seqlen, validratio, srcurl, progress)
  datapath, seqlen = datapath or paths.concat(dl.DATA_PATH, 'Sentiment140'), seqlen or 50
  local files = fetch.files('dataload.loadSentiment140', datapath, sentimentFiles, srcurl)
  local all, loaders = {}, {}
  local vocab, ivocab, wordfreq
  for i, file in ipairs(files) do
    if progress then print('reading ' .. file) end
    local texts, targets = readTweets(file)
    if i == 1 then
      for _, tokens in ipairs(texts) do
        for _, word in ipairs(tokens) do all[#all + 1] = word end
      end
      vocab, ivocab, wordfreq = words.buildVocab(all, minfreq or 3)
    end
    loaders[i] = dl.TensorLoader(rowsOf(texts, vocab, seqlen), targets)
  end
  loaders[1]:shuffle()
  local train, valid = loaders[1]:split(1 - (validratio or 1 / 8))
  return withWords({ train, valid, loaders[2] }, vocab, ivocab, wordfreq)
end

return language
