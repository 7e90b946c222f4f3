--- Methods of files that say how they read and write: encoding, spacing, what becomes of errors, functions and shared objects.
-- @module torch.file.settings
local open = require('torch.file.access').open
local ascii, binary = require 'torch.file.ascii', require 'torch.file.binary'

local File = {}

--- Whether functions in this file may be loaded: they are code of whoever wrote it.
function File:allowFunctions(allowed)
  self._functions = allowed
  return self
end

--- Whether an object met twice is written once (the default).
function File:referenced(flag)
  open(self)
  self._referenced = flag
  return self
end

--- Whether an object met twice is written once.
function File:isReferenced() return self._referenced end

--- Whether modules leave out what forward and backward make again, as torch.save has it (false in other files).
function File:lean(flag)
  open(self)
  self._lean = flag
  return self
end

--- Whether modules leave out what forward makes again.
function File:isLean() return self._lean or false end

--- Numbers as raw bytes from now on.
function File:binary()
  self._encoding = binary
  return self
end

--- Numbers as text from now on (the default).
function File:ascii()
  self._encoding = ascii
  return self
end

--- Separators between numbers in ascii (the default).
function File:autoSpacing()
  self._autoSpacing = true
  return self
end

--- No separators in ascii.
function File:noAutoSpacing()
  self._autoSpacing = false
  return self
end

--- Errors are remembered (`hasError`), not raised.
function File:quiet()
  self._quiet = true
  return self
end

--- Errors are raised (the default).
function File:pedantic()
  self._quiet = false
  return self
end

--- Forgets that an error happened.
function File:clearError()
  self._failed = false
  return self
end

--- Whether an error happened since the last clearError.
function File:hasError() return self._failed end

--- Whether errors are remembered, not raised.
function File:isQuiet() return self._quiet end

--- Whether numbers are raw bytes.
function File:isBinary() return self._encoding == binary end

--- Whether ascii numbers are separated.
function File:isAutoSpacing() return self._autoSpacing end

--- Bytes of a long on disk: 4, 8, or 0 for the native 8.
function File:longSize(size)
  size = tonumber(size) or size
  if size ~= 0 and size ~= 4 and size ~= 8 then error('Invalid long size specified: ' .. tostring(size) .. ', expected 0, 4 or 8', 3) end
  self._longSize = size == 0 and 8 or size
  return self
end

return File
