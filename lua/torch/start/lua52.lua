--- Lua 5.2's syntax that Torch7's LuaJIT accepted: a call whose parenthesis begins a line, `break` in the middle of a block, empty
-- statements; also table.pack, table.unpack and rawlen.
-- LuaJIT compiles all other text as usual; a text that it rejects for one of these forms is rewritten, with the same line numbers, and
-- compiled again.
-- @module torch.start.lua52
local error, io, next, pcall, rawget, rawset, select, table, tonumber, type =
  error, io, next, pcall, rawget, rawset, select, table, tonumber, type
local unpack, plainLoad, plainLoadfile = unpack, loadstring, loadfile

local lua52 = {}

-- Returns the form that LuaJIT's message is about: the name of the function in torch.start.lua52_forms.
local function formOf(problem, text)
  if problem:find('ambiguous syntax (function call x new statement)', 1, true) then return 'joinCall' end
  if problem:find("unexpected symbol near ';'", 1, true) then return 'dropEmpty' end
  if problem:find("'[%w<>]+' expected") and text:find 'break' then return 'closeBreaks' end
end

-- Returns the text rewritten according to LuaJIT's message, or nil.
local function rewritten(text, message)
  local line, problem = message:match '^.*:(%d+): (.*)$'
  local form = problem and formOf(problem, text)
  return form and require 'torch.start.lua52_forms'[form](text, tonumber(line)) or nil
end

local escape = 27      -- the first byte of bytecode

--- Compiles a text like `load`. If a rewritten text is rejected, too, the result is LuaJIT's first message.
-- @string text
-- @param ... the name of the chunk, mode and environment
-- @treturn ?function
-- @treturn ?string the error
function lua52.compile(text, ...)
  local chunk, message = plainLoad(text, ...)
  if chunk or type(message) ~= 'string' or type(text) ~= 'string' or text:byte() == escape then return chunk, message end
  local problem = message
  while not chunk and problem do
    text = rewritten(text, problem)
    if not text then return nil, message end
    chunk, problem = plainLoad(text, ...)
  end
  return chunk, not chunk and message or nil
end

-- Reads all parts from a reader as one text; or returns LuaJIT's message if the reader fails.
local function read(reader)
  local pieces = {}
  while true do
    local good, piece = pcall(reader)
    if not good then return nil, piece end
    if piece == nil or piece == '' then return table.concat(pieces) end
    if type(piece) ~= 'string' then return nil, 'reader function must return a string' end
    pieces[#pieces + 1] = piece
  end
end

--- The global `load`, and `loadstring`: compiles a text, or the concatenated results of a function.
-- @tparam string|function text
-- @string[opt] name of the chunk
-- @string[opt] mode 'b', 't' or 'bt': whether bytecode and text are accepted
-- @tparam[opt] table env the chunk's environment
function lua52.load(text, name, ...)
  if type(text) ~= 'function' then return lua52.compile(text, name, ...) end
  local whole, problem = read(text)
  if not whole then return nil, problem end
  return lua52.compile(whole, name == nil and '=(load)' or name, ...)
end

--- The global `loadfile`.
-- @string[opt] name default: the standard input
-- @string[opt] mode
-- @tparam[opt] table env
function lua52.loadfile(name, ...)
  if name == nil then return lua52.compile(io.read '*a', '=stdin', ...) end
  local chunk, message = plainLoadfile(name, ...)
  if chunk then return chunk end
  local file = io.open(name, 'rb')
  local text = file and file:read '*a'
  if file then file:close() end
  if not text then return nil, message end
  return lua52.compile(text, '@' .. name, ...)
end

--- The global `dofile`.
-- @string[opt] name
function lua52.dofile(name)
  local chunk, message = lua52.loadfile(name)
  if not chunk then error(message, 0) end
  return chunk()
end

--- Returns the length of a table or string without metamethods.
function lua52.rawlen(value)
  if type(value) ~= 'table' and type(value) ~= 'string' then
    error(("bad argument #1 to 'rawlen' (table or string expected, got %s)"):format(type(value)), 2)
  end
  return #value
end

--- Returns a table of its arguments, whose field `n` is their number: table.pack.
function lua52.pack(...) return { n = select('#', ...), ... } end

--- Adds table.pack and table.unpack if Lua has none.
function lua52.addFunctions()
  if not rawget(table, 'pack') then rawset(table, 'pack', lua52.pack) end
  if not rawget(table, 'unpack') then rawset(table, 'unpack', unpack) end
end

local isInstalled = false

--- Makes a program's loading of texts and files accept these forms: the globals `load`, `loadstring`, `loadfile` and `dofile`.
-- Files that `require` finds are always compiled this way (torch.modules).
function lua52.install()
  if isInstalled then return end
  isInstalled = true
  lua52.addFunctions()
  for name, f in next, { load = lua52.load, loadstring = lua52.load, loadfile = lua52.loadfile, dofile = lua52.dofile,
                        rawlen = rawget(_G, 'rawlen') or lua52.rawlen } do
    require 'torch.modules'.replace(name, f)
  end
end

return lua52
