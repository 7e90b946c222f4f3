--- Run by th: compares the lists by which packages load their parts on demand (`torch.start.lazy_loader`) with the names that the parts
-- define, and prints a line for each missing or superfluous name. Names for other files, whose sources contain them, are in no list.
-- spec/torch/composed_spec.lua checks composed ops.
local torch = require 'torch'
local tensors = require 'torch.tensor'
local files = require 'spec.support.files'

-- The lines that were passed to torch.start.lazy_loader; none of the parts is loaded yet.
local function textOf(t)
  local index = debug.getmetatable(t).__index
  for i = 1, math.huge do
    local name, value = debug.getupvalue(index, i)
    if name == 'parts' then return value end
    if not name then error 'torch.start.lazy_loader keeps its lines elsewhere' end
  end
end

local lists = {}
local function add(file, t) lists[#lists + 1] = { file = file, t = t, text = textOf(t) } end
for _, t in ipairs { torch, tensors.methods, tensors.storageMethods } do add('lua/torch/start/names.lua', t) end
for name in ('paths sys xlua autograd nn optim image'):gmatch '%a+' do add(('lua/%s/init.lua'):format(name), require(name)) end

local said = {}      -- the lists of torch and of the methods may lack the same name
local function say(...)
  local text = table.concat { ... }
  if not said[text] then io.write(text, '\n') end
  said[text] = true
end

local sources = {}
for name in io.popen "find lua -name '*.lua'":lines() do sources[name] = files.read(name) end

-- Whether another file uses a name of a module.
local function isAskedFor(module, name)
  local own = 'lua/' .. module:gsub('%.', '/')
  for path, text in pairs(sources) do
    local isOther = path ~= own .. '.lua' and path ~= own .. '/init.lua'
    if isOther and text:find("'" .. module .. "'", 1, true) and text:find('%.' .. name .. '%f[^%w_]') then return true end
  end
  return false
end

-- The names of a package that are not from its parts: the registry's ops, the classes of tensors.
local function othersOf(t)
  local known = {}
  for _, name in ipairs(debug.getmetatable(t).__names()) do known[name] = true end
  return known
end

local listed = {}      -- module -> names in the lines of any list
for _, list in ipairs(lists) do
  for module, names in list.text:gmatch '(%S+): ([^\n]*)' do
    listed[module] = listed[module] or {}
    for name in names:gmatch '%S+' do listed[module][name] = true end
  end
end

local function checkLine(list, module, names)
  local t, before, others = list.t, {}, othersOf(list.t)
  for key in next, t do before[key] = true end
  local good, problem = pcall(function() return t[names:match '%S+'] end)
  if not good then return say(list.file, ': the line of ', module, ' can not be read: ', tostring(problem)) end
  for name in names:gmatch '%S+' do
    if t[name] == nil then say(list.file, ': the line of ', module, ' names ', name, ', which is not there') end
  end
  local has = {}
  for key in next, t do has[key] = not before[key] and not others[key] end
  local values = package.loaded[module]
  if type(values) == 'table' and module:find('.', 1, true) and not rawget(values, '__typename') then
    for key in next, values do has[key] = true end
  end
  for key, isNew in pairs(has) do
    local public = type(key) == 'string' and not key:find '^_' and isNew
    if public and not listed[module][key] and not isAskedFor(module, key) then
      say(list.file, ': the line of ', module, ' lacks ', key)
    end
  end
end

for _, list in ipairs(lists) do
  for line in list.text:gmatch '[^\n]*%S[^\n]*' do
    local module, names = line:match '(%S+): (.*)'
    local name, whole = line:match '(%S+) = (%S+)'
    if module and not module:find '^torch%.ops%.' then
      checkLine(list, module, names)
    elseif not module and not (whole and pcall(function() return assert(list.t[name]) end)) then
      say(list.file, ': the line `', line:match '^%s*(.-)%s*$', '` can not be read')
    end
  end
end
