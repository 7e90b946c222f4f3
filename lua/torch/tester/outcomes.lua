--- Outcomes of assertions, warnings, and errors of tests in torch.Tester: counts and texts for the report.
-- @module torch.tester.outcomes
local here = debug.getinfo(1, 'S').source:match '^@?(.*)outcomes%.lua$'

-- A failed assertion that ends a test immediately raises this object.
local Failure = { __tostring = function(self) return self.message end }

local function increase(counts, name) counts[name] = (counts[name] or 0) + 1 end

local Tester = {}

--- Adds the test's name before a message and the test's position after it, without stack frames of the tester and its callers.
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

--- Ends every assertion: counts it, and returns the results of `_success` or `_failure`.
-- @bool condition whether it held
-- @string message for a failure
function Tester:_assert_sub(condition, message)
  if condition then return self:_success() end
  return self:_failure(message)
end

--- Handles an assertion that holds.
-- @treturn bool true
function Tester:_success()
  increase(self.assertionPass, self._currentTestName)
  return true
end

--- Handles an assertion that does not hold.
-- @treturn bool false
-- @treturn string the message
function Tester:_failure(message)
  increase(self.assertionFail, self._currentTestName)
  local text = self:_addDebugInfo(message)
  table.insert(self.errors, text)
  if self.rethrow then error(setmetatable({ message = text }, Failure), 0) end
  return false, message
end

--- Records a warning for the report.
-- @string message
function Tester:_warning(message)
  local name, text = self._currentTestName, self:_addDebugInfo(message)
  increase(self._warningCount, name)
  table.insert(self.warnings, text)
  if name == '' then table.insert(self._standing, text) end
end

--- Calls a function as part of a test; its errors are recorded, or raised again if `rethrow` is set.
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
