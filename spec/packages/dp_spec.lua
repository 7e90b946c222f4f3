-- The package dp's uses of torch and nn: functions added to torch's table, methods of the default tensor's class, TH's structs by FFI,
-- files of a package in folders, objects that write themselves.
local ffi = require 'ffi'
local torch, nn, paths = require 'torch', require 'nn', require 'paths'
local files = require 'spec.support.files'
local program = require 'spec.support.program'

describe('functions that a package adds', function()
  it('to torch find a class by an object, and take the place of one there', function()
    function torch.classOfObject(object) return assert(loadstring('return ' .. torch.type(object)))() end
    function torch.protoCloneOf(object, ...) return torch.classOfObject(object)(...) end
    assert.equal(nn.Linear, torch.classOfObject(nn.Linear(1, 1)))
    assert.equal(3, torch.protoCloneOf(nn.Linear(1, 1), 2, 3).weight:size(1))
    local cat = torch.cat
    torch.cat = function(...) return 'replaced', ... end
    assert.equal('replaced', (torch.cat(1)))
    torch.cat = cat
    torch.classOfObject, torch.protoCloneOf = nil, nil
  end)

  it('to the class of the default tensor are methods of its tensors', function()
    local x = torch.ones(2, 3)
    function torch.Tensor:turned() return self:transpose(1, 2) end      -- luacheck: ignore 122
    assert.same({ 3, 2 }, x:turned():size():totable())
    assert.is_nil(torch.FloatTensor().turned)
    torch.setdefaulttensortype 'torch.FloatTensor'
    function torch.Tensor:turned() return self:transpose(1, 2):clone() end
    assert.same({ 3, 2 }, torch.ones(2, 3):turned():size():totable())
    torch.setdefaulttensortype 'torch.DoubleTensor'
    torch.DoubleTensor.turned, torch.FloatTensor.turned = nil, nil
  end)
end)

describe("TH's structs", function()
  it('are declared from the start, and complete after cdata', function()
    assert.equal('2\t4\t3\t\n', program.evaluate [[
      local ffi = require 'ffi'
      ffi.cdef 'void THFloatStorage_free(THFloatStorage *self); void THLongStorage_free(THLongStorage *self);'
      local x = torch.FloatTensor { 3, 4 }
      print(tonumber(x:cdata().size[0]), x:cdata().storage.data[1], x:storage():cdata().data[0])
    ]])
  end)

  it('hand the memory of a tensor from a thread to the program', function()
    local pool, sums = require 'threads'.Threads(2, function() require 'torch' end), {}
    for i = 1, 6 do
      pool:addjob(function()
        local ffi_, x = require 'ffi', torch.FloatTensor(20, 30):fill(i)
        local address = tonumber(ffi_.cast('intptr_t', torch.pointer(x:storage())))
        x:cdata().storage = nil
        return { address, x:type() == 'torch.FloatTensor', i }
      end, function(sent)
        local buffer = torch.FloatTensor(20, 30)
        local own = ffi.cast('THFloatStorage *', torch.pointer(buffer:storage()))
        if own ~= nil then ffi.C['THFloatStorage_free'](own) end
        buffer:cdata().storage = ffi.cast('THFloatStorage *', sent[1])
        sums[sent[3]] = buffer:sum()
      end)
    end
    pool:terminate()
    assert.same({ 600, 1200, 1800, 2400, 3000, 3600 }, sums)
  end)
end)

describe('a package in folders', function()
  it('includes its files, and finds its class when an object is read', function()
    local folder, path = paths.tmpname(), package.path
    paths.mkdir(folder .. '/dplike/data')
    files.write(folder .. '/dplike/init.lua', [[
      dplike = {}
      torch.include('dplike', 'data/view.lua')
      torch.include('dplike', 'data/dataview.lua')
      return dplike]])
    files.write(folder .. '/dplike/data/view.lua', [[
      local View = torch.class 'dplike.View'
      View.isView = true
      function View:__init() self._tensors = {} end
      function View:__tostring__() return torch.type(self) .. ' of ' .. #self._tensors end
      function View:__call__(kind) return self:forward(kind) end]])
    files.write(folder .. '/dplike/data/dataview.lua', [[
      local DataView, parent = torch.class('dplike.DataView', 'dplike.View')
      function DataView:__init(input) parent.__init(self) self._input, self._log = input, print end
      function DataView:forward(kind)
        self._tensors[kind] = self._tensors[kind] or self._input:type(kind)
        return self._tensors[kind]
      end
      function DataView:write(file)
        local state = {}
        for key, value in pairs(self) do if type(value) ~= 'function' then state[key] = value end end
        file:writeObject(state)
      end
      function DataView:read(file) for key, value in pairs(file:readObject()) do self[key] = value end end]])
    package.path = folder .. '/?/init.lua;' .. package.path
    local dplike = require 'dplike'
    local view = dplike.DataView(torch.ones(2, 3))
    assert.is_true(view.isView and torch.isTypeOf(view, 'dplike.View'))
    assert.equal('torch.FloatTensor', view('torch.FloatTensor'):type())
    assert.is_true(rawequal(view 'torch.FloatTensor', view 'torch.FloatTensor'))
    assert.equal('dplike.DataView of 0', tostring(view))
    local copy = torch.deserialize(torch.serialize(view))
    assert.same({ 6, 'dplike.DataView' }, { copy 'torch.DoubleTensor':sum(), torch.typename(copy) })
    assert.is_nil(rawget(copy, '_log'))
    package.path, package.loaded.dplike, _G.dplike = path, nil, nil
    paths.rmall(folder, 'yes')
  end)
end)

describe('modules of dp', function()
  it('convert between types, and one of its own is nn.Print', function()
    local copy = nn.Copy('torch.DoubleTensor', 'torch.FloatTensor', true, true)
    assert.equal('torch.FloatTensor', copy:forward(torch.ones(2)):type())
    assert.equal('torch.DoubleTensor', copy:backward(torch.ones(2), torch.FloatTensor(2)):type())
    local Print, parent = torch.class('nn.Print', 'nn.Module')
    function Print:__init(log)
      parent.__init(self)
      self.log = log
    end
    function Print:updateOutput(input)
      table.insert(self.log, input:sum())
      self.output = input
      return self.output
    end
    function Print:updateGradInput(_, gradOutput)
      self.gradInput = gradOutput
      return self.gradInput
    end
    local log = {}
    local net = nn.Sequential():add(nn.Print(log)):add(nn.MulConstant(2)):add(nn.Print(log))
    net:forward(torch.ones(3))
    assert.same({ 2, 2, 2 }, net:backward(torch.ones(3), torch.ones(3)):totable())
    assert.same({ 3, 6 }, log)
  end)
end)
