--- torch.TestSuite: a table of test functions, which accepts each name once.
-- Its fields `__tests`, name -> function, and `__isTestSuite`, by which testers recognise suites, including those of other packages, are
-- Torch7's.
-- @usage local suite = torch.TestSuite()
-- function suite.addition() tester:eq(1 + 1, 2) end
-- @module torch.tester.suite
local suite = {}

local Suite = {}

function Suite.__index(self, name) return rawget(self, '__tests')[name] end

function Suite.__newindex(self, name, test)
  local tests = rawget(self, '__tests')
  if tests[name] ~= nil then error(('Test %s is already defined.'):format(tostring(name)), 2) end
  if type(test) == 'table' then error('Nested tables of tests are not supported', 2) end
  if type(test) ~= 'function' then error('Only functions are supported as members of a TestSuite', 2) end
  tests[name] = test
  table.insert(rawget(self, '__names'), name)
end

--- Creates a suite.
function suite.new() return setmetatable({ __tests = {}, __names = {}, __isTestSuite = true }, Suite) end

--- Returns whether x is a suite, Moontorch's or another package's.
function suite.is(x) return type(x) == 'table' and x.__isTestSuite == true end

--- Returns the tests of a suite in the order of their definition, or of a plain table or a foreign suite in the order of their names.
-- @treturn {string,...} names
-- @treturn {[string]=function} tests
function suite.tests(x)
  if getmetatable(x) == Suite then return rawget(x, '__names'), rawget(x, '__tests') end
  local tests, names = suite.is(x) and x.__tests or x, {}
  for name in pairs(tests) do table.insert(names, name) end
  table.sort(names, function(a, b) return tostring(a) < tostring(b) end)
  return names, tests
end

return suite
