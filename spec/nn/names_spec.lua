-- Which names nn has from the start, which it leaves to other packages, and whose class a name is.
local torch = require 'torch'
local program = require 'spec.support.program'
local evaluate = program.evaluate

-- The classes that Torch7's nn has, by the list of its names.
local function torch7s()
  local classes = {}
  for _, row in ipairs(require('docs.compatibility').read()) do
    local name = row.name:match '^nn%.(%u%w*)$'
    if name then classes[name] = true end
  end
  return classes
end

describe('nn', function()
  it('has the recurrent layers, embeddings and layer normalisation from the start', function()
    assert.equal('nn.LSTM(3 -> 2) nn.GRUCell(3 -> 2) nn.Embedding(3, 2) nn.LayerNorm(2) true', evaluate [[
      local nn, all = require 'nn', {}
      io.write(tostring(nn.LSTM(3, 2)), ' ', tostring(nn.GRUCell(3, 2)), ' ', tostring(nn.Embedding(3, 2)), ' ', tostring(nn.LayerNorm(2)))
      for name in pairs(nn) do all[name] = true end
      io.write(' ', tostring(all.RNN and all.LSTM and all.Linear and all.Conv2d and nn == require 'nn.recurrent'))]])
  end)

  it('keeps the class that a package has made of such a name', function()
    assert.equal('theirs nn.GRU(1 -> 1)', evaluate [[
      require 'nn'
      local Theirs = torch.class('nn.LSTM', 'nn.Module')
      Theirs.whose = 'theirs'
      io.write(nn.LSTM.whose, ' ', tostring(nn.GRU(1, 1)))]])
  end)

  it('leaves each class that Torch7 lacks to a program that makes one of its name, used before or not', function()
    local known, own = torch7s(), {}
    local nn = require 'nn'
    for name, value in pairs(nn) do
      if name:find '^%u' and type(value) == 'table' and not known[name] and torch.getmetatable('nn.' .. name) then own[#own + 1] = name end
    end
    assert.is_true(#own >= 16)
    for _, name in ipairs(own) do
      if not name:find '^Spec' then
        for _, first in ipairs { '', 'local _ = nn.' .. name } do
          assert.equal('true false', evaluate(([[
            require 'nn' %s
            local Own, parent = torch.class('nn.%s', 'nn.Module')
            function Own:__init() parent.__init(self) end
            io.write(tostring(getmetatable(nn.%s()) == Own), ' ', tostring(pcall(torch.class, 'nn.%s', 'nn.Module')))]])
            :format(first, name, name, name)))
        end
      end
    end
  end)

  it('has one class of a name, whose number of dimensions stands in it', function()
    assert.equal('true true', evaluate [[
      require 'nn'
      local first = nn.Conv2d
      io.write(tostring(first == nn.Conv2d), ' ', tostring(getmetatable(first(1, 1, 1)) == getmetatable(nn.Conv2d(1, 1, 1))))]])
  end)

  it("refuses another class of the name of one of Torch7's, used before or not", function()
    for _, first in ipairs { '', 'local _ = nn.SoftPlus' } do
      assert.match("^false .*class 'nn.SoftPlus' has been already assigned a factory", evaluate(([[
        require 'nn' %s
        io.write(tostring(pcall(torch.class, 'nn.SoftPlus', 'nn.Module')), ' ', (select(2, pcall(torch.class, 'nn.SoftPlus'))))]])
        :format(first)))
    end
  end)

  it('does not take the files of a program for its own', function()
    assert.equal('1', evaluate [[
      require 'nn'
      local folder = os.tmpname() os.remove(folder) os.execute('mkdir -p ' .. folder .. '/nn')
      local file = io.open(folder .. '/nn/SpecThing.lua', 'w')
      file:write "_G.made = (_G.made or 0) + 1 torch.class('nn.SpecThing', 'nn.Module')"
      file:close()
      package.path = folder .. '/?.lua;' .. package.path
      dofile(folder .. '/nn/SpecThing.lua')
      os.execute('rm -r ' .. folder)
      io.write(_G.made)]])
  end)
end)

describe('A file with one of these classes', function()
  it("loads into ours, or into a package's where there is one", function()
    local name = os.tmpname()
    evaluate(([[torch.save('%s', require 'nn.recurrent'.LSTM(3, 2))]]):format(name))
    assert.equal('nn.LSTM(3 -> 2)', evaluate(("require 'nn' io.write(tostring(torch.load '%s'))"):format(name)))
    assert.equal('theirs', evaluate(([[require 'nn'
      torch.class('nn.LSTM', 'nn.Module').whose = 'theirs'
      io.write(torch.load '%s'.whose)]]):format(name)))
    os.remove(name)
  end)

  it('are hidden from code that tests whether they exist, and from no other', function()
    local function result(text) return assert(loadstring('return ' .. text))() end
    assert.is_true(result 'nn.LSTM == nil')
    assert.is_true(result 'not nn.LSTM')
    assert.is_nil(result '(function() if nn.LSTM then return true end end)()')
    for _, use in ipairs { 'nn.LSTM', 'not nn.LSTMCell or nn.LSTM', 'nn.LSTM ~= nil' } do assert.truthy(result(use), use) end
  end)
end)

describe('A package that defines a class of such a name', function()
  -- Runs a program with the files of packages, given as {path, text, ...}, in package.path.
  local function withFiles(files, code)
    local folder = os.tmpname()
    os.remove(folder)
    for i = 1, #files, 2 do
      os.execute(("mkdir -p '%s/%s'"):format(folder, files[i]:match '^(.*)/'))
      local file = io.open(folder .. '/' .. files[i], 'w')
      file:write(files[i + 1])
      file:close()
    end
    local path = ("package.path = '%s/?.lua;%s/?/init.lua;' .. package.path require 'nn' "):format(folder, folder)
    local result = evaluate(path .. code)
    os.execute(("rm -r '%s'"):format(folder))
    return result
  end

  -- As in the package rnn: each file asserts that its class is absent.
  local rnn = {
    'rnn/init.lua', [[rnn = {} for _, name in ipairs { 'AbstractRecurrent', 'LSTM', 'Repeater', 'GRU' } do
      dofile(debug.getinfo(1, 'S').source:match '^@(.*)init.lua' .. name .. '.lua') end return rnn]],
    'rnn/AbstractRecurrent.lua', [[assert(not nn.AbstractRecurrent, 'update nnx package : luarocks install nnx')
      local AbstractRecurrent, parent = torch.class('nn.AbstractRecurrent', 'nn.Container')
      function AbstractRecurrent:__init(rho) parent.__init(self) self.rho = rho end]],
    'rnn/LSTM.lua', [[assert(not nn.LSTM, "update nnx package : luarocks install nnx")
      local LSTM, parent = torch.class('nn.LSTM', 'nn.AbstractRecurrent')
      function LSTM:__init(inputSize, outputSize, rho) parent.__init(self, rho or 9999) end]],
    'rnn/Repeater.lua', [[assert(nn.Repeater == nil) torch.class("nn.Repeater", "nn.AbstractRecurrent")]],
    'rnn/GRU.lua', [[local GRU = torch.class('nn.GRU', 'nn.AbstractRecurrent')]],
  }

  it('finds none there, and replaces ours, used before or not', function()
    local code = [[require 'rnn' io.write(tostring(nn.LSTM(3, 2).rho), ' ', torch.typename(nn.LSTM()), ' ', tostring(nn.GRU(4).rho), ' ',
      tostring(torch.isTypeOf(nn.LSTM(), 'nn.AbstractRecurrent')), ' ', tostring(nn.LSTM == nil))]]
    assert.equal('9999 nn.LSTM 4 true false', withFiles(rnn, code))
    assert.equal('9999 nn.LSTM 4 true false', withFiles(rnn, 'local net = nn.LSTM(3, 2) local GRU = nn.GRU ' .. code))
  end)

  it('finds none in its other files either, if a file of the class is next to them', function()
    assert.equal('nil theirs', withFiles({
      'own/init.lua', [[io.write(tostring(nn.LSTM)) if not nn.LSTM then require 'own.LSTM' end return nn.LSTM.whose]],
      'own/LSTM.lua', [[torch.class('nn.LSTM', 'nn.Module').whose = 'theirs']],
    }, "io.write(' ', require 'own')"))
    assert.equal('true nil', withFiles({
      'own/init.lua', [[return nn.GELU ~= nil, nn.LayerNorm]],
      'own/LayerNorm.lua', [[nn.declare { name = "nn.LayerNorm", formula = 'tanh(input)' }]],
    }, "local a = require 'own' io.write(tostring(a), ' ', tostring(select(2, dofile(package.searchpath('own', package.path)))))"))
  end)

  it('is not confused with files that only use the class', function()
    assert.equal('nn.LSTM(3 -> 2)', withFiles({
      'own/init.lua', [[return nn.LSTM(3, 2)]],
      'own/LSTM.lua', [[local Own = torch.class('Own', 'nn.LSTM') return Own]],
    }, "io.write(tostring(require 'own'))"))
  end)

  it('has its text read where it is no file', function()
    assert.equal('nil true', evaluate [[require 'nn'
      local chunk = loadstring "local was = nn.LSTM torch.class('nn.LSTM', 'nn.Module').whose = 'theirs' return was"
      io.write(tostring(chunk()), ' ', tostring(nn.LSTM.whose == 'theirs'))]])
  end)
end)
