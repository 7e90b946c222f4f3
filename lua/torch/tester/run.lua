--- How torch.Tester runs tests, counts what their assertions say, and reports.
-- @module torch.tester.run
local check = require 'torch.check'

local WIDTH = 80      -- columns of the report
local here = debug.getinfo(1, 'S').source:match '^@?(.*)run%.lua$'

local function plural(n, noun) return ('%d %s%s'):format(n, noun, n == 1 and '' or 's') end

-- An assertion that ends a test at once carries this mark.
local Failure = { __tostring = function(self) return self.message end }

local function increase(counts, name) counts[name] = (counts[name] or 0) + 1 end

local function total(...)
  local sum = 0
  for _, counts in ipairs { ... } do
    for _, n in pairs(counts) do sum = sum + n end
  end
  return sum
end

local function count(self) self.countasserts = total(self.assertionPass, self.assertionFail) end

--- Gives a class these methods.
-- @tparam table Tester the class
return function(Tester)
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

  --- The tests of these names, or with names that match one of these Lua patterns; all where nothing is said.
  -- @tparam[opt] string|{string,...} names
  -- @treturn {[string]=function}
  -- @raise if there is none for a name
  function Tester:_getTests(names)
    if names == nil then return self.tests end
    local tests = {}
    for _, wanted in ipairs(type(names) == 'table' and names or { names }) do
      local found = false
      for name, test in pairs(self.tests) do
        if name == wanted or tostring(name):match(wanted) then tests[name], found = test, true end
      end
      if not found then check.raise(("Couldn't find test '%s'"):format(tostring(wanted))) end
    end
    return tests
  end

  -- Names of tests in the order in which they were added; those that came otherwise follow.
  local function ordered(self, tests)
    local names, listed = {}, {}
    for _, name in ipairs(self._names) do
      listed[name] = true
      if tests[name] then table.insert(names, name) end
    end
    local others = {}
    for name in pairs(tests) do
      if not listed[name] then table.insert(others, name) end
    end
    table.sort(others, function(a, b) return tostring(a) < tostring(b) end)
    for _, name in ipairs(others) do table.insert(names, name) end
    return names
  end

  local function outcome(self, name, test)
    if self.disabledTests[name] then return 'SKIP' end
    self._currentTestName = name
    local good = true
    if self._setUp then good = self:_pcall(function() self._setUp(name) end) end
    if good then good = self:_pcall(test) end
    if self._tearDown then good = self:_pcall(function() self._tearDown(name) end) and good end
    self._currentTestName = ''
    self.testError[name], self._ran[name] = good and 0 or 1, true
    return not good and 'ERROR' or (self.assertionFail[name] or 0) > 0 and 'FAIL' or 'PASS'
  end

  --- Runs tests, a line each with PASS, FAIL (an assertion did not hold), ERROR (something was raised) or SKIP.
  -- @tparam {[string]=function} tests
  function Tester:_run(tests)
    local names = ordered(self, tests)
    io.write('Running ' .. plural(#names, 'test') .. '\n')
    for i, name in ipairs(names) do
      local state = outcome(self, name, tests[name])
      local head, tail = ('%d/%d %s '):format(i, #names, name), (' [%s]'):format(state)
      io.write(head .. ('.'):rep(math.max(3, WIDTH - #head - #tail)) .. tail .. '\n')
      io.flush()
      if self.earlyAbort and (state == 'FAIL' or state == 'ERROR') then
        io.write('Aborting on the first failure; not all tests have been executed\n')
        break
      end
    end
    count(self)
  end

  --- Writes the summary, and the warnings and errors unless `summaryOnly` is set.
  -- @tparam {[string]=function} tests those of the run
  function Tester:_report(tests)
    count(self)
    local ran, failures, disabled = 0, 0, 0
    for name in pairs(tests) do
      if self.disabledTests[name] then disabled = disabled + 1 elseif self._ran[name] then ran = ran + 1 end
      if (self.assertionFail[name] or 0) > 0 and self.testError[name] == 0 then failures = failures + 1 end
    end
    local line = ('Completed %s in %s with %s and %s'):format(plural(self.countasserts, 'assert'), plural(ran, 'test'),
      plural(failures, 'failure'), plural(total(self.testError), 'error'))
    if disabled > 0 then line = line .. ', ' .. plural(disabled, 'disabled test') end
    if #self.warnings > 0 then line = line .. ', ' .. plural(#self.warnings, 'warning') end
    io.write(line .. '\n')
    if self.summaryOnly then return end
    local rule = ('-'):rep(WIDTH) .. '\n'
    for _, message in ipairs(self.warnings) do io.write(rule .. 'WARNING: ' .. message .. '\n') end
    for _, message in ipairs(self.errors) do io.write(rule .. message .. '\n') end
    if #self.errors + #self.warnings > 0 then io.write(rule) end
  end

  --- Runs tests and reports.
  -- @tparam[opt] string|{string,...} names of tests, or Lua patterns of names; all tests by default
  -- @treturn int 0
  -- @raise after the report, if any test failed; when there is no test for a name
  function Tester:run(names)
    local tests = self:_getTests(names)
    self.errors, self.warnings, self._ran = {}, { unpack(self._standing) }, {}
    for _, counts in ipairs { self.assertionPass, self.assertionFail, self.testError, self._warningCount } do
      for name in pairs(counts) do
        if name ~= '' or counts ~= self._warningCount then counts[name] = 0 end
      end
    end
    self:_run(tests)
    self:_report(tests)
    if #self.errors > 0 then error('An error was found while running tests!', 2) end
    return 0
  end
end
