-- Lists of names that are maintained by hand, because reading all files would slow down each start: each agrees with the files, and every
-- file of lua/ is named somewhere. composed_spec.lua checks the list of composed ops.
local torch = require 'torch'
local files = require 'spec.support.files'
local program = require 'spec.support.program'

-- The contents of a file's strings, without quotes: names of modules, and lists of names.
local function stringsOf(source)
  local code, found = source:gsub('%-%-[^\n]*', ''), {}
  for _, pattern in ipairs { "'([^'\n]*)'", '"([^"\n]*)"', '%[%[(.-)%]%]' } do
    for text in code:gmatch(pattern) do found[#found + 1] = text end
  end
  return ' ' .. table.concat(found, ' \n ') .. ' '
end

local function hasWord(text, word) return text:find('%f[%w_.]' .. word:gsub('%p', '%%%0') .. '%f[^%w_.]') ~= nil end

-- Modules that are found without their names in a file of lua/: why.
local byName = {
  ['^nn%.%u%w*$'] = 'lua/nn/init.lua finds a class by its name',
  ['^nn%.dimensional%.%u%w*$'] = 'lua/nn/init.lua finds the classes for 1, 2 and 3 dimensions by their names',
  ['^nn%.recurrent$'] = 'programs may still require it',
  ['^optim%.sparseadam$'] = 'lua/optim/classes.lua finds the file of a class by its name',
  ['^torch%.ops%.'] = 'composed_spec.lua compares their list with the files',
  ['^autograd%.rules%.'] = 'lua/autograd/rules/init.lua finds the file of a family by its name',
  ['^classic%.torch$'] = 'programs require it, like the two of optnet',
  ['^optnet%.%a+$'] = 'programs require graphgen and models',
  ['^ipc%.%a+Tree$'] = 'programs require the tree that they need',
  ['^ipc%.BackgroundTask$'] = 'programs require it',
  ['^parallel%.child$'] = 'processes that parallel.fork starts run it',
  ['^display%.start$'] = '`th -ldisplay.start` runs it',
  ['^distributed%.launch%.main$'] = 'bin/th-launch runs it',
  ['^torch%.distributed$'] = 'programs require it',
  ['^trepl%.command$'] = 'bin/th runs it',
  ['^torch%.check%.sentence$'] = 'sessions require it (bindings/lua/sessions/session.cpp)',
  ['^torch%.index%.watched$'] = 'hooks require it (bindings/lua/call/call_trace.cpp)',
  ['^torch%.file%.class_packages$'] = 'sessions require it before they read a file (bindings/lua/sessions/session_calls.cpp)',
  ['^notebook%.command$'] = 'bin/kernel runs it',
  ['^torch%.cuda%.methods$'] = 'lua/torch/devices/kinds.lua finds it by the kind of device',
}

describe('a list of names in lua/', function()
  it('of what is read on demand says what the parts have', function()
    local output, status, errors = program.run { 'spec/support/part_lists.lua' }
    assert.equal('', output .. errors)
    assert.equal(0, status)
  end)

  it('names every file', function()
    local strings, modules, missing = {}, {}, {}
    for path in io.popen "find lua -name '*.lua' | sort":lines() do
      strings[path] = stringsOf(files.read(path))
      modules[path] = path:match '^lua/(.*)%.lua$':gsub('/init$', ''):gsub('/', '.')
    end
    local function isNamed(path, module)
      for pattern in pairs(byName) do
        if module:find(pattern) then return true end
      end
      local folder, name = module:match '^(.*)%.([^.]*)$'
      for other, text in pairs(strings) do
        local inFolder = folder and (text:find(' ' .. folder .. '. ', 1, true) or text:find(folder .. '.%', 1, true))
        if other ~= path and (hasWord(text, module) or inFolder and hasWord(text, name)) then return true end
      end
    end
    for path, module in pairs(modules) do
      if module:find('.', 1, true) and not isNamed(path, module) then
        missing[#missing + 1] = ('%s: no file names it: a word is missing in %s/init.lua, or a require'):format(path, path:match '^(.*)/')
      end
    end
    table.sort(missing)
    assert.equal('', table.concat(missing, '\n'))
  end)

  it('finds the file of every name that is required', function()
    require 'autograd'      -- which is the path of torch-autograd's files
    local missing = {}
    for path in io.popen "find lua spec -name '*.lua' | sort":lines() do
      local code = files.read(path):gsub('%-%-[^\n]*', '')
      for name in code:gmatch "require *%(?'([%w_.]*[%w_])'" do
        local root = name:match '^[^.]+'
        local isOurs = root == 'spec' or package.searchpath(root, 'lua/?/init.lua')
        local known = package.preload[name] or package.searchpath(name, './?.lua;lua/?.lua;lua/?/init.lua')
        if isOurs and not known then missing[#missing + 1] = ('%s: no file has what it requires: %s'):format(path, name) end
      end
    end
    assert.equal('', table.concat(missing, '\n'))
  end)

  it("says what each file of lua/nn is that is no class's", function()
    local inside = {}
    for path in io.popen 'ls lua/nn/*.lua':lines() do
      local name = path:match '/(%l%w*)%.lua$'
      local isPart = name == 'init' or name and files.read 'lua/nn/init.lua':find(' = nn%.' .. name .. '\n')
      if name and not isPart then inside[#inside + 1] = path .. ': no part of nn; what classes share is in lua/nn/support' end
    end
    assert.equal('', table.concat(inside, '\n'))
  end)

  it('has every class of nn among what specs make', function()
    local made, missing = {}, {}
    for path in io.popen 'ls spec/nn/*.lua spec/nn/pytorch/*.lua spec/distributed/*.lua':lines() do
      for name in files.read(path):gmatch "%f[%w_](%u%w*) ?[('{]" do made[name] = true end
      for parent in files.read(path):gmatch "'nn%.(%u%w*)'" do made[parent] = true end
    end
    for path in io.popen 'ls lua/nn/*.lua':lines() do
      local name = path:match '/(%u%w*)%.lua$'
      local isClass = name and torch.getmetatable('nn.' .. name)
      if isClass and not made[name] then missing[#missing + 1] = path .. ': no spec makes one, as a line of spec/nn/declared.lua would' end
    end
    assert.equal('', table.concat(missing, '\n'))
  end)
end)
