--- What an assertion of torch.Tester, a warning, or an error of a test leaves behind: counts and texts for the report.
-- @module torch.tester.outcomes
local here = debug.getinfo(1, 'S').source:match '^@?(.*)outcomes%.lua$'

-- An assertion that ends a test at once carries this mark.
local Failure = { __tostring = function(self) return self.message end }

local function increase(counts, name) counts[name] = (counts[name] or 0) + 1 end

local Tester = {}

--- A message with the test's name before it and where the test stands after it, without the frames of the tester and what runs it.
-- @string message
-- @treturn string
function Tester:_addDebugInfo(message)
  local lines = {}
  for line in debug.traceback('', 2):gmatch '[^\n]+' do
    if line:find('xpcall', 1, true) then break end
    local own = here and line:find(here, 1, true) or line:find('torch/tester/', 1, true)
    if not own and line ~= 'stack traceback:' then lines[#lines + 1] = line end
  end
  local name = self._currentTestName == '' and '<unknown>' or self._currentTestName
  local separator = tostring(message):find '^ :' and '' or '\n'
  return name .. separator .. tostring(message) .. '\nstack traceback:\n' .. table.concat(lines, '\n')
end

--- What every assertion ends in: counts, and returns what `_success` or `_failure` does.
-- @bool condition whether it held
-- @string message of one that did not
function Tester:_assert_sub(condition, message)
  if condition then return self:_success() end
  return self:_failure(message)
end

--- What an assertion that holds does.
-- @treturn bool true
function Tester:_success()
  increase(self.assertionPass, self._currentTestName)
  return true
end

--- What an assertion that does not hold does.
-- @treturn bool false
-- @treturn string the message
function Tester:_failure(message)
  increase(self.assertionFail, self._currentTestName)
  local text = self:_addDebugInfo(message)
  table.insert(self.errors, text)
  if self.rethrow then error(setmetatable({ message = text }, Failure), 0) end
  return false, message
end

--- Notes a warning for the report.
-- @string message
function Tester:_warning(message)
  local name, text = self._currentTestName, self:_addDebugInfo(message)
  increase(self._warningCount, name)
  table.insert(self.warnings, text)
  if name == '' then table.insert(self._standing, text) end
end

--- Calls a function as a part of a test; what it raises is noted, or raised again where `rethrow` is set.
-- @tparam function f
-- @treturn bool whether it raised nothing
-- @return its result, or the error with its traceback
-- @treturn bool whether it raised nothing and none of its assertions failed
function Tester:_pcall(f)
  local before = #self.errors
  local good, result = xpcall(f, function(err)
    if getmetatable(err) == Failure then return err end
    return { err, self:_addDebugInfo('Function call failed\n' .. tostring(err)) }
  end)
  if good then return true, result, #self.errors == before end
  local failed = getmetatable(result) == Failure
  if self.rethrow then error(failed and result.message or result[1], 0) end
  if failed then return false, result.message, false end
  table.insert(self.errors, result[2])
  return false, result[2], false
end

return Tester
