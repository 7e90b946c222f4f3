--- The documentation of a class: its purpose, constructor, declaration and methods.
-- @module trepl.class_entry
local call = require 'trepl.call'
local comments = require 'trepl.comments'
local fileOf = require 'torch.modules'.file
local guard = require 'torch.check.guard'
local ldoc = require 'trepl.ldoc'
local native = require 'trepl.native'

-- The names of the methods in a class's metatable and in tables that it shares with others.
local function methodsOf(metatable)
  local methods, seen = {}, {}
  local function add(name)
    if type(name) == 'string' and not name:find '^_' and not seen[name] then
      seen[name] = true
      methods[#methods + 1] = name
    end
  end
  for _, layer in ipairs { metatable, (debug.getmetatable(metatable) or {}).__index } do
    if type(layer) == 'table' then
      for key, value in next, layer do
        if type(value) == 'function' then add(key) end
      end
      local lazy = (debug.getmetatable(layer) or {}).__names
      for _, name in ipairs(type(lazy) == 'function' and lazy() or {}) do add(name) end
    end
  end
  table.sort(methods)
  return methods
end

-- The comment at the beginning of a file, if it has the tag of the class.
local function openingAbout(name, file)
  local lines = file and comments.linesOf(file) or {}
  for i = 1, math.min(#lines, 9) do
    if lines[i] == '-- @classmod ' .. name then return comments.opening(file) end
  end
end

-- The description of a class, from the file with its name, the file that declares it, or the file of its constructor or of a method.
local function openingOf(name, metatable)
  local opening = comments.opening(fileOf(rawget(metatable, '__module') or name))
  if opening then return opening end
  if rawget(metatable, 'declaration') then return openingAbout(name, metatable.declaredIn:match '^@(.*)') end
  for _, member in ipairs { '__init', 'new', methodsOf(metatable)[1] } do
    local f = rawget(metatable, member)
    f = guard.written[f] or f
    local file = type(f) == 'function' and debug.getinfo(f, 'S').source:match '^@(.*)'
    if file then return comments.opening(file) end
  end
end

-- The comment above a class's declaration (nn.declare), which documents the constructor's arguments, and its place.
local function ofDeclaration(metatable)
  local source = metatable.declaredIn:match '^@(.*)'
  local lines = source and comments.linesOf(source)
  local name = metatable.declaration.name
  for i, line in ipairs(lines or {}) do
    if line:find('name = ' .. "'" .. name .. "'", 1, true) or line:find('name = "' .. name .. '"', 1, true) then
      local first = i
      while first > 1 and not lines[first]:find 'declare' do first = first - 1 end
      local comment = comments.above(lines, first)
      if comment and comment:find '@classmod' then comment = nil end  -- the comment of the file, which is shown already
      return comment, ('%s:%d'):format(source, first)
    end
  end
end

-- The options of a declaration as arguments, with their text from the comment.
local function optionsOf(metatable, said)
  local arguments, byName = {}, {}
  for _, argument in ipairs(said) do byName[argument.name] = argument end
  for i, option in ipairs(metatable.declaredOptions) do
    local argument = require('nn.support.describe').argument(option)
    argument.text = byName[argument.name] and byName[argument.name].text or ''
    arguments[i] = argument
  end
  return arguments
end

-- Adds the constructor's comment to the file's comment.
local function join(entry, made)
  if entry.summary == '' then
    entry.summary, entry.about = made.summary, made.about
  elseif made.summary ~= '' then
    entry.about = (entry.about .. '\n\n' .. made.summary .. '\n' .. made.about):gsub('%s+$', '')
  end
  entry.arguments = #made.arguments > 0 and made.arguments or entry.arguments
  for _, name in ipairs { 'raises', 'usages' } do
    for _, one in ipairs(made[name]) do table.insert(entry[name], one) end
  end
end

-- Adds the constructor.
local function addConstructor(entry, metatable)
  local init, header = metatable.__init, nil
  local written = guard.written[init] or init
  if metatable.declaration and metatable.declaredInit and init == metatable.declaredInit then
    local comment, place = ofDeclaration(metatable)
    if comment then join(entry, ldoc.parse(comment)) end
    entry.arguments, entry.place = optionsOf(metatable, entry.arguments), place
  elseif type(init) == 'function' then
    local file, at, lines = comments.sourceOf(written)
    if file then
      local comment = comments.above(lines, at)
      if comment then join(entry, ldoc.parse(comment)) end
      header, entry.place = lines[at], ('%s:%d'):format(file, at)
    end
  end
  local arguments = header and call.arguments(header, entry.arguments) or entry.arguments
  entry.arguments = arguments
  entry.calls = { ('%s(%s)'):format(entry.name, call.list(arguments)) }
end

--- The documentation of a class.
-- @tparam table metatable
-- @treturn table an entry (see trepl.help)
return function(metatable)
  local name = rawget(metatable, '__typename')
  local listed = native.line(name:match '%u%l+$' or '')
  local entry
  if listed then
    entry = ldoc.parse(listed.meaning)
    entry.name, entry.calls = name, { listed.usage }
  else
    entry = ldoc.parse(openingOf(name, metatable) or '')
    entry.name = name
    addConstructor(entry, metatable)
  end
  entry.kind = 'class'
  entry.facts = metatable.declaration and require('nn.support.describe').facts(metatable) or {}
  entry.methods = methodsOf(metatable)
  return entry
end
