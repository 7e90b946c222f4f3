-- The package dpnn's uses of torch and nn: methods that replace those of nn.Module for modules that exist already, clones that share,
-- copies by files, results given as the first argument or as self.
local ffi = require 'ffi'
local torch, nn = require 'torch', require 'nn'
local assertClose = require('spec.support.close').within(1e-12)

describe('methods that a package replaces', function()
  it('are seen by modules that exist already', function()
    local linear, net, lookup = nn.Linear(3, 2), nn.Sequential():add(nn.Linear(3, 2)), nn.LookupTable(5, 2)
    local kept = { update = nn.Module.updateParameters, zero = nn.Module.zeroGradParameters, list = nn.Container.parameters,
                   lookup = nn.LookupTable.updateOutput }
    local calls = {}
    function nn.Module:updateParameters(rate)
      calls.update = (calls.update or 0) + 1
      local parameters, gradients = self:parameters()
      for key, parameter in pairs(parameters or {}) do parameter:add(-rate, gradients[key]) end
    end
    function nn.Module:zeroGradParameters()
      calls.zero = (calls.zero or 0) + 1
      local _, gradients = self:parameters()
      for _, gradient in pairs(gradients or {}) do gradient:zero() end
    end
    function nn.Container:parameters()
      calls.list = true
      local parameters, gradients = {}, {}
      for _, module in ipairs(self.modules) do
        local its, theirs = module:parameters()
        for key, parameter in pairs(its or {}) do
          table.insert(parameters, parameter)
          table.insert(gradients, theirs[key])
        end
      end
      return parameters, gradients
    end
    function nn.LookupTable:updateOutput(input)
      calls.lookup = true
      return kept.lookup(self, input)
    end
    linear.gradWeight:fill(1)
    linear:zeroGradParameters()
    assert.equal(0, linear.gradWeight:abs():max())
    net:zeroGradParameters()
    net:forward(torch.randn(4, 3))
    net:backward(torch.randn(4, 3), torch.randn(4, 2))
    net:updateParameters(0.1)
    lookup:forward(torch.LongTensor { 1, 5 })
    assert.equal(2, #net:parameters())
    assert.is_true(calls.list and calls.lookup and calls.zero >= 2 and calls.update >= 1)
    function nn.LookupTable:rowNorms() return self.weight:norm(2, 2) end
    assert.equal(5, lookup:rowNorms():size(1))
    nn.Module.updateParameters, nn.Module.zeroGradParameters = kept.update, kept.zero
    nn.Container.parameters, nn.LookupTable.updateOutput = kept.list, kept.lookup
  end)

  it('are class fields too: defaults, which an instance or a subclass may have otherwise', function()
    nn.Module.shared_names = { 'weight', 'bias' }
    local linear = nn.Linear(2, 2)
    assert.equal('bias', linear.shared_names[2])
    linear.shared_names = {}
    nn.LookupTable.shared_names = { 'weight' }
    assert.same({ { 'weight', 'bias' }, { 'weight' } }, { nn.Tanh().shared_names, nn.LookupTable(2, 2).shared_names })
    assert.is_nil(nn.MSECriterion().shared_names)
    nn.Module.shared_names, nn.LookupTable.shared_names = nil, nil
  end)

  it('may lie in an instance: a part that is not trained', function()
    local frozen = nn.Linear(3, 3)
    for _, name in ipairs { 'backward', 'updateGradInput', 'accGradParameters', 'accUpdateGradParameters' } do
      frozen[name] = function() end
    end
    local net = nn.Sequential():add(frozen):add(nn.Tanh()):add(nn.Linear(3, 2))
    local x = torch.randn(2, 3)
    net:zeroGradParameters()
    net:forward(x)
    net:backward(x, torch.ones(2, 2))
    assert.equal(0, frozen.gradWeight:abs():max())
    assert.is_true(net:get(3).gradWeight:abs():max() > 0)
  end)

  it('getParameters may flatten by itself, with modules in any field', function()
    local function all(owner, found)
      for _, value in pairs(owner) do
        if torch.isTypeOf(value, 'nn.Module') then
          if not found[value] then
            found[value] = true
            table.insert(found, value)
            all(value, found)
          end
        elseif torch.type(value) == 'table' then
          all(value, found)
        end
      end
      return found
    end
    local net = nn.Sequential():add(nn.Linear(3, 2))
    net.hidden = { nn.Linear(2, 2) }
    local box = nn.Container()
    for _, module in ipairs(all(net, {})) do box:add(module) end
    local parameters, gradients = box:parameters()
    local flat, flatGradients = nn.Module.flatten(parameters), nn.Module.flatten(gradients)
    assert.same({ 14, 14 }, { flat:nElement(), flatGradients:nElement() })
    flat:fill(2)
    assert.same({ 2, 2 }, { net:get(1).bias:min(), net.hidden[1].weight:min() })
  end)
end)

describe('clones', function()
  -- A clone that shares given fields: their tensors are removed, the rest is copied, and both get the tensors back.
  local function sharedClone(module, names)
    local taken, pointers = {}, {}
    local function each(object, other, visit)
      for key, value in pairs(object) do
        if torch.isTensor(value) and value.storage and names[key] then
          visit(object, other, key, value)
        elseif type(value) == 'table' then
          each(value, other and other[key], visit)
        end
      end
    end
    each(module, nil, function(owner, _, key, value)
      taken[#taken + 1] = { owner, key, value }
      pointers[torch.pointer(value:storage():data())] = true
    end)
    for _, entry in ipairs(taken) do entry[1][entry[2]] = entry[3].new() end
    local clone = module:clone()
    for _, entry in ipairs(taken) do entry[1][entry[2]] = entry[3] end
    each(module, clone, function(_, other, key, value) other[key] = value end)
    return clone, pointers
  end

  it('share tensors that were taken out while the rest was copied', function()
    local net = nn.Sequential():add(nn.Linear(3, 2)):add(nn.Tanh()):add(nn.Linear(2, 2))
    net:forward(torch.randn(4, 3))
    local clone, pointers = sharedClone(net, { weight = true, bias = true })
    net:get(1).weight:fill(7)
    assert.equal(7, clone:get(1).weight:max())
    assert.is_true(pointers[torch.pointer(clone:get(3).bias:storage():data())])
    assert.are_not.equal(torch.pointer(net:get(1).gradWeight:storage():data()), torch.pointer(clone:get(1).gradWeight:storage():data()))
    local x = torch.randn(2, 3)
    assertClose(net:forward(x), clone:forward(x))
  end)

  it('are told apart by addresses of elements', function()
    local a = torch.DoubleTensor(4)
    local b = a:narrow(1, 2, 2)
    local function address(pointer) return tonumber(ffi.cast('intptr_t', pointer)) end
    assert.equal(address(a:storage():data()), torch.pointer(a:storage():data()))
    assert.equal(torch.pointer(a:storage():data()), torch.pointer(b:storage():data()))
    assert.equal(8, torch.pointer(b:data()) - torch.pointer(a:data()))
    assert.are_not.equal(torch.pointer(a), torch.pointer(b))
  end)

  it('may go through a class that writes itself in another type', function()
    local Serial, parent = torch.class('nn.SerialInFloat', 'nn.Container')
    function Serial:__init(module, type_)
      parent.__init(self)
      self.modules[1], self.serialType = module, type_
    end
    function Serial:updateOutput(input)
      self.output = self.modules[1]:updateOutput(input)
      return self.output
    end
    function Serial:write(file)
      local state = {}
      for key, value in pairs(self) do state[key] = value end
      state.output, state.gradInput = nil, nil
      state.modules = nn.utils.recursiveType({ self.modules[1]:clone() }, self.serialType)
      file:writeObject(state)
    end
    function Serial:read(file)
      for key, value in pairs(file:readObject()) do self[key] = value end
    end
    local net = nn.SerialInFloat(nn.Linear(3, 2), 'torch.FloatTensor')
    net:forward(torch.randn(3))
    local copy = net:clone()
    assert.equal('torch.FloatTensor', copy.modules[1].weight:type())
    assert.equal('torch.DoubleTensor', net.modules[1].weight:type())
    assert.is_nil(rawget(copy, 'output'))
    assert.equal(2, copy:forward(torch.FloatTensor(3)):size(1))
    local name = os.tmpname()
    torch.save(name, net)
    assert.equal('nn.SerialInFloat', torch.type(torch.load(name)))
    os.remove(name)
  end)

  it('may be made of plain tables', function()
    local fields = { weight = torch.Tensor { { 1, 2 } }, bias = torch.zeros(1), gradWeight = torch.zeros(1, 2), gradBias = torch.zeros(1),
                     output = torch.Tensor(), gradInput = torch.Tensor() }
    torch.setmetatable(fields, 'nn.Linear')
    assert.equal('nn.Linear', torch.type(fields))
    assert.same({ 11 }, fields:forward(torch.Tensor { 3, 4 }):totable())
    fields:backward(torch.Tensor { 3, 4 }, torch.ones(1))
    assert.same({ { 3, 4 } }, fields.gradWeight:totable())
    local net = { modules = {}, train = true }
    torch.setmetatable(net, 'nn.Sequential')
    assert.same({ 11 }, net:add(fields):forward(torch.Tensor { 3, 4 }):totable())
  end)
end)

describe('results', function()
  local x = torch.Tensor { { 1, -2, 3 }, { -4, 5, -6 } }

  it('are given first to functions of a tensor', function()
    local mask, drawn, rows, product = torch.ByteTensor(), torch.LongTensor(), torch.Tensor(), torch.randn(2, 2)
    x.ge(mask, x, 0)
    assert.same({ { 1, 0, 1 }, { 0, 1, 0 } }, mask:totable())
    x.eq(mask, mask, 0)
    assert.same({ { 0, 1, 0 }, { 1, 0, 1 } }, mask:totable())
    torch.Tensor { { 0, 1 }, { 1, 0 } }.multinomial(drawn, torch.Tensor { { 0, 1 }, { 1, 0 } }, 1)
    assert.same({ { 2 }, { 1 } }, drawn:totable())
    x.index(rows, x, 1, torch.LongTensor { 2, 2 })
    assert.same({ -4, 5, -6 }, rows[1]:totable())
    local a, b = torch.randn(2, 3), torch.randn(3, 2)
    x.addmm(product, 0, product, 1, a, b)
    assertClose(a * b, product)
    x.addmm(product, 1, product, 2, a, b)
    assertClose((a * b) * 3, product)
  end)

  it('are the tensor whose method is called', function()
    local y, place = torch.Tensor(), torch.LongTensor()
    y:max(place, x, 2)
    assert.same({ { { 3 }, { 5 } }, { { 3 }, { 2 } } }, { y:totable(), place:totable() })
    y:gt(x, 0)
    assert.same({ 'torch.DoubleTensor', 3 }, { y:type(), y:sum() })
    y:eq(x, x)
    assert.equal(6, y:sum())
    y:view(x, 3, 2)
    assert.is_true(y:size(1) == 3 and y:storage() == x:storage())
    y:expand(torch.ones(1, 3), 4, 3)
    assert.same({ 4, 3 }, y:size():totable())
    y:expandAs(torch.ones(1, 3), x)
    assert.same({ 2, 3 }, y:size():totable())
    y = torch.Tensor()
    y:norm(x, 1, 2)
    assert.same({ { 6 }, { 15 } }, y:totable())
    y:sum(x, 1)
    assert.same({ { -3, 3, -3 } }, y:totable())
    y:log(torch.ones(2))
    assert.same({ 0, 0 }, y:totable())
  end)

  it('of a number are numbers', function()
    assert.same({ 2, 3, 'number' }, { torch.floor(2.7), torch.round(2.7), type(torch.bernoulli(0.5)) })
  end)

  it('pair elements where counts agree and shapes do not', function()
    local a, b = torch.Tensor { 1, 2, 3, 4 }, torch.Tensor { { 4 }, { 3 }, { 2 }, { 1 } }
    a:add(-1, b)
    assert.same({ -3, -1, 1, 3 }, a:totable())
    b:add(a):cmul(a)
    assert.same({ { -3 }, { -2 }, { 3 }, { 12 } }, b:totable())
  end)

  it('may show one element many times', function()
    local bias = torch.Tensor { 3 }
    local shown = torch.Tensor():set(bias:view(1, 1):expand(2, 3))
    assert.same({ { 3, 3, 3 }, { 3, 3, 3 } }, shown:totable())
    bias[1] = 4
    assert.equal(24, shown:sum())
  end)
end)

describe('an object of a class outside of nn', function()
  it('may be in a module, and draws by the alias method', function()
    local Alias = torch.class 'torch.AliasOfTwo'
    function Alias:__init(share) self.J, self.q = torch.LongTensor { 2, 2 }, torch.Tensor { share * 2, 1 } end
    function Alias:batchdraw(output)
      self._kk = (self._kk or output.new()):resizeAs(output):random(1, 2)
      self._q = self._q or self.q.new()
      self._q:index(self.q, 1, self._kk:view(-1))
      self._b = (self._b or torch.LongTensor()):resize(self._q:size()):bernoulli(self._q)
      local kept = torch.cmul(self._kk:view(-1), self._b)
      self._b:add(-1):mul(-1)
      output:view(-1):index(self.J, 1, self._kk:view(-1))
      output:view(-1):cmul(self._b):add(kept)
      return output
    end
    local net = nn.Identity()
    net.unigrams = torch.AliasOfTwo(0.25)
    net:float()
    local draws = net:clone().unigrams:batchdraw(torch.LongTensor(100, 100))
    assert.is_true(math.abs(draws:eq(1):double():mean() - 0.25) < 0.02)
    assert.same({ 1, 2 }, { draws:min(), draws:max() })
  end)

  it('keeps fields that were set before the constructor of its parent', function()
    local Block, parent = torch.class('nn.BlockWithFields', 'nn.Sequential')
    function Block:__init(size)
      self.sizes, self.isSmall = { size }, size < 5
      parent.__init(self)
      self:add(nn.Linear(self.sizes[1], 2))
    end
    local block = nn.BlockWithFields(3)
    assert.same({ { 3 }, true, 2 }, { block.sizes, block.isSmall, block:forward(torch.ones(3)):size(1) })
  end)
end)

describe('a class that dpnn had before nn', function()
  it('may be defined by a program, with classes on it', function()
    for _, name in ipairs { 'Collapse', 'Convert', 'Decorator', 'DontCast', 'Kmeans', 'ModuleCriterion', 'NaN', 'OneHot', 'PrintSize',
                            'Profile', 'WhiteNoise', 'ZipTable', 'ZipTableOneToMany' } do
      assert.equal('table', type(torch.getmetatable('nn.' .. name)))      -- this file defines some, and finds none in nn before
    end
    local Decorator, parent = torch.class('nn.Decorator', 'nn.Container')
    function Decorator:__init(module)
      parent.__init(self)
      self.modules[1] = module
    end
    function Decorator:updateOutput(input)
      self.output = self.modules[1]:updateOutput(input)
      return self.output
    end
    local Doubled, decorator = torch.class('nn.DontCast', 'nn.Decorator')
    function Doubled:updateOutput(input) return decorator.updateOutput(self, input):mul(2) end
    assert.same({ 2, 4 }, nn.DontCast(nn.Identity()):forward(torch.Tensor { 1, 2 }):totable())
    torch.class('nn.OneHot', 'nn.Module')
    assert.is_nil(rawget(torch.getmetatable 'nn.OneHot', 'updateOutput'))
    assert.has_error(function() torch.class('nn.Linear', 'nn.Module') end)
  end)
end)
