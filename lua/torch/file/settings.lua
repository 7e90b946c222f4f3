--- Settings of files: encoding, spacing, and the handling of errors, functions and shared objects.
-- @module torch.file.settings
local open = require('torch.file.access').open
local ascii, binary = require 'torch.file.ascii', require 'torch.file.binary'

local File = {}

--- Sets whether functions in this file may be loaded: they are code of its author.
function File:allowFunctions(allowed)
  self._functions = allowed
  return self
end

--- Sets whether an object that occurs twice is written once (the default).
function File:referenced(flag)
  open(self)
  self._referenced = flag
  return self
end

--- Returns whether an object that occurs twice is written once.
function File:isReferenced() return self._referenced end

--- Sets whether modules are written without tensors that forward and backward compute again, as in torch.save (default for other files:
-- false).
function File:lean(flag)
  open(self)
  self._lean = flag
  return self
end

--- Returns whether modules are written without these tensors.
function File:isLean() return self._lean or false end

--- Writes and reads numbers as raw bytes from now on.
function File:binary()
  self._encoding = binary
  return self
end

--- Writes and reads numbers as text from now on (the default).
function File:ascii()
  self._encoding = ascii
  return self
end

--- Writes separators between numbers in ascii (the default).
function File:autoSpacing()
  self._autoSpacing = true
  return self
end

--- Writes no separators in ascii.
function File:noAutoSpacing()
  self._autoSpacing = false
  return self
end

--- Records errors (`hasError`) instead of raising them.
function File:quiet()
  self._quiet = true
  return self
end

--- Raises errors (the default).
function File:pedantic()
  self._quiet = false
  return self
end

--- Clears the record of an error.
function File:clearError()
  self._failed = false
  return self
end

--- Returns whether an error happened since the last clearError.
function File:hasError() return self._failed end

--- Returns whether errors are recorded instead of raised.
function File:isQuiet() return self._quiet end

--- Returns whether numbers are raw bytes.
function File:isBinary() return self._encoding == binary end

--- Returns whether ascii numbers are separated.
function File:isAutoSpacing() return self._autoSpacing end

--- Sets the bytes of a long on disk: 4, 8, or 0 for the native 8.
function File:longSize(size)
  size = tonumber(size) or size
  if size ~= 0 and size ~= 4 and size ~= 8 then error('Invalid long size specified: ' .. tostring(size) .. ', expected 0, 4 or 8', 3) end
  self._longSize = size == 0 and 8 or size
  return self
end

return File
