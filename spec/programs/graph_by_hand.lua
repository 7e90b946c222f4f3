--[[
A network as a graph of nodes, as the graph packages of the time made it: calling a module makes a node, a container runs the nodes in
order and back. The classes here are the program's own; everything they stand on is torch's and nn's.
]]
require 'torch'
require 'nn'
require 'optim'

-- graph ----------------------------------------------------------------------------------------------------------------
graph = {}
local Node = torch.class('graph.Node')
local count = 0

function Node:__init(data)
  count = count + 1
  self.id = count
  self.data = data or {}
  self.data.annotations = self.data.annotations or {}
  self.children = {}
  local info = debug.getinfo(6, 'Sl')      -- the line of the program that called the module
  self.data.annotations._debugLabel = info and string.format('[%s]:%d', info.short_src, info.currentline)
end

function Node:add(child)
  if torch.typename(child) == 'graph.Node' then child = { child } end
  for _, v in ipairs(child) do
    table.insert(self.children, v)
    self.children[v] = #self.children
  end
end

function Node:annotate(annotations)
  for k, v in pairs(annotations) do self.data.annotations[k] = v end
  return self
end

function Node:split(n)
  assert(n >= 2, 'split takes two parts or more')
  local nodes = {}
  for i = 1, n do nodes[i] = nn.SelectTable(i)(self) end
  return unpack(nodes)
end

function Node:__sub__() error('write module - node') end

function Node:__tostring__() return torch.type(self) .. ' ' .. (self.data.annotations.name or self.id) end

-- every node once, after all that it leads to
function Node:dfs(f, marked)
  marked = marked or {}
  if marked[self] == 'done' then return end
  if marked[self] == 'open' then error('Graph has cycles') end
  marked[self] = 'open'
  for _, child in ipairs(self.children) do child:dfs(f, marked) end
  marked[self] = 'done'
  f(self)
end

-- modules as functions of nodes -----------------------------------------------------------------------------------------
local Module = torch.getmetatable('nn.Module')
local call_before = Module.__call__

function Module:__call__(...)
  if select('#', ...) == 1 and torch.isTensor(...) then return call_before(self, ...) end
  local nArgs = select('#', ...)
  assert(nArgs <= 1, 'Use {input1, input2} to pass multiple inputs.')
  local input = ...
  if type(input) == 'table' and not torch.typename(input) then
    assert(next(input), 'cannot pass an empty table of inputs. To indicate no inputs, leave the second set of parens empty.')
  elseif input ~= nil then
    input = { input }
  end
  local node = graph.Node { module = self, parents = {} }
  for i, from in ipairs(input or {}) do
    if torch.isTypeOf(from, 'nn.Module') then
      error(string.format('input[%d] is an nn.Module, specifically a %s, but the only valid thing to pass is an instance of graph.Node.',
        i, torch.typename(from)))
    end
    if torch.typename(from) ~= 'graph.Node' then error(utils_type_error(i, from)) end
    node.data.parents[i] = from
    from:add(node)
  end
  return node
end

function utils_type_error(i, what) return string.format('input[%d] should be a graph.Node but is of type %s', i, torch.type(what)) end

function Module:__unm__() return self() end

-- the container -----------------------------------------------------------------------------------------------------------
local gModule, parent = torch.class('nn.HandModule', 'nn.Container')

function gModule:__init(inputs, outputs)
  parent.__init(self)
  local start = graph.Node { annotations = { name = 'start' } }
  for _, node in ipairs(inputs) do
    if #node.data.parents > 0 then error('an input should have no inputs') end
    start:add(node)
  end
  local order, reached = {}, {}
  start:dfs(function(node)
    table.insert(order, 1, node)
    reached[node] = true
  end)
  table.remove(order, 1)
  for _, node in ipairs(outputs) do
    if not reached[node] then
      error(string.format('node declared on %s does not connect to gmodule output', node.data.annotations._debugLabel))
    end
  end
  self.inputs, self.outputs, self.forwardnodes = inputs, outputs, order
  for i, node in ipairs(order) do
    node.data.forwardNodeId = i
    self:add(node.data.module)
  end
  self.output = nil
  self.gradInput = nil
end

function gModule:updateOutput(input)
  local given = #self.inputs == 1 and { input } or input
  assert(#given == #self.inputs, string.format('Got %d inputs instead of %d', #given, #self.inputs))
  for i, node in ipairs(self.inputs) do node.data.given = given[i] end
  for _, node in ipairs(self.forwardnodes) do
    local from = node.data.parents
    if #from == 0 then
      node.data.input = node.data.given
    elseif #from == 1 then
      node.data.input = from[1].data.module.output
    else
      node.data.input = {}
      for i, f in ipairs(from) do node.data.input[i] = f.data.module.output end
    end
    self:rethrowErrors(node.data.module, node.data.forwardNodeId, 'updateOutput', node.data.input)
  end
  if #self.outputs == 1 then
    self.output = self.outputs[1].data.module.output
  else
    self.output = {}
    for i, node in ipairs(self.outputs) do self.output[i] = node.data.module.output end
  end
  return self.output
end

-- each node has a list of the gradients from its readers
local function accumulate(node, gradOutput)
  node.data.gradOutput = node.data.gradOutput or {}
  table.insert(node.data.gradOutput, gradOutput)
end

local function total(grads, buffer)
  if #grads == 1 then return grads[1] end
  if type(grads[1]) ~= 'table' then
    buffer = buffer or grads[1].new()
    buffer:resizeAs(grads[1]):copy(grads[1])
    for i = 2, #grads do buffer:add(grads[i]) end
    return buffer
  end
  local sum = {}
  for k in ipairs(grads[1]) do
    local each = {}
    for i = 1, #grads do each[i] = grads[i][k] end
    sum[k] = total(each)
  end
  return sum
end

local function back(self, method, gradOutput, scale)
  local given = #self.outputs == 1 and { gradOutput } or gradOutput
  assert(#given == #self.outputs, string.format('Got %d gradOutputs instead of %d', #given, #self.outputs))
  for _, node in ipairs(self.forwardnodes) do node.data.gradOutput = nil end
  for i, node in ipairs(self.outputs) do accumulate(node, given[i]) end
  local gradInput = {}
  for i = #self.forwardnodes, 1, -1 do
    local node = self.forwardnodes[i]
    local module, data = node.data.module, node.data
    local grad = total(data.gradOutput, data.gradOutputBuffer)
    local gradIn = module[method](module, data.input, grad, scale)
    if #data.parents == 1 then
      accumulate(data.parents[1], gradIn)
    else
      for j, from in ipairs(data.parents) do accumulate(from, gradIn[j]) end
    end
    for j, node_in in ipairs(self.inputs) do
      if node_in == node then gradInput[j] = gradIn end
    end
  end
  self.gradInput = #self.inputs == 1 and gradInput[1] or gradInput
  return self.gradInput
end

function gModule:backward(_, gradOutput, scale) return back(self, 'backward', gradOutput, scale) end
function gModule:updateGradInput(_, gradOutput) return back(self, 'updateGradInput', gradOutput) end
function gModule:accGradParameters(_, _, scale)
  for _, node in ipairs(self.forwardnodes) do
    node.data.module:accGradParameters(node.data.input, total(node.data.gradOutput), scale)
  end
end

function gModule:clearState()
  for _, node in ipairs(self.forwardnodes) do node.data.input, node.data.gradOutput, node.data.given = nil, nil, nil end
  return parent.clearState(self)
end

-- use: an LSTM step, an attention with two results, a skip connection -----------------------------------------------------------
torch.manualSeed(7)
local n_in, n_hid, batch = 4, 3, 5
local x, prev_c, prev_h = nn.Identity()(), nn.Identity()(), - nn.Identity()
local line = debug.getinfo(1, 'l').currentline + 1
local i2h = nn.Linear(n_in, 4 * n_hid)(x):annotate { name = 'i2h' }
local h2h = nn.Linear(n_hid, 4 * n_hid)(prev_h):annotate { name = 'h2h' }
local sums = nn.Reshape(4, n_hid)(nn.CAddTable() { i2h, h2h })
local n1, n2, n3, n4 = nn.SplitTable(2)(sums):split(4)
local in_gate, forget_gate, out_gate = nn.Sigmoid()(n1), nn.Sigmoid()(n2), nn.Sigmoid()(n3)
local next_c = nn.CAddTable() { nn.CMulTable() { forget_gate, prev_c }, nn.CMulTable() { in_gate, nn.Tanh()(n4) } }
local next_h = nn.CMulTable() { out_gate, nn.Tanh()(next_c) }
local cell = nn.HandModule({ x, prev_c, prev_h }, { next_c, next_h })

local label = i2h.data.annotations._debugLabel
assert(label:find('graph_by_hand.lua]:' .. line, 1, true), label)
assert(tostring(i2h) == 'graph.Node i2h')
assert(#cell:findModules('nn.Linear') == 2 and #cell:listModules() == #cell.forwardnodes + 1)

local function sigmoid(v) return 1 / (1 + math.exp(-v)) end
local X, C, H = torch.randn(batch, n_in), torch.randn(batch, n_hid), torch.randn(batch, n_hid)
local out = cell:forward { X, C, H }
local W, b, U, d = i2h.data.module.weight, i2h.data.module.bias, h2h.data.module.weight, h2h.data.module.bias
for s = 1, batch do
  for k = 1, n_hid do
    local a = {}
    for g = 1, 4 do
      local row = (g - 1) * n_hid + k
      a[g] = W[row]:dot(X[s]) + b[row] + U[row]:dot(H[s]) + d[row]
    end
    local c = sigmoid(a[2]) * C[s][k] + sigmoid(a[1]) * math.tanh(a[4])
    assert(math.abs(out[1][s][k] - c) < 1e-12)
    assert(math.abs(out[2][s][k] - sigmoid(a[3]) * math.tanh(c)) < 1e-12)
  end
end

-- gradients by differences, of the parameters and of the inputs
local params, grads = cell:getParameters()
assert(params:size(1) == 4 * n_hid * (n_in + n_hid + 2))
local probe = { torch.randn(batch, n_hid), torch.randn(batch, n_hid) }
local function objective()
  local o = cell:forward { X, C, H }
  return o[1]:dot(probe[1]) + o[2]:dot(probe[2])
end
objective()
cell:zeroGradParameters()
local gradInput = cell:backward({ X, C, H }, probe)
local function check(t, g, name)
  local s = t:storage()
  for i = 1, t:nElement() do
    local at = t:storageOffset() + i - 1
    local old = s[at]
    s[at] = old + 1e-5
    local up = objective()
    s[at] = old - 1e-5
    local down = objective()
    s[at] = old
    assert(math.abs((up - down) / 2e-5 - g:contiguous():view(-1)[i]) < 1e-7, name .. ' ' .. i)
  end
end
check(params, grads, 'parameter')
check(X, gradInput[1], 'x')
check(C, gradInput[2], 'c')
check(H, gradInput[3], 'h')

-- copies, types, files
local twin = cell:clone()
assert(twin.forwardnodes[1].data.module == twin.modules[1] and twin.modules[1] ~= cell.modules[1])
twin:float()
local small = twin:forward { X:float(), C:float(), H:float() }
assert(torch.type(small[1]) == 'torch.FloatTensor' and (small[2]:double() - out[2]):abs():max() < 1e-6)
twin:clearState()
local again = torch.deserialize(torch.serialize(twin))
assert(again:forward({ X:float(), C:float(), H:float() })[2]:equal(twin:forward({ X:float(), C:float(), H:float() })[2]))

-- messages
local ok, message = pcall(cell.forward, cell, { torch.randn(2, 9), C, H })
assert(not ok and message:find('In %d+ module of nn.HandModule:') and message:find('size mismatch'), message)
ok, message = pcall(cell.forward, cell, { X })
assert(not ok and message:find 'Got 1 inputs instead of 3')
ok, message = pcall(function() return nn.Tanh()(nn.Linear(2, 2)) end)
assert(not ok and message:find 'specifically a nn.Linear', message)
ok, message = pcall(function() return nn.CAddTable() { x, 3 } end)
assert(not ok and message:find 'input%[2%] should be a graph.Node but is of type number', message)
ok, message = pcall(nn.HandModule, { nn.Identity()() }, { nn.Identity()() })
assert(not ok and message:find 'does not connect to gmodule output', message)

-- learning: two inputs, a shared layer used twice (its gradients add up), xor of signs
local left, right = nn.Identity()(), nn.Identity()()
local layer = nn.Linear(1, 6)
local twice = layer:clone('weight', 'bias', 'gradWeight', 'gradBias')
local joined = nn.JoinTable(2) { nn.Tanh()(layer(left)), nn.Tanh()(twice(right)) }
local product = nn.CMulTable() { nn.Narrow(2, 1, 6)(joined), nn.Narrow(2, 7, 6)(joined) }
local net = nn.HandModule({ left, right }, { nn.Sigmoid()(nn.Linear(6, 1)(product)) })
local criterion = nn.BCECriterion()
local w, dw = net:getParameters()
assert(w:nElement() == 6 * 2 + 6 + 1, 'shared parameters are counted once')
local A, B = torch.randn(100, 1), torch.randn(100, 1)
local target = torch.cmul(A, B):gt(0):double()
local state = { learningRate = 0.5, momentum = 0.9 }
for _ = 1, 300 do
  optim.sgd(function(p)
    if p ~= w then w:copy(p) end
    dw:zero()
    local loss = criterion:forward(net:forward { A, B }, target)
    net:backward({ A, B }, criterion:backward(net.output, target))
    return loss, dw
  end, w, state)
end
local right_ones = net.output:gt(0.5):eq(target:byte()):sum()
print(string.format('%d of 100 signs of products', right_ones))
assert(right_ones >= 97)
print('ok')
