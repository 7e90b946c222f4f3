--- Tables of facts: each line is Lua code with its result, `code --> result`, or with an error that it raises, `code --> error: text`.
-- Each line is a separate spec. The code can use `torch`, and c(n, ...), the tensor 1, 2, 3, ... of these sizes.
-- Notation of results: a DoubleTensor of sizes 2 and 3 `[2x3] 1 2 3 4 5 6`, others with their type in front, `Float[2] 1 2`, one
-- without dimensions `[]`, a storage `LongStorage 2 3`, tables `{1, 2, a=3}`, several results separated by commas; no result: `nothing`.
local torch = require 'torch'

local words

local function elements(x)
  if x:nElement() == 0 then return '' end
  local list = {}
  local flat = x:contiguous():view(-1)
  for i = 1, flat:nElement() do list[i] = words(flat[i]) end
  return ' ' .. table.concat(list, ' ')
end

local function tableWords(t)
  local list, keys = {}, {}
  for i = 1, #t do list[i] = words(t[i]) end
  for key in pairs(t) do
    if type(key) ~= 'number' or key < 1 or key > #t then keys[#keys + 1] = key end
  end
  table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
  for _, key in ipairs(keys) do list[#list + 1] = tostring(key) .. '=' .. words(t[key]) end
  return '{' .. table.concat(list, ', ') .. '}'
end

--- A value in the notation of results.
-- @treturn string
function words(value)
  if torch.isTensor(value) then
    local name = value:type():match '%.(%a+)Tensor$'
    return ('%s[%s]%s'):format(name == 'Double' and '' or name, table.concat(value:size():totable(), 'x'), elements(value))
  elseif torch.isStorage(value) then
    local list = value:totable()
    for i, v in ipairs(list) do list[i] = words(v) end
    return table.concat({ torch.type(value):sub(7), unpack(list) }, ' ')
  elseif type(value) == 'number' then
    return value ~= value and 'nan' or ('%.14g'):format(value)
  elseif type(value) == 'table' and not torch.typename(value) then
    return tableWords(value)
  elseif type(value) == 'function' or type(value) == 'userdata' or type(value) == 'table' then
    return torch.type(value)
  end
  return tostring(value)
end

local function counted(...)
  local x = torch.Tensor(...)
  for i = 1, x:nElement() do x:storage()[i] = i end
  return x
end

local function run(code)
  local f = loadstring('return ' .. code, '=fact') or assert(loadstring(code, '=fact'))
  setfenv(f, setmetatable({ torch = torch, c = counted }, { __index = _G }))
  local function gather(good, ...)
    if not good then return 'error: ' .. tostring((...)) end
    local list = { ... }
    for i = 1, select('#', ...) do list[i] = words(list[i]) end
    return #list > 0 and table.concat(list, ', ') or 'nothing'
  end
  return gather(pcall(f))
end

--- Creates a spec for each line.
-- @tparam function it of busted, which only spec files can access
-- @string text lines `code --> result`; empty ones are skipped
local function facts(it, text)
  for line in text:gmatch '[^\n]+' do
    local code, expected = line:match '^%s*(.-)%s*%-%->%s*(.-)%s*$'
    if code then
      it(code, function()
        local result = run(code)
        local part = expected:match '^error: (.*)$'
        if part and result:find('^error: ') and result:lower():find(part:lower(), 1, true) then return end
        if result ~= expected then error(('%s, expected %s'):format(result, expected), 0) end
      end)
    elseif line:find '%S' then
      error('facts: no result is given in: ' .. line)
    end
  end
end

return facts
