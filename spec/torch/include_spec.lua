-- include and torch.include: files next to the caller, and files of a package.
local torch = require 'torch'
local paths = require 'paths'

local function write(name, text)
  local file = assert(io.open(name, 'w'))
  file:write(text)
  file:close()
end

describe('including files', function()
  local folder, path
  before_each(function()
    folder, path = paths.tmpname(), package.path
    paths.mkdir(folder .. '/pack')
    write(folder .. '/pack/part.lua', "return 'part'")
    package.path = folder .. '/?.lua;' .. folder .. '/?/init.lua;' .. package.path
  end)
  after_each(function()
    package.path = path
    paths.rmall(folder, 'yes')
  end)

  it('include runs a file in the folder of the calling file', function()
    write(folder .. '/pack/init.lua', "local part = include('part.lua') return part .. ' included'")
    assert.equal('part included', dofile(folder .. '/pack/init.lua'))
  end)

  it('torch.include runs a file of a package', function()
    assert.equal('part', torch.include('pack', 'part.lua'))
    assert.error_matches(function() torch.include('pack', 'none.lua') end, 'torch.include: none.lua: no such file in package pack')
  end)

  it('a package that is one file has the folder that this file is in', function()
    paths.mkdir(folder .. '/pack/sub')
    write(folder .. '/single.lua', "return torch.include('single', 'other.lua') .. ' and ' .. torch.include('single', 'pack/part.lua')")
    write(folder .. '/other.lua', "return 'other'")
    write(folder .. '/pack/sub/deep.lua', "return torch.include('pack.sub.deep', 'near.lua')")
    write(folder .. '/pack/sub/near.lua', "return 'near'")
    write(folder .. '/pack/init.lua', 'return true')
    assert.equal(folder, torch.packageLuaPath 'single')
    assert.equal('other and part', dofile(folder .. '/single.lua'))
    assert.equal('near', dofile(folder .. '/pack/sub/deep.lua'))
    assert.equal(folder .. '/pack', torch.packageLuaPath 'pack')
    assert.equal(folder .. '/pack/sub', torch.packageLuaPath 'pack.sub.deep')
  end)
end)
