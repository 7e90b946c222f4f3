--- torch.Tester: runs test functions, which use its assertions, and reports.
-- Packages (totem) derive classes from it and override its methods with an underscore; these and its fields have Torch7's names.
-- @classmod torch.Tester
-- @usage local tester = torch.Tester()
-- local suite = torch.TestSuite()
-- function suite.sum() tester:eq(torch.ones(3):sum(), 3) end
-- tester:add(suite):run()
local torch, class = require 'torch', require 'torch.class'
local suites = require 'torch.tester.suite'

local Tester = class.class('torch.Tester', torch)

for _, part in ipairs { 'conditions', 'equalities', 'errors', 'outcomes', 'run' } do
  for name, method in pairs(require('torch.tester.' .. part)) do Tester[name] = method end
end

--- Fields: `tests`, `disabledTests`, `assertionPass`, `assertionFail`, `testError` (0 or 1) and `_warningCount` by name of the test;
-- `errors` and `warnings`, texts; `countasserts`, after a run; `_currentTestName`, '' outside of tests.
function Tester:__init()
  self.tests, self.disabledTests, self.errors, self.warnings = {}, {}, {}, {}
  self.assertionPass, self.assertionFail, self.testError, self._warningCount = {}, {}, {}, {}
  self.countasserts = 0
  self._currentTestName = ''
  self._assertTensorEqIgnoresDims = true
  self.earlyAbort, self.rethrow, self.summaryOnly = false, false, false
  self._names, self._standing, self._ran = {}, {}, {}      -- names of tests, in order; warnings outside of tests; tests that ran
end

--- Sets whether to stop at the first test that fails.
function Tester:setEarlyAbort(flag) self.earlyAbort = flag end

--- Sets whether failures and errors are raised immediately.
function Tester:setRethrowErrors(flag) self.rethrow = flag end

--- Sets whether the report only lists the tests that failed, without reasons.
function Tester:setSummaryOnly(flag) self.summaryOnly = flag end

local function addTest(self, name, test)
  if type(test) == 'table' then error('Nested sets of tests are not supported', 4) end
  if type(test) ~= 'function' then error('Only functions are supported as members of a TestSuite', 4) end
  if name == '_setUp' or name == '_tearDown' then
    if self[name] then error(('Only one %s function allowed'):format(name == '_setUp' and 'set-up' or 'tear-down'), 4) end
    self[name] = test
    return
  end
  if self.tests[name] then error(('Test with name %s already exists!'):format(tostring(name)), 4) end
  self.tests[name] = test
  self.assertionPass[name], self.assertionFail[name], self.testError[name], self._warningCount[name] = 0, 0, 0, 0
  table.insert(self._names, name)
end

--- Adds a test, or all tests of a suite. Functions named _setUp and _tearDown are called around every test, with its name.
-- @tparam function|table test a function, a torch.TestSuite, or, with a warning, a plain table of functions
-- @string[opt='unknown'] name of a function
-- @treturn torch.Tester self
-- @raise if a name is taken
function Tester:add(test, name)
  if type(test) == 'function' then
    addTest(self, name or 'unknown', test)
  elseif type(test) == 'table' then
    if name ~= nil then error('Name parameter is forbidden for a table of tests, since its use is ambiguous', 2) end
    if not suites.is(test) then
      self:_warning('Should use TestSuite rather than plain lua table: a torch.TestSuite refuses names that are taken')
    end
    local names, tests = suites.tests(test)
    for _, testName in ipairs(names) do addTest(self, testName, tests[testName]) end
  else
    error(('add: test: %s, expected a function or a torch.TestSuite'):format(class.type(test)), 2)
  end
  return self
end

--- Excludes tests from later runs.
-- @tparam string|{string,...} names
-- @treturn torch.Tester self
-- @raise if there is no such test
function Tester:disable(names)
  for _, name in ipairs(type(names) == 'table' and names or { names }) do
    if not self.tests[name] then error(("Couldn't find test '%s'"):format(tostring(name)), 2) end
    self.disabledTests[name] = true
  end
  return self
end

return { Tester = torch.Tester, TestSuite = suites.new }
