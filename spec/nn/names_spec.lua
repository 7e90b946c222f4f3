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
  it('has none of the classes that other packages make in it, until they are asked for', function()
    assert.equal('nil nil nil nil nil', evaluate [[
      local nn, found = require 'nn', {}
      for name in pairs(nn) do found[name] = true end
      io.write(('%s %s %s %s %s'):format(tostring(nn.LSTM), tostring(nn.GRUCell), tostring(nn.Embedding), tostring(nn.LayerNorm),
        tostring(found.RNN)))]])
    assert.equal('nn.LSTM(3 -> 2) nn.GRUCell(3 -> 2)', evaluate [[
      local nn = require 'nn.recurrent' io.write(tostring(nn.LSTM(3, 2)), ' ', tostring(nn.GRUCell(3, 2)))]])
  end)

  it('keeps the class that a package has made of such a name', function()
    assert.equal('theirs nn.GRU(1 -> 1)', evaluate [[
      require 'nn'
      local Theirs = torch.class('nn.LSTM', 'nn.Module')
      Theirs.whose = 'theirs'
      require 'nn.recurrent'
      io.write(nn.LSTM.whose, ' ', tostring(nn.GRU(1, 1)))]])
  end)

  it('leaves each class that Torch7 lacks to a program that makes one of its name, used before or not', function()
    local known, own = torch7s(), {}
    local nn = require 'nn.recurrent'
    for name, value in pairs(nn) do
      if name:find '^%u' and type(value) == 'table' and not known[name] and torch.getmetatable('nn.' .. name) then own[#own + 1] = name end
    end
    assert.is_true(#own >= 13)
    for _, name in ipairs(own) do
      if not name:find '^Spec' then
        for _, first in ipairs { '', "require 'nn.recurrent' local _ = nn." .. name } do
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
end)

describe('Using one of these too early', function()
  for code, expected in pairs {
    ["require 'nn' local net = nn.LSTM(3, 2)"] = "hint: nn.LSTM comes with require 'nn.recurrent'",
    ["local n = require 'nn' n.Embedding(3, 2)"] = "hint: nn.Embedding comes with require 'nn.recurrent'",
    ["require 'nn' torch.class('nn.Own', 'nn.LSTM')"] = "hint: nn.LSTM comes with require 'nn.recurrent'",
    ["require 'nn' nn.GRU.updateOutput = nil"] = "hint: nn.GRU comes with require 'nn.recurrent'",
  } do
    it('is told: ' .. code, function()
      local _, status, errors = program.run { '-e', code }
      assert.equal(1, status)
      assert.is_not_nil(errors:find(expected, 1, true), errors)
    end)
  end

  it('and its documentation says where it is', function()
    assert.match("^nn.LSTMCell\n  One step of nn.LSTM.*\n  Comes with: require 'nn.recurrent'",
      evaluate "io.write(require('trepl.help').of 'nn.LSTMCell')")
  end)
end)
