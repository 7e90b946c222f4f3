--- torch.TestSuite: a table that takes test functions, each name once.
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

--- Makes a suite.
function suite.new() return setmetatable({ __tests = {}, __names = {}, __isTorchTestSuite = true }, Suite) end

--- Whether x is a suite.
function suite.is(x) return type(x) == 'table' and getmetatable(x) == Suite end

--- The tests of a suite in the order of their definition, or of a plain table in the order of their names.
-- @treturn {string,...} names
-- @treturn {[string]=function} tests
function suite.tests(x)
  if suite.is(x) then return rawget(x, '__names'), rawget(x, '__tests') end
  local names = {}
  for name in pairs(x) do table.insert(names, name) end
  table.sort(names, function(a, b) return tostring(a) < tostring(b) end)
  return names, x
end

return suite
