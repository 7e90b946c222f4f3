--- A recorded run as the text of a Lua program: what torch-autograd's options showCode and debugHook show as generated code.
-- @module autograd.classic.source
local torch = require 'torch'

local Source = {}
Source.__index = Source

--- Returns an empty recording.
function Source.new() return setmetatable({ inputs = {}, results = {}, calls = {}, ops = {}, lineOf = {} }, Source) end

-- Returns the text of an argument; a tensor that is not an op's result is a parameter.
local function text(self, value)
  if torch.isTensor(value) then
    local name = self.results[value] or self.inputs[value]
    if not name then
      self.inputs[#self.inputs + 1] = value
      name = 'p' .. #self.inputs
      self.inputs[value] = name
    end
    return name
  end
  if type(value) == 'string' then return ('%q'):format(value) end
  if type(value) == 'table' or torch.isStorage(value) then
    local parts = {}
    for i = 1, #value do parts[i] = text(self, value[i]) end
    return '{' .. table.concat(parts, ', ') .. '}'
  end
  return tostring(value)
end

--- Adds a call, with the arguments of autograd.anomaly's listener for an op.
function Source:hear(name, node, values, first, count, total)
  local parts = {}
  while total > first + count - 1 and values[total] == nil do total = total - 1 end
  for i = first + count, total do parts[#parts + 1] = text(self, values[i]) end
  local results = {}
  for i = first, first + count - 1 do
    if not self.results[values[i]] then
      self.results[#self.results + 1] = true
      self.results[values[i]] = ('rlocals[%d]'):format(#self.results)
    end
    results[#results + 1] = self.results[values[i]]
  end
  for i = #results, 1, -1 do table.insert(parts, 1, results[i]) end
  local plain = name:gsub('[^%w_]', '_')
  if not self.ops[plain] then
    self.ops[#self.ops + 1] = plain
    self.ops[plain] = true
  end
  self.calls[#self.calls + 1] = ('    torch_%s(%s)'):format(plain, table.concat(parts, ', '))
  if node then self.lineOf[node] = #self.calls end
end

--- Returns the program so far.
-- @tparam[opt] table node of the op whose line is wanted; default: the last one
-- @treturn string
-- @treturn int the number of that line
function Source:text(node)
  local lines, names = {}, {}
  for _, op in ipairs(self.ops) do lines[#lines + 1] = ('local torch_%s = torch.%s'):format(op, op) end
  lines[#lines + 1] = 'local rlocals = {}'
  for i = 1, #self.inputs do names[i] = 'p' .. i end
  lines[#lines + 1] = ('return function(%s)'):format(table.concat(names, ', '))
  local before = #lines
  for _, call in ipairs(self.calls) do lines[#lines + 1] = call end
  if #self.results > 0 then lines[#lines + 1] = ('    return rlocals[%d]'):format(#self.results) end
  lines[#lines + 1] = 'end'
  return table.concat(lines, '\n') .. '\n', before + (self.lineOf[node] or #self.calls)
end

return Source
