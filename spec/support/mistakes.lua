--- Tables of mistakes: code of newcomers, and the program's answer. Each row `{ code, answer }` is a separate spec.
-- The answer is a part of the output: the values as print shows them, or the error with its hint, as th shows it.
local torch, nn, optim = require 'torch', require 'nn', require 'optim'
local hints, traceback = require 'trepl.hints', require 'trepl.traceback'

local function shown(...)
  local list = {}
  for i = 1, select('#', ...) do list[i] = tostring((select(i, ...))) end
  return table.concat(list, '\n')
end

-- The answer of th to code: an expression or statements.
local function answer(code)
  local chunk = loadstring('return nil, ' .. code, '=(command line)')      -- no tail call, whose errors have no position
  local isExpression = chunk ~= nil
  local failure
  if not chunk then chunk, failure = loadstring(code, '=(command line)') end
  if not chunk then return failure .. '\n' .. (hints.ofSyntax(failure, code) or '') end
  setfenv(chunk, setmetatable({ torch = torch, nn = nn, optim = optim }, { __index = _G }))
  local function gather(good, first, ...)
    if not good then return (tostring(first):gsub('\nstack traceback.*', '')) end
    local nothing = isExpression and (...) == nil and hints.ofNothing(code)
    return shown(...) .. (nothing and '\n' .. nothing or '')
  end
  return gather(xpcall(chunk, traceback))
end

--- Creates a spec for each row.
-- @tparam function it of busted, which only spec files can access
-- @tparam {{string,string},...} rows
local function mistakes(it, rows)
  for _, row in ipairs(rows) do
    local code, expected = row[1], row[2]
    it(code, function()
      local told = answer(code)
      if not told:find(expected, 1, true) then error(('%s, expected %s'):format(told, expected), 0) end
    end)
  end
end

return mistakes
