-- The package nnx's uses of torch, xlua and nn: kernels on the metatables of tensors, modules that refer to each other, parameters in
-- tables with holes, descriptors of arguments.
local torch, xlua, nn = require 'torch', require 'xlua', require 'nn'
local assertClose = require('spec.support.close').within(1e-12)

describe('kernels in a table of a tensor\'s metatable', function()
  it('are found by every tensor of the type, one made before too', function()
    local before = torch.ones(3)
    for _, name in ipairs { 'torch.FloatTensor', 'torch.DoubleTensor' } do
      local metatable = torch.getmetatable(name)
      assert.is_nil(metatable.nn)
      metatable.nn = metatable.nn or {}
      metatable.nn.SumPlus_updateOutput = function(module, input) return module.offset + input:sum() end
    end
    assert.equal(4, before.nn.SumPlus_updateOutput({ offset = 1 }, before))
    assert.equal(5, torch.FloatTensor(2):fill(2).nn.SumPlus_updateOutput({ offset = 1 }, torch.FloatTensor(2):fill(2)))
    for _, name in ipairs { 'torch.FloatTensor', 'torch.DoubleTensor' } do torch.getmetatable(name).nn = nil end
  end)

  it('are those of THNN, called with structs', function()
    local RowSoftMax = torch.class('nn.RowSoftMax', 'nn.Module')
    function RowSoftMax:updateOutput(input)
      local rows = input:view(-1, input:size(3))
      self._rows = self._rows or input.new()
      input.THNN.SoftMax_updateOutput(rows:cdata(), self._rows:cdata())
      self.output:view(self._rows, input:size())
      return self.output
    end
    function RowSoftMax:updateGradInput(input, gradOutput)
      self._gradient = self._gradient or input.new()
      local rows, g = input:view(-1, input:size(3)), gradOutput:contiguous():view(-1, input:size(3))
      input.THNN.SoftMax_updateGradInput(rows:cdata(), g:cdata(), self._gradient:cdata(), self._rows:cdata())
      self.gradInput:view(self._gradient, input:size())
      return self.gradInput
    end
    local x, g = torch.randn(2, 3, 4), torch.randn(2, 3, 4)
    local net, plain = nn.RowSoftMax(), nn.SoftMax()
    assertClose(plain:forward(x:view(6, 4)), net:forward(x):view(6, 4))
    assertClose(plain:backward(x:view(6, 4), g:view(6, 4)), net:backward(x, g):view(6, 4))
  end)
end)

describe('xlua, as nnx calls it', function()
  it('reads arguments into an object', function()
    local object, options = {}, { { arg = 'size', type = 'number', help = 'of it', req = true },
      { arg = 'rate', type = 'number', help = 'how fast', default = 4 } }
    xlua.unpack_class(object, { { size = 3 } }, 'nn.Thing', 'a thing', unpack(options))
    assert.same({ 3, 4 }, { object.size, object.rate })
    local _, size, rate = xlua.unpack({ 5, 6 }, 'nn.Thing', 'a thing', unpack(options))
    assert.same({ 5, 6 }, { size, rate })
  end)

  it('describes arguments without names, and parts forms of a call by text', function()
    local text = xlua.usage('nn.Thing', 'a thing', 'nn.Thing(3)', { type = 'number', help = 'a size', req = true }, 'or',
      { type = 'torch.Tensor', help = 'weights' })
    for _, part in ipairs { 'a thing', '(number)', '-- a size', '[REQUIRED]', '\nor\n', '(torch.Tensor)' } do
      assert.is_truthy(text:find(part, 1, true), part)
    end
    local good, message = pcall(_G.xerror, 'wrong size', 'nn.Thing', text)
    assert.is_false(good)
    assert.is_truthy(message:find 'wrong size' and message:find('a size', 1, true))
    assert.equal(require 'paths', _G.xrequire 'paths')
  end)
end)

-- One module splits a table, and a later one joins it; neither calls the constructor of its parent.
local Push = torch.class('nn.PushAside', 'nn.Module')

function Push:__init(index) self._index, self._pulls, self.output, self.gradInput, self._gradInput = index, {}, {}, {}, torch.Tensor() end

function Push:pull(index)
  local pull = nn.PullBack(self, index)
  table.insert(self._pulls, pull)
  return pull
end

function Push:updateOutput(input)
  for i, entry in ipairs(input) do
    if i ~= self._index then self.output[i < self._index and i or i - 1] = entry end
  end
  for _, pull in ipairs(self._pulls) do pull._kept = input[self._index] end
  return self.output
end

function Push:updateGradInput(_, gradOutput)
  for i, entry in ipairs(gradOutput) do self.gradInput[i < self._index and i or i + 1] = entry end
  self.gradInput[self._index] = self._gradInput
  return self.gradInput
end

function Push:type(type, tensorCache)
  self._gradInput = nn.utils.recursiveType(self._gradInput, type, tensorCache)
  for _, pull in ipairs(self._pulls) do nn.utils.recursiveType(pull, type, tensorCache) end
  return self
end

local Pull = torch.class('nn.PullBack', 'nn.Module')

function Pull:__init(push, index) self._push, self._index, self.output, self.gradInput = push, index, {}, {} end

function Pull:updateOutput(input)
  for i, entry in ipairs(input) do self.output[i < self._index and i or i + 1] = entry end
  self.output[self._index] = self._kept
  return self.output
end

function Pull:updateGradInput(_, gradOutput)
  for i, entry in ipairs(gradOutput) do
    if i ~= self._index then self.gradInput[i < self._index and i or i - 1] = entry end
  end
  local g = gradOutput[self._index]
  self._push._gradInput = self._push._gradInput:typeAs(g):resizeAs(g):copy(g)
  return self.gradInput
end

function Pull:type(type, tensorCache)
  self._push = nn.utils.recursiveType(self._push, type, tensorCache)
  self._kept = nn.utils.recursiveType(self._kept, type, tensorCache)
  return self
end

describe('modules that refer to each other', function()
  it('run, convert, copy and clear inside a net', function()
    local push = nn.PushAside(2)
    local net = nn.Sequential():add(push):add(nn.ParallelTable():add(nn.Linear(3, 3)):add(nn.Linear(4, 4))):add(push:pull(2))
    local function input(type)
      return { torch.randn(2, 3):type(type), torch.randn(2, 5):type(type), torch.randn(2, 4):type(type) }
    end
    local x = input 'torch.DoubleTensor'
    assert.is_true(rawequal(x[2], net:forward(x)[2]))
    net:zeroGradParameters()
    local g = net:backward(x, { torch.ones(2, 3), torch.ones(2, 5), torch.ones(2, 4) })
    assert.same({ 3, 5, 4 }, { g[1]:size(2), g[2]:size(2), g[3]:size(2) })
    net:float()
    assert.equal('torch.FloatTensor', push._gradInput:type())
    x = input 'torch.FloatTensor'
    local copy = net:clone()
    assert.equal('torch.FloatTensor', copy:forward(x)[3]:type())
    assert.are_not.equal(copy:get(1), push)
    assert.is_true(rawequal(copy:get(1), copy:get(3)._push))
    net:clearState()
    assert.equal(5, net:forward(x)[2]:size(2))
    net:evaluate()
    assert.is_false(push.train)
    assert.is_truthy(tostring(net):find 'nn.PullBack')
  end)
end)

-- A layer that only learns the rows that a batch touched.
local Rows, rowsParent = torch.class('nn.TouchedRows', 'nn.Module')

function Rows:__init(count, size)
  rowsParent.__init(self)
  self.weight, self.gradWeight = torch.ones(count, size), torch.zeros(count, size)
  self.childIds, self._gradTarget, self.touched = torch.IntTensor { 1, 2, 3 }, torch.IntTensor(), {}
  self._gradInput, self.gradInput = torch.Tensor(), {}
end

function Rows:updateOutput(input)
  self.output = torch.cmul(input[1], self.weight:index(1, input[2]:long())):sum(2)
  return self.output
end

function Rows:updateGradInput(input, gradOutput)
  self._gradInput:resizeAs(input[1]):copy(self.weight:index(1, input[2]:long())):cmul(gradOutput:view(-1, 1):expandAs(input[1]))
  self._gradTarget:resizeAs(input[2])
  self.gradInput = { self._gradInput, self._gradTarget }
  return self.gradInput
end

function Rows:accGradParameters(input, gradOutput, scale)
  for i = 1, input[2]:size(1) do
    local row = input[2][i]
    self.touched[row] = (self.touched[row] or 0) + 1
    self.gradWeight[row]:add(scale * gradOutput:view(-1)[i], input[1][i])
  end
end

function Rows:parameters()
  local parameters, gradients = {}, {}
  for row in pairs(self.touched) do
    parameters[row], gradients[row] = self.weight:narrow(1, row, 1), self.gradWeight:narrow(1, row, 1)
  end
  if next(parameters) == nil then return { self.weight }, { self.gradWeight } end
  return parameters, gradients, self.touched, self.weight:size(1)
end

function Rows:updateParameters(rate)
  local parameters, gradients = self:parameters()
  for row, parameter in pairs(parameters) do parameter:add(-rate, gradients[row]) end
end

function Rows:zeroGradParameters()
  local _, gradients = self:parameters()
  for _, gradient in pairs(gradients) do gradient:zero() end
  self.touched = {}
end

function Rows:type(type, tensorCache)
  if not type then return rowsParent.type(self) end
  local ids, target = self.childIds, self._gradTarget
  self.childIds, self._gradTarget, self.gradInput = nil, nil, nil
  rowsParent.type(self, type, tensorCache)
  self.childIds, self._gradTarget, self.gradInput = ids, target, { self._gradInput, target }
  return self
end

describe('a module with parameters that change from batch to batch', function()
  it('learns in a net, and keeps integers through a conversion', function()
    local rows, linear = nn.TouchedRows(9, 4), nn.Linear(3, 4)
    local net = nn.Sequential():add(nn.ParallelTable():add(linear):add(nn.Identity())):add(rows)
    local x = { torch.randn(2, 3), torch.IntTensor { 3, 7 } }
    net:zeroGradParameters()
    net:forward(x)
    local g = net:backward(x, torch.ones(2, 1))
    assert.same({ 2, 3 }, g[1]:size():totable())
    local bias = linear.bias:clone()
    net:updateParameters(0.1)
    local changed = rows.weight:ne(1):double():sum(2):gt(0):view(-1)
    assert.same({ 0, 0, 1, 0, 0, 0, 1, 0, 0 }, changed:totable())
    assert.is_true((linear.bias - bias):abs():min() > 0)
    local _, _, counts, size = rows:parameters()
    assert.same({ { [3] = 1, [7] = 1 }, 9 }, { counts, size })
    net:float()
    assert.same({ 'torch.FloatTensor', 'torch.IntTensor' }, { rows.weight:type(), rows.childIds:type() })
    assert.same({ 2, 1 }, net:forward({ torch.randn(2, 3):float(), torch.IntTensor { 1, 9 } }):size():totable())
    assert.same({ [3] = 1, [7] = 1 }, rows:clone().touched)
  end)

  it('may read nn.Linear\'s buffer of ones, in a class outside of nn', function()
    _G.nnx = {}
    local Counting, parent = torch.class('nnx.Counting', 'nn.Linear')
    function Counting:accGradParameters(input, gradOutput, scale)
      parent.accGradParameters(self, input, gradOutput, scale)
      self.sums = torch.mv(torch.pow(gradOutput, 2):t(), self.addBuffer)
    end
    local net = nn.Sequential():add(_G.nnx.Counting(3, 2))
    for _, count in ipairs { 5, 7, 2 } do
      local x, g = torch.randn(count, 3), torch.randn(count, 2)
      net:forward(x)
      net:backward(x, g)
      assertClose(torch.pow(g, 2):sum(1):view(-1), net:get(1).sums)
    end
    _G.nnx = nil
  end)
end)

describe('an object that is indexed by numbers', function()
  it('answers by its own hook, after a file too', function()
    local List = torch.class 'nn.ListOfSamples'
    function List:__init(samples) self.samples = samples end
    function List:__index__(key)
      if type(key) ~= 'number' then return false end
      return { rawget(self, 'samples')[key], torch.ones(1) * key }, true
    end
    function List:size() return #self.samples end
    local list = nn.ListOfSamples { 'a', 'b' }
    assert.same({ 'b', 2, 2 }, { list[2][1], list[2][2][1], list:size() })
    assert.equal('a', torch.deserialize(torch.serialize(list))[1][1])
  end)

  it('and sizes are a copy', function()
    local x = torch.randn(3, 4)
    local sizes = x:size()
    sizes[1], sizes[2] = 12, 1
    assert.same({ 3, 4 }, x:size():totable())
    assert.same({ 12, 1 }, torch.Tensor():resize(sizes):size():totable())
    x[x:lt(0)] = 5
    assert.is_true(x:min() >= 0)
  end)
end)
