-- pairs over names that are loaded on demand: a program that wraps every module or method finds them all.
local run = require('spec.support.program').evaluate

describe('pairs', function()
  it('visits modules, algorithms and functions that are not loaded yet', function()
    local code = "%s local found = {} for name, value in pairs(%s) do found[name] = type(value) end io.write(%s)"
    assert.equal('table table table', run(code:format("require 'nn'", 'nn', "found.Linear, ' ', found.GELU, ' ', found.utils")))
    assert.equal('function table', run(code:format("require 'optim'", 'optim', "found.sgd, ' ', found.Logger")))
    assert.equal('function function table', run(code:format('', 'torch', "found.svd, ' ', found.quantile, ' ', found.Timer")))
    assert.equal('function function', run(code:format('', 'paths', "found.concat, ' ', found.tmpname")))
    assert.equal('function string table', run(code:format('', 'sys', "found.split, ' ', found.OS, ' ', found.COLORS")))
    assert.equal('function function', run(code:format("import 'xlua'", 'xlua', "found.Profiler, ' ', type(envparams)")))
  end)

  it('leaves out what needs a package that is not installed, and raises what else goes wrong', function()
    assert.equal('check false true', run [[
      package.preload.needy = function() require 'absent' end
      package.preload.broken = function() error 'broken indeed' end
      local t, other = {}, {}
      require 'torch.start.lazy_loader'(t, 'one = needy\n two = needy\n check = torch.check')
      require 'torch.start.lazy_loader'(other, 'three = broken')
      for name in pairs(t) do io.write(name, ' ') end
      local good, problem = pcall(pairs, other)
      io.write(tostring(good), ' ', tostring(problem:find 'broken indeed' ~= nil))
    ]])
  end)

  it('visits the methods of a class of tensors, which the loop may replace', function()
    assert.equal('4 2', run [[
      local class, calls = torch.getmetatable 'torch.FloatTensor', 0
      for name, method in pairs(class) do
        if type(method) == 'function' and not name:find '^_' then
          class[name] = function(...)
            calls = calls + 1
            return method(...)
          end
        end
      end
      local float = torch.FloatTensor { 1, 2 }:add(1):cmul(torch.FloatTensor { 2, 2 }):clone()
      local before = calls
      local total = float:sum() / 5 + torch.Tensor(2):fill(1):sum() * 0
      io.write(calls, ' ', total)
    ]])
  end)

  it('offers no method that is only a function', function()
    assert.equal('', run [[
      local class = torch.getmetatable 'torch.FloatTensor'
      for name in pairs(class) do
        if class[name] == nil then io.write(name, ' ') end
      end
    ]])
  end)

  it("is Lua's own for any other table", function()
    assert.equal('1a2b', run "for k, v in pairs { 'a', 'b' } do io.write(k, v) end")
    local refused = run 'io.write(select(2, pcall(function() for _ in pairs(nil) do end end)))'
    assert.matches("bad argument #1 to 'pairs' %(table expected, got nil%)", refused)
  end)
end)
