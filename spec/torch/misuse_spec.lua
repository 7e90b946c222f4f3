-- Misuse of objects: after their explicit release, in functions of other classes, while their memory is moved, and while a state closes.
-- Each returns a result or an error, and never crashes; the sanitizers detect errors that release builds would survive by luck.
local torch = require 'torch'
local program = require 'spec.support.program'

local function metatable(name) return torch.getmetatable('torch.' .. name) end

describe('a memory file over a storage', function()
  it('follows its storage where that moves', function()
    local storage = torch.CharStorage(10):fill(65)
    storage:resize(2000):fill(65)
    storage[2000] = 0
    local file = torch.MemoryFile(storage, 'rw')
    assert.same({ 65, 65 }, file:readChar(2):totable())
    storage:resize(100000)
    file:writeChar(66)
    assert.equal(66, storage[3])
    assert.equal(65, file:readChar())
  end)

  it('ends where its storage was cut', function()
    local storage = torch.CharStorage(5000):fill(65)
    storage[5000] = 0
    local file = torch.MemoryFile(storage, 'r')
    storage:resize(2)
    assert.equal(2, file:quiet():readChar(torch.CharStorage(100)))
  end)

  it('is written to from that very storage', function()
    local storage = torch.CharStorage(3000):fill(65)
    storage[3000] = 0
    local file = torch.MemoryFile(storage, 'rw')
    file:seekEnd()
    file:noAutoSpacing():writeChar(storage)
    assert.equal(5999, file:position() - 1)
    assert.equal(65, file:storage()[5998])
  end)
end)

describe('functions of a class called on what is none of it', function()
  local others = { io.stdout, torch.Generator(), torch.ones(3):float(), torch.ShortStorage(3), {}, 1, 'text', print, newproxy() }
  for _, name in ipairs { 'DoubleTensor', 'BoolTensor', 'LongStorage', 'HalfStorage' } do
    it('give what is there, nothing, or an error: ' .. name, function()
      for _, other in ipairs(others) do
        if torch.type(other) ~= 'torch.' .. name then
          local good, value = pcall(metatable(name).__index, other, 1)
          assert.is_true(not good or value == nil or value == other[1])
          pcall(metatable(name).__newindex, other, 1, 2)
          assert.is_false((pcall(metatable(name).data, other)))
        end
      end
    end)
  end

  it('leave Lua\'s stack alone when operators have no operands', function()
    local given = { 'kept', 1, {} }
    for name, f in pairs(metatable 'FloatTensor') do
      if name:find '^__' and type(f) == 'function' then
        for count = 0, 3 do
          local a, b, c = unpack(given)
          pcall(f, unpack(given, 1, count))
          assert.is_true(a == 'kept' and b == 1 and c == given[3])
        end
      end
    end
  end)

  it('cannot become its objects', function()
    assert.error_matches(function() torch.setmetatable(torch.FloatTensor(2), 'torch.DoubleTensor') end, 'setmetatable: tbl: ')
    assert.error_matches(function() torch.setmetatable('text', 'torch.DoubleTensor') end, 'setmetatable: tbl: ')
  end)
end)

describe('a storage that was released by hand', function()
  it('raises errors', function()
    local tensor = torch.range(1, 3)
    local storage = tensor:storage()
    metatable 'DoubleStorage'.__gc(storage)
    metatable 'DoubleStorage'.__gc(storage)
    local uses = {
      function() return storage[1] end, function() storage[1] = 2 end, function() return #storage end,
      function() return tostring(storage) end, function() return torch.DoubleTensor(storage) end, function() return storage:fill(1) end,
      function() return torch.serialize(storage) end,
    }
    for _, use in ipairs(uses) do assert.is_false((pcall(use))) end
    assert.is_nil(storage:data())
    assert.equal(6, tensor:sum())
  end)
end)

describe('finalisers that are left as a state closes', function()
  it('may use what the state has closed already', function()
    local script = program.script [[
      local torch = require 'torch'
      local packed = os.tmpname()
      function again(depth)
        getmetatable(newproxy(true)).__gc = function()
          kept = torch.ones(3):sum() + torch.cat({ torch.rand(2), torch.ones(1) }, 1):sum()
          local x = torch.ones(2):requiresGrad()
          torch.sum(torch.exp(x)):backward()
          torch.npz.save(packed, { x = x:detach() }, { compressed = true })
          if depth < 3 then again(depth + 1) else os.remove(packed) end
        end
      end
      for _ = 1, 20 do again(1) end]]
    local output, status = program.run({ script }, '')
    os.remove(script)
    assert.equal('', output)
    assert.equal(0, status)
  end)

  it('functions of sys, xlua and tds name what came, at the line that called them', function()
    require 'sys'
    require 'xlua'
    require 'tds'
    for call, message in pairs {
      ['sys.execute()'] = 'sys.execute: command: nil, expected a string',
      ['sys.sleep "a"'] = "sys.sleep: seconds: 'a', expected a number",
      ["('a'):split()"] = 'split: pattern: nil, expected a string',
      ['xlua.progress(nil, 3)'] = 'xlua.progress: current: nil, expected a number',
      ['xlua.table2string(3)'] = 'xlua.table2string: tbl: 3, expected a table',
      ['xlua.unpack()'] = 'xlua.unpack: args: nil, expected a table',
      ['xlua.trycatch(print)'] = 'xlua.trycatch: catch: expected a function',
      ['table.splice()'] = 'table.splice: tbl: nil, expected a table',
      ['tds.Hash { a = { b = print } }'] = 'tds.Hash: value: function, expected a number, .*',
      ['tds.Vec { 1, io.stdout }'] = 'tds.Vec: value: userdata, expected a number, .*',
      ['tds.Vec():sort(3)'] = 'sort: less: number, expected a function',
      ['tds.Vec { true }:concat()'] = 'concat: element 1: boolean, expected a string or number',
    } do
      local f = assert(loadstring("local tds, sys, xlua = require 'tds', sys, xlua\nlocal r = " .. call, '=user'))
      assert.matches('^user:2: ' .. message .. '$', select(2, pcall(f)))
    end
  end)

  it('instances are called by their class, and a table of fields is no list of numbers', function()
    local x, generator, hash = torch.ones(2), torch.Generator(), require('tds').Hash()
    assert.error_matches(function() x:add(generator) end, 'add: arguments: %(torch.DoubleTensor %[2%], torch.Generator%), expected')
    assert.error_matches(function() torch.mm(x, hash) end, 'mm: arguments: %(torch.DoubleTensor %[2%], tds.Hash%), expected')
    assert.error_matches(function() x.size(generator) end, 'size: self: torch.Generator')
    for _, name in ipairs { 'resizeAs', 'isSameSizeAs', 'isSetTo' } do
      assert.error_matches(function() x[name](x, 3) end, '^' .. name .. ': other: number, expected a tensor$')
      assert.error_matches(function() x[name](3, x) end, '^' .. name .. ': self: number, expected .*%. instead of :')
    end
    assert.error_matches(function() torch.zeros { width = 3 } end, 'zeros: sizes: table, expected whole numbers')
    assert.error_matches(function() x:resize { width = 3 } end, 'resize: sizes: table, expected whole numbers')
    assert.error_matches(function() torch.Tensor { width = 3 } end, 'tensor: table: it has fields and no element 1')
    assert.equal(2, x:nElement())
    assert.equal(0, torch.Tensor({}):dim())
    assert.equal(0, torch.zeros({}):dim())
    assert.error_matches(function() x:clamp('low', 'high') end, 'clamp: arguments: %(torch.DoubleTensor %[2%], string, string%), expected')
  end)

  it('nothing, and what is no function, are named where they came', function()
    local autograd, nn, optim = require 'autograd', require 'nn', require 'optim'
    local x = torch.ones(2)
    for name, call in pairs {
      ['torch.size: x: nil, expected a tensor'] = function() torch.size(nil) end,
      ['jacobian: f: nil, expected a function'] = function() autograd.jacobian(nil, x) end,
      ['checkpoint: f: number, expected a function'] = function() autograd.checkpoint(1, x) end,
      ['noGrad: f: a tensor, expected a function'] = function() torch.noGrad(x) end,
      ['nn.init.uniform: tensor: nil, expected a tensor'] = function() nn.init.uniform(nil) end,
      ['nn.init.xavierUniform: tensor: table, expected a tensor'] = function() nn.init.xavierUniform({}) end,
      ['nn.functional.crossEntropy: input: nil, expected a tensor'] = function() nn.functional.crossEntropy(nil, 1) end,
      ['torch.serialize: mode: 1, expected binary or ascii'] = function() return torch.serialize(x, 1) end,
      ['torch.deserialize: mode: b, expected binary or ascii'] = function() return torch.deserialize('', 'b') end,
      ['optim.sgd: opfunc: a number, expected a function of x'] = function() optim.sgd(1, x) end,
      ['optim.clipGradNorm: maxNorm: nil, expected a number'] = function() optim.clipGradNorm({ x }) end,
      ['optim.clipGradValue: tensors: number 1: number, expected a tensor'] = function() optim.clipGradValue({ 1 }, 1) end,
    } do
      local good, message = pcall(call)
      assert.is_false(good, name)
      assert.is_not_nil(message:find(name, 1, true), message)
      assert.is_nil(message:find('/lua/', 1, true), message)
    end
  end)

  it('a class itself is no empty list', function()
    local x, float = torch.ones(4), torch.FloatTensor
    for name, call in pairs {
      ['rand: arguments: (class torch.Generator), expected'] = function() torch.rand(torch.Generator) end,
      ['zeros: arguments: (class torch.FloatTensor), expected'] = function() torch.zeros(float) end,
      ['view: arguments: (torch.DoubleTensor [4], class torch.LongStorage), expected'] = function() x:view(torch.LongStorage) end,
      ['cat: arguments: (class torch.FloatTensor), expected'] = function() torch.cat(float) end,
      ['add: arguments: (torch.DoubleTensor [4], class torch.FloatTensor), expected'] = function() x:add(float) end,
      ['resize: sizes: table, expected whole numbers'] = function() x:resize(torch.LongStorage) end,
      ['tensor: table: a class'] = function() float(float) end,
      ['storage: table: a class'] = function() torch.LongStorage(torch.LongStorage) end,
      ['index: key: a class'] = function() return x[float] end,
      ['index: key: fields'] = function() return x[{ float }] end,
    } do
      local good, message = pcall(call)
      assert.is_false(good, name)
      assert.is_not_nil(message:find(name, 1, true), message)
    end
    assert.same({ 1, 1, 1, 1 }, x:totable())
  end)

  it("errors are at the program's line, whichever functions of ours call each other", function()
    for _, call in ipairs {
      'torch.ones(2):set(print)', 'torch._gen = 3', 'r = x[torch.LongTensor { 5 }]', 'x[torch.LongTensor { 5 }] = 1',
      'r = x[torch.ByteTensor { 1, 0, 1 }]', 'x[torch.ByteTensor { 1, 0, 1 }] = 1', 'r = x * torch.ones(7)', 'w:add(1)',
      'w[1] = 3', 'y:backward()', 'r = y[torch.LongTensor { 5 }]', 'y:resize(5)', 'torch.noGrad()', 'w.grad = 3', 'w.grad = torch.ones(5)',
      'x.grad = x', 'torch.sum(y):backward(3)',
      's:backward() s:backward()', "r = torch.DiskFile '/nosuch'", 'r = torch.PipeFile(3)', "r = torch.MemoryFile 'q'",
      'r = torch.MemoryFile(3)', 'r = torch.File()', 'r = torch.MemoryFile():readObject()', "r = torch.FloatStorage '/nosuch'",
      "r = torch.safetensors.load '/nosuch'",
    } do
      local start = "local torch, r = require 'torch'; local x, w = torch.ones(2, 2), torch.ones(2):requiresGrad(); " ..
        'local y = w * 1; local s = torch.sum(y)\n'
      assert.matches('^user:2: ', select(2, pcall(assert(loadstring(start .. call, '=user')))))
    end
  end)

  it('and the library may be loaded anew in one state', function()
    local script = program.script [[
      local old = require 'torch'
      local y = old.sum(old.ones(3):requiresGrad())
      for name in pairs(package.loaded) do
        if name:find 'torch' or name:find 'autograd' then package.loaded[name] = nil end
      end
      local new = require 'torch'
      collectgarbage()
      collectgarbage()
      y:backward()
      assert(old.ones(3):sum() + new.ones(3):sum() == 6)]]
    local output, status = program.run({ script }, '')
    os.remove(script)
    assert.equal('', output)
    assert.equal(0, status)
  end)
end)
