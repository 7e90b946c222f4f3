-- torch requires no package above it: only lua/torch/distribution.lua names such packages, and torch.extensions loads them on demand.
local tokens = require 'torch.start.tokens'
local files = require 'spec.support.files'
local run = require('spec.support.program').evaluate

-- These files may name such modules: distribution.lua is the list of them, recognise.lua tells which function reads a file.
local mayName = { ['lua/torch/distribution.lua'] = true, ['lua/torch/file/recognise.lua'] = true }

-- paths is in the rock of torch, and requires only torch's files; torch's start sets it as a global.
local allowed = { torch = true, paths = true }

local function list(command)
  local found, pipe = {}, assert(io.popen(command))
  for line in pipe:lines() do found[#found + 1] = line end
  pipe:close()
  assert.is_true(#found > 0, command)
  return found
end

local above = {}
for _, folder in ipairs(list 'ls lua') do above[folder] = not allowed[folder] end

local function exists(path)
  local file = io.open(path)
  return file ~= nil and file:close()
end

-- Returns whether a name is that of a file of a package above torch.
local function isModule(name)
  local path = 'lua/' .. name:gsub('%.', '/')
  return above[name:match '^[^.]*'] and (exists(path .. '.lua') or exists(path .. '/init.lua'))
end

-- Functions whose argument is the name of a module, as the last word before it.
local takesModule = { require = true, isThere = true, package = true, bring = true, provide = true, loaded = true, preload = true }

-- Adds the modules that a string names: those with a dot; others only as arguments of these functions, or in a line for the lazy loader.
local function addNames(found, text, isArgument)
  if isArgument and isModule(text) then found[#found + 1] = text end
  for name in text:gmatch "%f[%w_]%a[%w_]*%.[%w_.]*[%w_]" do
    if isModule(name) then found[#found + 1] = name end
  end
  for line in text:gmatch '[^\n]+' do
    local name = line:match '^%s*[%w_]+ = (%w+)%s*$'
    if name and isModule(name) then found[#found + 1] = name end
  end
end

local function namesIn(text)
  local found, word = {}, nil
  local all = tokens.of(text)
  for i, token in ipairs(all) do
    if token.kind == 'string' then
      local content = token.text:match '^%[=*%[(.*)%]=*%]$' or token.text:sub(2, -2)
      addNames(found, content, takesModule[word])
    elseif token.kind == 'word' then
      if all[i - 1] and all[i - 1].text == '.' and (word == 'loaded' or word == 'preload') and isModule(token.text) then
        found[#found + 1] = token.text
      end
      word = token.text
    elseif not token.text:find '^[(,.%[]$' then
      word = nil
    end
  end
  return found
end

describe('the files of', function()
  for folder in pairs(allowed) do
    it(folder .. ' name no module of a package above torch', function()
      local wrong = {}
      for _, path in ipairs(list('find lua/' .. folder .. ' -name "*.lua" | sort')) do
        for _, name in ipairs(not mayName[path] and namesIn(files.read(path)) or {}) do
          wrong[#wrong + 1] = path .. ': ' .. name
        end
      end
      assert.same({}, wrong)
    end)
  end

  it('torch load none when all of them are loaded', function()
    assert.equal('', run [[
      local before, names = {}, io.popen 'cd lua && find torch -name "*.lua"'
      assert(torch.File)
      for name in next, package.loaded do before[name] = true end
      for file in names:lines() do
        local name = file:gsub('%.lua$', ''):gsub('/init$', ''):gsub('/', '.')
        if name ~= 'torch.sweep' and name ~= 'torch.sweep.sweeps'      -- these load the extension `sweeps`
          and name ~= 'torch.distributed' then require(name) end      -- a name of the package distributed
      end
      for name in next, package.loaded do
        local file = not before[name] and not name:find '^torch%f[.%z]' and not name:find '^paths%f[.%z]'
          and require('torch.modules').file(name)
        if file then io.write(name, ' ') end
      end
    ]])
  end)
end)

it('the search for such names finds them in every form', function()
  for text, expected in pairs {
    ["require 'nn'"] = 'nn', ['require("nn")'] = 'nn', ['pcall(require, "autograd")'] = 'autograd', ["m.isThere 'tds'"] = 'tds',
    ['package.loaded.nn'] = 'nn', ["package.loaded['nn']"] = 'nn', ["local t = 'autograd.tape'"] = 'autograd.tape',
    ["parts(t, [[\n  autograd.core: grad\n]])"] = 'autograd.core', ["parts(t, 'nn = nn')"] = 'nn',
    ["local s = 'nn' -- require 'tds'"] = '', ["require 'torch.check'"] = '',
  } do
    assert.equal(expected, table.concat(namesIn(text), ' '), text)
  end
end)

describe('an extension point', function()
  it('has the implementation that the package of the distribution registers, which nothing loads before', function()
    assert.equal('', run [[
      local extensions = require 'torch.extensions'
      for point, module in pairs(require('torch.distribution').providers) do
        local package_ = module:match '^[^.]*'
        for name in next, package.loaded do
          if name == package_ or name == module then io.write(point, ': ', name, ' is loaded\n') end
        end
      end
      for point in pairs(require('torch.distribution').providers) do
        if extensions.get(point) == nil then io.write(point, ': nothing is registered\n') end
      end
    ]])
  end)

  it('is empty without such a package', function()
    assert.equal('nil nil true requires_grad: no package with a tape is installed false', run [[
      local extensions, providers = require 'torch.extensions', require('torch.distribution').providers
      providers.tape, providers.sweeps = nil, 'absent'
      local x = torch.ones(1)
      local good, message = pcall(function() x.requires_grad = true end)
      io.write(tostring(extensions.get 'tape'), ' ', tostring(extensions.get 'sweeps'), ' ',
        tostring(torch.sweep('exp', { elementwise = math.exp, only = { 'dtype' } }).passed[1] == 'dtype'), ' ',
        message:gsub('^.-:%d+: ', ''), ' ')
      io.write(tostring((' ' .. table.concat(torch.sweep.names, ' ')):find ' gradient' ~= nil))
    ]])
  end)

  it('has the last implementation that was registered', function()
    assert.equal('2 module', run [[
      local extensions = require 'torch.extensions'
      extensions.register('example', 1)
      extensions.register('example', 2)
      package.preload['example.late'] = function() extensions.register('late', 'module') end
      extensions.provide('example.late', 'late later')
      package.preload.example = package.preload['example.late']
      io.write(extensions.get 'example', ' ', extensions.get 'late')
    ]])
  end)

  it('does not load its provider if an implementation is registered, even false', function()
    assert.equal('own false nil', run [[
      local extensions = require 'torch.extensions'
      package.preload.example = function() extensions.register('first', 'of the module') end
      extensions.provide('example', 'first second')
      extensions.register('first', 'own')
      extensions.register('second', false)
      io.write(extensions.get 'first', ' ', tostring(extensions.get 'second'), ' ', tostring(package.loaded.example))
    ]])
  end)
end)

it('a program uses what the packages above torch provide without requiring them', function()
  assert.equal('4 true 3 tds.Hash 5', run [[
    local x = torch.ones(2):requiresGrad()
    torch.sum(torch.mul(x, 4)):backward()
    local y = torch.ones(2)
    y[1] = torch.mul(x, 3)[2]
    io.write(x.grad[1], ' ', tostring(y:isTracked()), ' ', y:detach()[1], ' ')
    local name = paths.tmpname()
    io.popen(('%s -e "require [=[torch]=].save([=[%s]=], require [=[tds]=].Hash { 5 })"'):format(paths.concat(paths.execdir(), 'th'), name))
      :close()
    local hash = torch.load(name)
    io.write(torch.type(hash), ' ', hash[1])
    os.remove(name)
  ]])
end)
