-- A character model: an LSTM drawn with nngraph, unrolled by clones that share memory, trained by rmsprop, saved, resumed and sampled.
require 'torch'
require 'nn'
require 'nngraph'
require 'optim'
require 'lfs'

cmd = torch.CmdLine()
cmd:text()
cmd:text('Train a character-level language model')
cmd:text()
cmd:text('Options')
cmd:option('-data_dir', paths.tmpname(), 'folder with input.txt')
cmd:option('-rnn_size', 24, 'size of the hidden state')
cmd:option('-num_layers', 2, 'layers of the LSTM')
cmd:option('-learning_rate', 1e-2, 'learning rate')
cmd:option('-learning_rate_decay', 0.97, 'its decay')
cmd:option('-decay_rate', 0.95, 'decay rate of rmsprop')
cmd:option('-dropout', 0, 'dropout between layers')
cmd:option('-seq_length', 12, 'timesteps to unroll for')
cmd:option('-batch_size', 8, 'sequences at once')
cmd:option('-max_epochs', 6, 'passes over the data')
cmd:option('-grad_clip', 5, 'gradients are clipped at')
cmd:option('-init_from', '', 'checkpoint to start from')
cmd:option('-seed', 123, 'seed')
cmd:option('-gpuid', -1, 'GPU to use, -1 for none')
cmd:text()
opt = cmd:parse(arg)
torch.manualSeed(opt.seed)

------------------------------------------------------------------------ data: text, its vocabulary, and tensors of both on disk
paths.mkdir(opt.data_dir)
local input_file = paths.concat(opt.data_dir, 'input.txt')
local f = io.open(input_file, 'w')
for i = 1, 60 do f:write(({ 'the cat sat on the mat.\n', 'the dog ran to the log.\n', 'a cow ate the hay.\n' })[i % 3 + 1]) end
f:close()

local function text_to_tensor(in_textfile, out_vocabfile, out_tensorfile)
  local timer = torch.Timer()
  local cache_len = 1000
  local rawdata
  local tot_len = 0
  local f = assert(io.open(in_textfile, 'r'))
  local unordered = {}
  rawdata = f:read(cache_len)
  repeat
    for char in rawdata:gmatch '.' do
      if not unordered[char] then unordered[char] = true end
    end
    tot_len = tot_len + #rawdata
    rawdata = f:read(cache_len)
  until not rawdata
  f:close()
  local ordered = {}
  for char in pairs(unordered) do ordered[#ordered + 1] = char end
  table.sort(ordered)
  local vocab_mapping = {}
  for i, char in ipairs(ordered) do vocab_mapping[char] = i end
  local data = torch.ByteTensor(tot_len)
  f = assert(io.open(in_textfile, 'r'))
  local currlen = 0
  rawdata = f:read(cache_len)
  repeat
    for i = 1, #rawdata do data[currlen + i] = vocab_mapping[rawdata:sub(i, i)] end
    currlen = currlen + #rawdata
    rawdata = f:read(cache_len)
  until not rawdata
  f:close()
  torch.save(out_vocabfile, vocab_mapping)
  torch.save(out_tensorfile, data)
  assert(timer:time().real >= 0)
end

local vocab_file, tensor_file = paths.concat(opt.data_dir, 'vocab.t7'), paths.concat(opt.data_dir, 'data.t7')
text_to_tensor(input_file, vocab_file, tensor_file)
local input_attr, tensor_attr = lfs.attributes(input_file), lfs.attributes(tensor_file)
assert(input_attr.modification <= tensor_attr.modification)

local data, vocab_mapping = torch.load(tensor_file), torch.load(vocab_file)
local vocab_size = 0
for _ in pairs(vocab_mapping) do vocab_size = vocab_size + 1 end
local len = data:size(1)
if len % (opt.batch_size * opt.seq_length) ~= 0 then
  data = data:sub(1, opt.batch_size * opt.seq_length * math.floor(len / (opt.batch_size * opt.seq_length)))
end
local ydata = data:clone()
ydata:sub(1, -2):copy(data:sub(2, -1))
ydata[-1] = data[1]
local x_batches = data:view(opt.batch_size, -1):split(opt.seq_length, 2)
local y_batches = ydata:view(opt.batch_size, -1):split(opt.seq_length, 2)
assert(#x_batches == #y_batches)

------------------------------------------------------------------------ the model
local OneHot, parent = torch.class('OneHot', 'nn.Module')
function OneHot:__init(outputSize)
  parent.__init(self)
  self.outputSize = outputSize
  self._eye = torch.eye(outputSize)
end
function OneHot:updateOutput(input)
  self.output:resize(input:size(1), self.outputSize):zero()
  if self._eye == nil then self._eye = torch.eye(self.outputSize) end
  self._eye = self._eye:float()
  local longInput = input:long()
  self.output:copy(self._eye:index(1, longInput))
  return self.output
end

local function lstm(input_size, rnn_size, n, dropout)
  dropout = dropout or 0
  local inputs = {}
  table.insert(inputs, nn.Identity()())
  for L = 1, n do
    table.insert(inputs, nn.Identity()())
    table.insert(inputs, nn.Identity()())
  end
  local x, input_size_L
  local outputs = {}
  for L = 1, n do
    local prev_h, prev_c = inputs[L * 2 + 1], inputs[L * 2]
    if L == 1 then
      x = OneHot(input_size)(inputs[1])
      input_size_L = input_size
    else
      x = outputs[(L - 1) * 2]
      if dropout > 0 then x = nn.Dropout(dropout)(x) end
      input_size_L = rnn_size
    end
    local i2h = nn.Linear(input_size_L, 4 * rnn_size)(x):annotate { name = 'i2h_' .. L }
    local h2h = nn.Linear(rnn_size, 4 * rnn_size)(prev_h):annotate { name = 'h2h_' .. L }
    local all_input_sums = nn.CAddTable()({ i2h, h2h })
    local reshaped = nn.Reshape(4, rnn_size)(all_input_sums)
    local n1, n2, n3, n4 = nn.SplitTable(2)(reshaped):split(4)
    local in_gate, forget_gate, out_gate = nn.Sigmoid()(n1), nn.Sigmoid()(n2), nn.Sigmoid()(n3)
    local in_transform = nn.Tanh()(n4)
    local next_c = nn.CAddTable()({
      nn.CMulTable()({ forget_gate, prev_c }),
      nn.CMulTable()({ in_gate, in_transform }),
    })
    local next_h = nn.CMulTable()({ out_gate, nn.Tanh()(next_c) })
    table.insert(outputs, next_c)
    table.insert(outputs, next_h)
  end
  local top_h = outputs[#outputs]
  if dropout > 0 then top_h = nn.Dropout(dropout)(top_h) end
  local proj = nn.Linear(rnn_size, input_size)(top_h):annotate { name = 'decoder' }
  table.insert(outputs, nn.LogSoftMax()(proj))
  return nn.gModule(inputs, outputs)
end

local function clone_many_times(net, T)
  local clones = {}
  local params, gradParams
  if net.parameters then
    params, gradParams = net:parameters()
    if params == nil then params = {} end
  end
  local paramsNoGrad
  if net.parametersNoGrad then paramsNoGrad = net:parametersNoGrad() end
  local mem = torch.MemoryFile('w'):binary()
  mem:writeObject(net)
  for t = 1, T do
    local reader = torch.MemoryFile(mem:storage(), 'r'):binary()
    local clone = reader:readObject()
    reader:close()
    if net.parameters then
      local cloneParams, cloneGradParams = clone:parameters()
      for i = 1, #params do
        cloneParams[i]:set(params[i])
        cloneGradParams[i]:set(gradParams[i])
      end
      if paramsNoGrad then error('there are none') end
    end
    clones[t] = clone
    collectgarbage()
  end
  mem:close()
  return clones
end

local protos = {}
if string.len(opt.init_from) > 0 then
  protos = torch.load(opt.init_from).protos
else
  protos.rnn = lstm(vocab_size, opt.rnn_size, opt.num_layers, opt.dropout)
  protos.criterion = nn.ClassNLLCriterion()
end

local params, grad_params = protos.rnn:getParameters()
params:uniform(-0.08, 0.08)
for layer_idx = 1, opt.num_layers do
  for _, node in ipairs(protos.rnn.forwardnodes) do
    if node.data.annotations.name == 'i2h_' .. layer_idx then
      -- the bias of the forget gates begins at one
      node.data.module.bias[{ { opt.rnn_size + 1, 2 * opt.rnn_size } }]:fill(1.0)
    end
  end
end
assert(math.abs(params:max() - 1) < 1e-12)

local init_state = {}
for L = 1, opt.num_layers do
  local h_init = torch.zeros(opt.batch_size, opt.rnn_size)
  table.insert(init_state, h_init:clone())
  table.insert(init_state, h_init:clone())
end
local clones = {}
for name, proto in pairs(protos) do clones[name] = clone_many_times(proto, opt.seq_length, not proto.parameters) end

local function clone_list(tensor_list, zero_too)
  local out = {}
  for k, v in pairs(tensor_list) do
    out[k] = v:clone()
    if zero_too then out[k]:zero() end
  end
  return out
end

local init_state_global = clone_list(init_state)
local batch_ix = 0
local function feval(x)
  if x ~= params then params:copy(x) end
  grad_params:zero()
  batch_ix = batch_ix % #x_batches + 1
  local x, y = x_batches[batch_ix]:t():contiguous(), y_batches[batch_ix]:t():contiguous()
  local rnn_state = { [0] = init_state_global }
  local predictions, loss = {}, 0
  for t = 1, opt.seq_length do
    clones.rnn[t]:training()
    local lst = clones.rnn[t]:forward { x[t], unpack(rnn_state[t - 1]) }
    rnn_state[t] = {}
    for i = 1, #init_state do table.insert(rnn_state[t], lst[i]) end
    predictions[t] = lst[#lst]
    loss = loss + clones.criterion[t]:forward(predictions[t], y[t])
  end
  loss = loss / opt.seq_length
  local drnn_state = { [opt.seq_length] = clone_list(init_state, true) }
  for t = opt.seq_length, 1, -1 do
    local doutput_t = clones.criterion[t]:backward(predictions[t], y[t])
    table.insert(drnn_state[t], doutput_t)
    local dlst = clones.rnn[t]:backward({ x[t], unpack(rnn_state[t - 1]) }, drnn_state[t])
    drnn_state[t - 1] = {}
    for k, v in pairs(dlst) do
      if k > 1 then drnn_state[t - 1][k - 1] = v end      -- k == 1 is the gradient by x, which nobody asks for
    end
  end
  init_state_global = rnn_state[#rnn_state]
  grad_params:div(opt.seq_length)
  grad_params:clamp(-opt.grad_clip, opt.grad_clip)
  return loss, grad_params
end

------------------------------------------------------------------------ training
local train_losses = {}
local optim_state = { learningRate = opt.learning_rate, alpha = opt.decay_rate }
local iterations = opt.max_epochs * #x_batches
for i = 1, iterations do
  local _, loss = optim.rmsprop(feval, params, optim_state)
  train_losses[i] = loss[1]
  if i % #x_batches == 0 and opt.learning_rate_decay < 1 and i / #x_batches >= 4 then
    optim_state.learningRate = optim_state.learningRate * opt.learning_rate_decay
  end
  if loss[1] ~= loss[1] then error('loss is NaN') end
  if i % 10 == 0 then collectgarbage() end
end
assert(math.abs(train_losses[1] - math.log(vocab_size)) < 0.2, 'it begins knowing nothing')
assert(train_losses[iterations] < 0.75 * train_losses[1], 'it learns: ' .. train_losses[1] .. ' became ' .. train_losses[iterations])
assert(grad_params:norm() < opt.grad_clip * math.sqrt(grad_params:nElement()))

------------------------------------------------------------------------ a checkpoint, and samples from it
local savefile = string.format('%s/lm_epoch%.2f_%.4f.t7', opt.data_dir, opt.max_epochs, train_losses[iterations])
local checkpoint = { protos = protos, opt = opt, train_losses = train_losses, i = iterations, vocab = vocab_mapping }
torch.save(savefile, checkpoint)
checkpoint = torch.load(savefile)
local rnn = checkpoint.protos.rnn
rnn:evaluate()
assert((rnn:getParameters() - params):abs():max() == 0)

local ivocab = {}
for c, i in pairs(checkpoint.vocab) do ivocab[i] = c end
local current_state = {}
for L = 1, checkpoint.opt.num_layers do
  for _ = 1, 2 do table.insert(current_state, torch.zeros(1, checkpoint.opt.rnn_size)) end
end
local prev_char = torch.Tensor { checkpoint.vocab.t }
local written = { 't' }
for _ = 1, 60 do
  local lst = rnn:forward { prev_char, unpack(current_state) }
  current_state = {}
  for i = 1, 2 * checkpoint.opt.num_layers do table.insert(current_state, lst[i]:clone()) end
  local prediction = lst[#lst]
  prediction:div(0.5)                          -- temperature
  local probs = torch.exp(prediction):squeeze()
  probs:div(torch.sum(probs))
  prev_char = torch.multinomial(probs:float(), 1):resize(1):float()
  table.insert(written, ivocab[prev_char[1]])
end
local text = table.concat(written)
local _, common = text:gsub('[ the]', '')
assert(#text == 61 and common > 20, text)

------------------------------------------------------------------------ pictures of the graph, as text
local dot = rnn.fg:todot('lstm')
assert(dot:find 'digraph' and dot:find 'decoder')
assert(rnn:get(1) and #rnn:findModules('nn.Linear') == 2 * opt.num_layers + 1)
os.execute('rm -r ' .. opt.data_dir)
print('ok')
