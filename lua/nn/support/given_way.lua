--- Files that define a class with the name of one of nn's that Torch7 lacks, such as nn.LSTM in the package rnn.
-- Such files may test first that nn has no class of this name, so for them nn has none: for files whose text defines the class or tests
-- whether it exists (`assert(nn.LSTM == nil)`), and for files next to one that is named after the class and defines it.
-- @module nn.support.given_way
-- @local
local read = require 'torch.modules'.read

-- 'name' and the text or path of a file -> whether nn.name is hidden from it.
local known = {}

local function defines(text, name)
  local quoted = '["\']nn%.' .. name .. '["\']'
  return text:find('class%s*%(?%s*' .. quoted) ~= nil or text:find('name%s*=%s*' .. quoted) ~= nil
end

-- Forms of the test of the class NAME.
local tests = { 'not%s+nn%.NAME%f[^%w_]', 'if%s+nn%.NAME%s+then%f[^%w_]', '%f[%w_]nn%.NAME%s*==%s*nil%f[^%w_]' }

local function concerns(text, name)
  if defines(text, name) then return true end
  for _, form in ipairs(tests) do
    if text:find((form:gsub('NAME', name))) then return true end
  end
  return false
end

local function fileMatches(path, name, matches)
  local text = read(path)
  return text ~= nil and matches(text, name)
end

--- Returns whether the chunk that reads the name is of such a file.
-- @string name without 'nn.'
-- @string source of the chunk, as in debug.getinfo
-- @treturn boolean
return function(name, source)
  local kind = source:sub(1, 1)
  if kind == '=' then return false end
  local key = name .. '\n' .. source
  local answer = known[key]
  if answer ~= nil then return answer end
  if kind ~= '@' then
    answer = concerns(source, name)
  else
    local path = source:sub(2)
    local folder = path:match '^(.*/)' or ''
    local isOurs = require('torch.check.guard').isOurSource(source)
    answer = not isOurs and (fileMatches(path, name, concerns) or fileMatches(folder .. name .. '.lua', name, defines))
  end
  known[key] = answer
  return answer
end
