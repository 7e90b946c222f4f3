--- Runs tests and reports, for torch.Tester.
-- @module torch.tester.run
local check = require 'torch.check'

local WIDTH = 80      -- columns of the report

local function plural(n, noun) return ('%d %s%s'):format(n, noun, n == 1 and '' or 's') end

local function total(...)
  local sum = 0
  for _, counts in ipairs { ... } do
    for _, n in pairs(counts) do sum = sum + n end
  end
  return sum
end

local function count(self) self.countasserts = total(self.assertionPass, self.assertionFail) end

local Tester = {}

--- Returns the tests with these names, or with names that match these Lua patterns; by default all.
-- @tparam[opt] string|{string,...} names
-- @treturn {[string]=function}
-- @raise if a name matches no test
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

-- Sorts names of tests in the order in which they were added; tests that were added otherwise follow.
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

--- Runs tests, and prints a line each with PASS, FAIL (an assertion did not hold), ERROR (an error was raised) or SKIP.
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
-- @raise after the report, if any test failed; if a name matches no test
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

return Tester
