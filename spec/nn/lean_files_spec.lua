-- torch.save omits fields of modules that forward and backward compute again; copies and other files have all fields.
local torch, nn = require 'torch', require 'nn'
local files, paths = require 'spec.support.files', require 'paths'

local name
before_each(function()
  name = paths.tmpname()
end)
after_each(function() os.remove(name) end)

local function saved(object, ...)
  torch.save(name, object, ...)
  return torch.load(name)
end

local function trained(net, x)
  local y = net:forward(x)
  net:zeroGradParameters()
  net:backward(x, y:clone())
  return net
end

local function picture()
  local net = nn.Sequential(nn.SpatialConvolution(1, 2, 3, 3), nn.SpatialBatchNormalization(2), nn.ReLU(true), nn.Dropout(0.5),
    nn.SpatialMaxPooling(2, 2), nn.SpatialCrossMapLRN(3), nn.View(-1):setNumInputDims(3), nn.Linear(18, 3), nn.LogSoftMax())
  return net, torch.randn(200, 1, 8, 8)
end

describe('a trained network in a file of torch.save', function()
  it('takes the room of its parameters, as after clearState', function()
    local net, x = picture()
    local fresh = #torch.serialize(net)
    trained(net, x)
    torch.save(name, net)
    local lean = #files.read(name)
    torch.save(name, net, 'binary', { transient = true })
    local whole = #files.read(name)
    torch.save(name, net:clearState())
    local cleared = #files.read(name)
    assert.is_true(lean < fresh + 2000 and lean <= cleared + 200)
    assert.is_true(whole > 100 * lean)
  end)

  it('computes and learns as before, in either mode', function()
    for _, mode in ipairs { 'binary', 'ascii' } do
      local net, x = picture()
      trained(net, x):evaluate()
      local copy = saved(net, mode)
      assert.same(net:forward(x):totable(), copy:forward(x):totable())
      local g = net.output:clone()
      assert.same(net:backward(x, g):totable(), copy:backward(x, g):totable())
      local _, gradients = net:parameters()
      local _, others = copy:parameters()
      for i, gradient in ipairs(gradients) do assert.same(gradient:totable(), others[i]:totable()) end
    end
  end)

  it('has empty fields of their type, and the network itself stays as it is', function()
    local net = trained(nn.Sequential(nn.Linear(2, 3):float(), nn.ConcatTable():add(nn.Tanh():float()), nn.SelectTable(1):float()),
      torch.FloatTensor(4, 2):fill(1))
    local output, kept = net.output, net:get(1).output
    local copy = saved(net)
    assert.equal(output, net.output)
    assert.equal(kept, net:get(1).output)
    assert.same({ 4, 3 }, net.output:size():totable())
    assert.equal('torch.FloatTensor', copy:get(1).output:type())
    assert.equal(0, copy:get(1).output:nElement())
    assert.same({}, copy:get(2).output)
    assert.equal(0, copy:get(1).gradInput:nElement())
    assert.equal('torch.FloatTensor', copy:get(1).gradWeight:type())
    assert.same(net:get(1).gradWeight:totable(), copy:get(1).gradWeight:totable())
  end)

  it('shares what was shared, beside it in the file and within', function()
    local first = nn.Linear(2, 2)
    local net = nn.Sequential(first, nn.Tanh(), first)
    trained(net, torch.randn(3, 2))
    local flat = net:getParameters()
    local back = saved { net = net, first = first, flat = flat, output = net.output }
    assert.equal(back.first, back.net:get(1))
    assert.equal(back.first, back.net:get(3))
    back.flat:fill(2)
    assert.equal(2, back.first.weight[1][1])
    assert.same(net.output:totable(), back.output:totable())      -- a tensor of the program's, whoever made it
    assert.equal(0, back.net.output:nElement())
  end)

  it('has everything where it is asked for', function()
    local net = trained(nn.Sequential(nn.Linear(2, 3), nn.Dropout()), torch.randn(4, 2))
    local back = saved(net, 'binary', { transient = true })
    assert.same(net.output:totable(), back.output:totable())
    assert.same(net.gradInput:totable(), back.gradInput:totable())
    assert.same(net:get(2).noise:totable(), back:get(2).noise:totable())
    back = saved(net, nil, { transient = true, referenced = true })
    assert.equal(back.output, back:get(2).output)
  end)
end)

describe('everything is in', function()
  local net
  before_each(function() net = trained(nn.Sequential(nn.Linear(2, 3), nn.Tanh()), torch.randn(4, 2)) end)

  it('a clone', function()
    assert.same(net.output:totable(), net:clone().output:totable())
    assert.same(net.gradInput:totable(), net:clone('weight').gradInput:totable())
  end)

  it('a string or a file in memory', function()
    assert.same(net.output:totable(), torch.deserialize(torch.serialize(net)).output:totable())
    local file = torch.MemoryFile()
    file:writeObject(net):seek(1)
    assert.same(net.output:totable(), file:readObject().output:totable())
    assert.is_false(file:isLean())
  end)

  it('a file that a program writes object by object, unless it is lean', function()
    for _, lean in ipairs { false, true } do
      local file = torch.DiskFile(name, 'w'):lean(lean)
      file:writeObject(net)
      file:close()
      file = torch.DiskFile(name, 'r')
      assert.equal(lean and 0 or 12, file:readObject().output:nElement())
      file:close()
    end
  end)
end)

describe('a class of a program', function()
  it('keeps what its own forward made', function()
    local Fixed = torch.class('nn.FixedForLeanFiles', 'nn.Module')
    function Fixed:__init(x)
      nn.Module.__init(self)
      self.output = x
    end
    function Fixed:updateOutput() return self.output end
    local net = nn.Sequential(nn.Linear(2, 3), nn.FixedForLeanFiles(torch.ones(4, 3)))
    net:forward(torch.randn(4, 2))
    local back = saved(net)
    assert.same({ 4, 3 }, back:get(2).output:size():totable())
    assert.equal(0, back:get(1).output:nElement())
    assert.equal(12, back:forward(torch.randn(4, 2)):sum())
  end)

  it('keeps all where it says itself what clearState drops', function()
    local Careful, parent = torch.class('nn.CarefulForLeanFiles', 'nn.Linear')
    function Careful:clearState() return self end
    local net = trained(nn.CarefulForLeanFiles(2, 3), torch.randn(4, 2))
    assert.same(net.output:totable(), saved(net).output:totable())
    function Careful:write(file) parent.write(self, file) end
    Careful.clearState = nil
    assert.equal(0, saved(net).output:nElement())
  end)

  it('that says what it computes is as ours', function()
    local Twice = torch.class('nn.TwiceForLeanFiles', 'nn.Module')
    function Twice:compute(x) return torch.mul(x, 2) end -- luacheck: no self
    local net = trained(nn.TwiceForLeanFiles(), torch.randn(4, 2))
    assert.equal(0, saved(net).output:nElement())
  end)
end)
