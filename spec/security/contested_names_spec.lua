-- Names that a program's file and a package share: for packages that Torch7 never had, the program's `require` finds its file.
local files = require 'spec.support.files'
local shell = require 'spec.support.shell'

local preset = os.getenv 'MT_PRESET' or 'release'
local root = shell 'pwd':gsub('\n', '')
local th = ('%s/build/%s/bin/th'):format(root, preset)

local folder

local function write(name, text)
  os.execute(('mkdir -p %s/%s'):format(folder, name:match '^(.*)/' or ''))
  files.write(folder .. '/' .. name, text)
end

-- What a command writes in the folder.
local function said(command, ...)
  local output, status = shell(('cd %s && %s'):format(folder, command:format(...)))
  assert.equal(0, status, output)
  return output
end

describe('A program that has a file of its own called', function()
  before_each(function() folder = shell 'mktemp -d':gsub('\n', '') end)
  after_each(function() os.execute('rm -rf ' .. folder) end)

  for _, name in ipairs { 'data', 'notebook', 'plot' } do
    it(name .. ' gets that file, from its folder and from the current one', function()
      write('main.lua', ("io.write(require '%s'.whose, ' ', require '%s'.count)"):format(name, name))
      write(name .. '.lua', "count = (count or 0) + 1 return { whose = 'mine', count = count, name = ... }")
      assert.equal('mine 1', said(th .. ' main.lua'))
      assert.equal('mine 1', said('cd / && %s %s/main.lua', th, folder))
      assert.equal('mine 1', said('mkdir other && cd other && %s ../main.lua', th))
      assert.equal('mine', said("%s -e 'io.write(require [[%s]].whose)'", th, name))
    end)
    it(name .. '/init.lua gets that file, and its parts', function()
      write('main.lua', ("io.write(require '%s'.part, require '%s.part'.part)"):format(name, name))
      write(name .. '/init.lua', ("return require '%s.part'"):format(name))
      write(name .. '/part.lua', "return { part = 'mine' }")
      assert.equal('minemine', said(th .. ' main.lua'))
      assert.equal('minemine', said('cd / && %s %s/main.lua', th, folder))
    end)
  end

  it('data finds it from a file in another folder, and in threads', function()
    write('main.lua', "io.write(require 'lib.asks')")
    write('lib/asks.lua', [[
      local threads, other = require 'threads', nil
      local pool = threads.Threads(1)
      pool:addjob(function() return require 'data'.whose end, function(whose) other = whose end)
      pool:terminate()
      return require 'data'.whose .. ' ' .. other
    ]])
    write('data.lua', "return { whose = 'mine' }")
    assert.equal('mine mine', said(th .. ' main.lua'))
  end)

  it('data leaves our files theirs, here and in threads', function()
    write('main.lua', [[
      local data, tnt = require 'data', require 'torchnet'
      local set = tnt.ListDataset { list = { 1, 2, 3 }, load = function(i) return { input = torch.Tensor { i } } end }
      local ours = require 'moontorch.data'
      local plain = ours.TensorDataset { input = torch.range(1, 4) }
      local pool, size, sizes = require 'threads'.Threads(1), nil, {}
      pool:addjob(function(s) return s:size(), torch.type(s) end, function(...) size = table.concat({ ... }, ' ') end, plain)
      pool:addjob(function() return data.whose end, function(whose) sizes[#sizes + 1] = whose end)
      pool:terminate()
      for batch in ours.DataLoader(plain, { batchSize = 2, workers = 1 })() do sizes[#sizes + 1] = batch.input:size(1) end
      io.write(data.whose, ' ', set:size(), ' ', size, ' ', table.concat(sizes, ' '), ' ', tostring(require 'data' == data))
    ]])
    write('data.lua', "return { whose = 'mine' }")
    assert.equal('mine 3 4 data.TensorDataset mine 2 2 true', said(th .. ' main.lua'))
  end)

  it('plot gets our package where the file itself asks for it', function()
    write('plot.lua', "io.write(type(require 'plot'.figure))")
    assert.equal('function', said(th .. ' plot.lua'))
    write('data.lua', "local data = require 'data' return { whose = 'wraps ' .. type(data.TensorDataset) }")
    assert.equal('wraps table', said([[%s -e 'io.write(require "data".whose)']], th))
  end)

  it('nn gets ours: Torch7 had it', function()
    for name in ('nn image optim graph xlua threads paths'):gmatch '%S+' do write(name .. '.lua', "return { whose = 'mine' }") end
    assert.equal('nil nil', said([[%s -e 'io.write(tostring(require "nn".whose), " ", tostring(require "image".whose))']], th))
  end)

  it('no other files: not data.csv, nor a folder of samples', function()
    write('data.csv', 'a,b\n1,2\n')
    write('data/one.txt', '1')
    write('plot.json', '{}')
    local code = 'io.write(type(require "data".TensorDataset), " ", type(require "plot".figure))'
    assert.equal('table function', said("%s -e '%s'", th, code))
  end)
end)

describe('A package', function()
  it('has a name in package.loaded that no program has', function()
    folder = '/'
    assert.equal('true true true', said([[%s -e 'local same = require "data" == require "moontorch.data"
      io.write(tostring(same), " ", tostring(require "moontorch.nn" == nn), " ")
      io.write(tostring(require "data.readers" == require "data".readers))']], th))
  end)

  it('has its class in files whatever the program has', function()
    folder = shell 'mktemp -d':gsub('\n', '')
    write('data.lua', "return { whose = 'mine' }")
    write('main.lua', [[
      local set = require 'moontorch.data'.ListDataset { 1, 2 }
      require 'data'
      torch.save('set.t7', set)
      io.write(torch.load 'set.t7':size())
    ]])
    assert.equal('2', said(th .. ' main.lua'))
    local code = 'require "data" require "moontorch.data" io.write(torch.type(torch.load "set.t7"))'
    assert.equal('data.ListDataset', said("%s -e '%s'", th, code))
    os.execute('rm -rf ' .. folder)
  end)
end)

it('each package begins with the line that hands it to torch.modules', function()
  for path in io.popen 'ls lua/*/init.lua':lines() do
    local code = ('\n' .. files.read(path)):gsub('\n%-%-[^\n]*', '')
    assert.matches("^\nif not %({ %.%.%. }%)%[2%] then return require 'torch.modules'.require%(%.%.%.%) end", code, nil, nil, path)
  end
end)
