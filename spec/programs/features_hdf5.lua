-- Features of pictures and questions about them in an HDF5 file, read in blocks by a thread ahead of the training; answers go to HDF5, JSON
-- and CSV.
require 'torch'
require 'nn'
require 'optim'
require 'hdf5'
local cjson = require 'cjson'
local threads = require 'threads'
local c = require 'trepl.colorize'
local csvigo = require 'csvigo'

cmd = torch.CmdLine()
cmd:text()
cmd:text('Answer questions about pictures')
cmd:text()
cmd:option('-input_h5', '', 'HDF5 file of features and questions; made when none is given')
cmd:option('-input_json', '', 'JSON file with the vocabulary')
cmd:option('-batch_size', 20, 'questions at once')
cmd:option('-input_encoding_size', 12, 'size of word vectors')
cmd:option('-common_embedding_size', 16, 'size of the joint space')
cmd:option('-learning_rate', 0.02, 'learning rate')
cmd:option('-max_iters', 150, 'steps')
cmd:option('-save_checkpoint_every', 50, 'steps between checkpoints')
cmd:option('-id', 'run', 'name of this run')
cmd:option('-checkpoint_path', paths.tmpname(), 'folder of checkpoints')
local opt = cmd:parse(arg)
torch.manualSeed(7)
torch.setdefaulttensortype('torch.FloatTensor')
paths.mkdir(opt.checkpoint_path)
cmd:log(paths.concat(opt.checkpoint_path, 'log'), opt)

------------------------------------------------------------------------ the data: what a Python script with h5py would have made
local words = { 'what', 'colour', 'is', 'it', 'how', 'many', 'are', 'there' }
local answers = { 'red', 'green', 'one', 'two' }
if opt.input_h5 == '' then
  opt.input_h5, opt.input_json = paths.concat(opt.checkpoint_path, 'data.h5'), paths.concat(opt.checkpoint_path, 'data.json')
  local n, max_length = 200, 6
  local features, questions = torch.FloatTensor(n, 10):normal(0, 0.3), torch.IntTensor(n, max_length):zero()
  local lengths, targets = torch.IntTensor(n), torch.IntTensor(n)
  for i = 1, n do
    local about_colour, first = torch.random(2) == 1, torch.random(2) == 1
    local text = about_colour and { 1, 2, 3, 4 } or { 5, 6, 7, 8 }
    for k, w in ipairs(text) do questions[i][max_length - #text + k] = w end      -- padded on the left
    lengths[i] = #text
    features[i][about_colour and 1 or 2] = first and 2 or -2
    targets[i] = (about_colour and 0 or 2) + (first and 1 or 2)
  end
  local file = hdf5.open(opt.input_h5, 'w')
  local options = hdf5.DataSetOptions()
  options:setChunked(32, 10)
  options:setDeflate()
  file:write('/images/train', features:narrow(1, 1, 160), options)
  file:write('/images/test', features:narrow(1, 161, 40))
  for name, x in pairs { ques = questions, ques_length = lengths, answers = targets } do
    file:write('/' .. name .. '_train', x:narrow(1, 1, 160))
    file:write('/' .. name .. '_test', x:narrow(1, 161, 40))
  end
  file:close()
  local json = io.open(opt.input_json, 'w')
  json:write(cjson.encode { ix_to_word = words, ix_to_ans = answers })
  json:close()
end

------------------------------------------------------------------------ loading
print('DataLoader loading h5 file: ', opt.input_h5)
local json_file = io.open(opt.input_json)
local vocabulary = cjson.decode(json_file:read '*a')
json_file:close()
local vocabulary_size, noutput = #vocabulary.ix_to_word, #vocabulary.ix_to_ans
assert(vocabulary_size == 8 and noutput == 4)

local function load(split)
  local h5_file = hdf5.open(opt.input_h5, 'r')
  local set = {}
  set.question = h5_file:read('/ques_' .. split):all()
  set.lengths_q = h5_file:read('/ques_length_' .. split):all():long()
  set.answers = h5_file:read('/answers_' .. split):all()
  set.images = h5_file:read('/images/' .. split):dataspaceSize()
  h5_file:close()
  return set
end
local train, test = load 'train', load 'test'
assert(train.images[1] == 160 and train.images[2] == 10 and torch.type(train.question) == 'torch.IntTensor')

-- A thread reads the rows of features that the next batch needs.
local input_h5 = opt.input_h5
local pool = threads.Threads(1,
  function() require 'torch' require 'hdf5' end,
  function(idx)
    assert(idx == 1)
    h5_images = hdf5.open(input_h5, 'r'):read '/images/train'
  end)

local function ask(pool, batch, deliver)
  pool:addjob(function()
    local first = torch.FloatTensor(batch:size(1), h5_images:dataspaceSize()[2])
    for i = 1, batch:size(1) do first[i]:copy(h5_images:partial({ batch[i], batch[i] }, { 1, first:size(2) })) end
    return first, __threadid
  end, deliver)
end

------------------------------------------------------------------------ the net
local bag = nn.Sequential():add(nn.LookupTable(vocabulary_size + 1, opt.input_encoding_size)):add(nn.Sum(2))
local embedding = nn.ParallelTable()
embedding:add(nn.Sequential():add(bag):add(nn.Linear(opt.input_encoding_size, opt.common_embedding_size)):add(nn.Tanh()))
embedding:add(nn.Sequential():add(nn.Linear(10, opt.common_embedding_size)):add(nn.Tanh()))
local multimodal_net = nn.Sequential():add(embedding):add(nn.CMulTable()):add(nn.Dropout(0.1))
  :add(nn.Linear(opt.common_embedding_size, noutput))
local criterion = nn.CrossEntropyCriterion()
local multimodal_w, multimodal_dw = multimodal_net:getParameters()
multimodal_w:uniform(-0.3, 0.3)

local next_batch
local function prefetch()
  local qinds = torch.LongTensor(opt.batch_size):random(1, train.question:size(1))
  ask(pool, qinds, function(features, id)
    assert(id == 1)
    next_batch = { train.question:index(1, qinds):add(1), features, train.answers:index(1, qinds) }
  end)
end
prefetch()
pool:synchronize()

local running_avg
local function JdJ(x)
  if x ~= multimodal_w then multimodal_w:copy(x) end
  multimodal_net:training()
  multimodal_dw:zero()
  local question, image, labels = unpack(next_batch)
  prefetch()                                            -- while this batch is being learnt
  local scores = multimodal_net:forward { question, image }
  local f = criterion:forward(scores, labels)
  multimodal_net:backward({ question, image }, criterion:backward(scores, labels))
  multimodal_dw:clamp(-10, 10)
  running_avg = running_avg and running_avg * 0.95 + f * 0.05 or f
  pool:synchronize()
  return f, multimodal_dw
end

local optimize = { learningRate = opt.learning_rate }
local first
for iter = 1, opt.max_iters do
  optim.rmsprop(JdJ, multimodal_w, optimize)
  first = first or running_avg
  if iter % opt.save_checkpoint_every == 0 then
    paths.mkdir(paths.concat(opt.checkpoint_path, opt.id))
    torch.save(string.format('%s/%s/iter%d.t7', opt.checkpoint_path, opt.id, iter), { multimodal_w = multimodal_w, opt = opt })
    print(c.blue('training loss: ') .. running_avg, 'on iter: ' .. iter .. '/' .. opt.max_iters)
  end
end
pool:terminate()
assert(running_avg < first / 3, 'the loss falls')

------------------------------------------------------------------------ answers from a checkpoint
local model_param = torch.load(paths.concat(opt.checkpoint_path, opt.id, 'iter' .. opt.max_iters .. '.t7'))
multimodal_w:zero():copy(model_param.multimodal_w)
multimodal_net:evaluate()
local images = hdf5.open(opt.input_h5, 'r'):read('/images/test'):all():float()
local scores = multimodal_net:forward { test.question:clone():add(1), images }
local _, predicted = torch.max(scores:double(), 2)
local right = predicted:view(-1):eq(test.answers:long()):sum()
assert(right >= 38, right .. ' of 40 answers are right')

local out = hdf5.open(paths.concat(opt.checkpoint_path, 'scores.h5'), 'w')
out:write('scores', scores)
out:write('meta', { right = torch.LongTensor { right }, predicted = predicted:int() })
out:close()
local again = hdf5.open(paths.concat(opt.checkpoint_path, 'scores.h5'), 'r'):all()
assert(torch.equal(again.scores, scores) and again.meta.right[1] == right)

local results = {}
for i = 1, 40 do table.insert(results, { question_id = i, answer = vocabulary.ix_to_ans[predicted[i][1]] }) end
local text = cjson.encode(results)
assert(cjson.decode(text)[40].question_id == 40 and text:find '"answer":"')
local columns = { question_id = {}, answer = {} }
for i, row in ipairs(results) do columns.question_id[i], columns.answer[i] = row.question_id, row.answer end
local csv = paths.concat(opt.checkpoint_path, 'results.csv')
csvigo.save { path = csv, data = columns, verbose = false }
assert(csvigo.load({ path = csv, verbose = false }).answer[40] == results[40].answer)
os.execute('rm -r ' .. opt.checkpoint_path)
print('ok')
