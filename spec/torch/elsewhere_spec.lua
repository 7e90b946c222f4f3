-- Errors for missing modules name the packages that contain them.
local elsewhere = require 'torch.start.other_packages'
local program = require 'spec.support.program'

describe('A module that is not there', function()
  for name, place in pairs {
    posix = 'lua-posix', socket = 'lua-socket', ['socket.http'] = 'lua-socket', lfs = 'lua-filesystem', cjson = 'lua-cjson',
    pl = 'lua-penlight', ['pl.path'] = 'lua-penlight',
  } do
    it(name .. ' is named with its Debian package', function()
      assert.equal(("\n\tmodule %s: Debian's package %s has it: apt install %s"):format(name, place, place), elsewhere(name))
    end)
  end

  for name, rock in pairs { rnn = 'rnn', ['lua-utf8'] = 'luautf8', clnn = 'clnn', qt = 'qtlua', moses = 'moses', nnx = 'nnx' } do
    it(name .. ' is named with its rock', function()
      assert.equal(('\n\tmodule %s: the rock %s has it: luarocks install %s'):format(name, rock, rock), elsewhere(name))
    end)
  end

  it('is told of by the message of require, in the program and in jobs', function()
    local text = [[
      package.path, package.cpath = package.path:match '^[^;]*;[^;]*', package.cpath:match '^[^;]*'
      local function ask(name) return (select(2, pcall(require, name)):match '[^\n]*$') end
      print(ask 'socket.http')
      print(ask 'rnn')
      print(ask 'nowhere' == nil or ask 'nowhere':find 'has it')]]
    local output = program.evaluate(text)
    assert.equal("\tmodule socket.http: Debian's package lua-socket has it: apt install lua-socket\t\n"
      .. '\tmodule rnn: the rock rnn has it: luarocks install rnn\t\nnil\t\n', output)
  end)
end)
