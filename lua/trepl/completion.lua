--- Completion of keywords, globals, fields and methods, and of file names inside quotes.
-- Tables and metatables are read with rawget only: pressing TAB never runs a program's code. What our own packages read on demand
-- is read when it is the only candidate.
-- @module trepl.completion
local completion = {}

local keywords = {
  'and', 'break', 'do', 'else', 'elseif', 'end', 'false', 'for', 'function', 'goto', 'if', 'in', 'local', 'nil', 'not', 'or',
  'repeat', 'return', 'then', 'true', 'until', 'while',
}

--- Calls visit with every table in which a field of x would be found: x itself, its metatables, and the parents of its class.
-- Stops as soon as visit returns something, and returns that.
local function eachLayer(x, visit)
  local seen, queue = {}, {}
  local function add(t)
    if type(t) == 'table' and not seen[t] then
      seen[t] = true
      queue[#queue + 1] = t
    end
  end
  local function addMeta(meta)
    if type(meta) ~= 'table' then return end
    if type(rawget(meta, '__metatable')) == 'table' then
      add(rawget(meta, '__metatable'))
    else
      add(rawget(meta, '__index'))
      if rawget(meta, '__typename') then add(meta) end       -- a torch class: the metatable holds the methods
    end
  end
  add(x)
  if type(x) ~= 'table' then addMeta(debug.getmetatable(x)) end
  local i = 1
  while queue[i] do
    local found = visit(queue[i])
    if found ~= nil then return found end
    addMeta(debug.getmetatable(queue[i]))
    i = i + 1
  end
end

local function field(x, key)
  return eachLayer(x, function(layer) return rawget(layer, key) end)
end

--- The value of a path such as `nn.Module.`, read without metamethods; nil where it breaks off.
local function resolve(path)
  local x = _G
  for key in path:gmatch '[^.:]+' do
    x = field(x, key)
    if x == nil then return nil end
  end
  return x
end

--- What follows a completed name: a call, a field, a method, or a space.
local function suffix(x)
  local kind = type(x)
  if kind == 'function' then return '(' end
  if kind == 'table' then return '.' end
  if kind == 'userdata' and debug.getmetatable(x) then return ':' end
  return ' '
end

--- The suffix of a name that a package reads on demand: a call's, where it is a function.
local function lazySuffix(layer, name)
  return function()
    local good, value = pcall(function() return layer[name] end)
    return good and type(value) == 'function' and '(' or ''
  end
end

--- Names that continue a word, with the suffix of each, or a function that finds it out.
local function names(word)
  local path, start = word:match '^(.*[.:])([^.:]*)$'
  local found = {}
  local function offer(name, value)
    if type(name) ~= 'string' or name:sub(1, #start) ~= start or found[name] or not name:find '^[%a_][%w_]*$' then return end
    if name:sub(1, 1) == '_' and start:sub(1, 1) ~= '_' then return end
    found[name] = suffix(value)
  end
  if not path then
    path, start = '', word
    for _, keyword in ipairs(keywords) do offer(keyword) end
  end
  local owner = resolve(path)
  if owner ~= nil then
    eachLayer(owner, function(layer)
      for name, value in next, layer do offer(name, value) end
      -- What the package reads when it is asked for: nn.Linear.
      local meta = debug.getmetatable(layer)
      local lazy = type(meta) == 'table' and rawget(meta, '__names')
      for _, name in ipairs(type(lazy) == 'function' and lazy() or {}) do
        offer(name)
        if found[name] == ' ' then found[name] = lazySuffix(layer, name) end
      end
    end)
  end
  return found, start
end

--- The quoted text that is still open at the end of a line, nil when there is none.
local function openQuote(line)
  local quote, from
  local i = 1
  while i <= #line do
    local c = line:sub(i, i)
    if quote then
      if c == '\\' then i = i + 1 elseif c == quote then quote = nil end
    elseif c == '"' or c == "'" then
      quote, from = c, i + 1
    end
    i = i + 1
  end
  return quote and line:sub(from)
end

--- Files that continue a path; folders end with a slash.
local function files(path)
  local folder, start = path:match '^(.*/)([^/]*)$'
  if not folder then folder, start = './', path end
  local found = {}
  local list = io.popen("ls -1ap -- '" .. folder:gsub("'", "'\\''") .. "' 2>/dev/null")
  for name in list:lines() do
    if name ~= './' and name ~= '../' and name:sub(1, #start) == start and (start ~= '' or name:sub(1, 1) ~= '.') then found[name] = '' end
  end
  list:close()
  return found, start
end

--- The longest start that all names share, and the sorted names.
local function common(found)
  local sorted, shared = {}, nil
  for name in pairs(found) do
    sorted[#sorted + 1] = name
    if not shared then shared = name end
    while name:sub(1, #shared) ~= shared do shared = shared:sub(1, -2) end
  end
  table.sort(sorted)
  return shared, sorted
end

local lastAsked

--- Completes the text before the cursor.
-- @tparam string line from its start to the cursor
-- @treturn string what to insert, maybe empty
-- @treturn ?{string,...} the candidates, when asked a second time about the same text
function completion.complete(line)
  if not line:find '%S' then return '  ' end      -- indentation, most of it pasted
  local quoted = openQuote(line)
  local found, start
  if quoted then
    found, start = files(quoted)
  else
    found, start = names(line:match '[%w_.:]*$')
  end
  local shared, sorted = common(found)
  if not shared then return '' end
  local insert = shared:sub(#start + 1)
  if #sorted == 1 then
    local follows = found[shared]
    return insert .. (type(follows) == 'function' and follows() or follows)
  end
  local again = line == lastAsked
  lastAsked = line .. insert
  return insert, again and sorted or nil
end

return completion
