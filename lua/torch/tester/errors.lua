--- The assertions of torch.Tester about errors that a function raises.
-- @module torch.tester.errors
local check = require 'torch.check'
local arguments = require 'torch.tester.arguments'

local expectNoMore, join = arguments.expectNoMore, arguments.join

local Tester = {}

-- Returns whether f raises an error that a function accepts.
local function raises(self, expected, f, accept, message)
  local succeeded, err = pcall(f)
  local held = not succeeded and accept(err) == true
  local actual = succeeded and 'no error' or tostring(err)
  return self:_assert_sub(held, join(message, ('ERROR violation: expected %s, but got: %s'):format(expected, actual)))
end

--- Asserts that f raises an error.
function Tester:assertError(f, message, ...)
  expectNoMore(...)
  return raises(self, 'an error', f, function() return true end, message)
end

--- Asserts that f raises no error.
function Tester:assertNoError(f, message, ...)
  expectNoMore(...)
  local held, err = pcall(f)
  return self:_assert_sub(held, not held and join(message, 'ERROR violation: expected no error, but got: ' .. tostring(err)) or '')
end

--- Asserts that f raises an error that equals a value.
function Tester:assertErrorMsg(f, expected, message, ...)
  expectNoMore(...)
  return raises(self, 'an error equal to ' .. tostring(expected), f, function(err) return err == expected end, message)
end

--- Asserts that f raises an error whose text matches a Lua pattern.
function Tester:assertErrorPattern(f, pattern, message, ...)
  expectNoMore(...)
  check.text('assertErrorPattern', 'pattern', pattern)
  local function matches(err) return tostring(err):find(pattern) ~= nil end
  return raises(self, 'an error that matches ' .. tostring(pattern), f, matches, message)
end

--- Asserts that f raises an error that a function accepts.
-- @tparam function f
-- @tparam function accept
-- @string[opt] message
function Tester:assertErrorObj(f, accept, message, ...)
  expectNoMore(...)
  check.callable('assertErrorObj', 'accept', accept)
  return raises(self, 'an error', f, accept, message)
end

return Tester
