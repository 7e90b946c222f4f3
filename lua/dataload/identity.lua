--- Names of hosts and of experiments.
-- @module dataload.identity
local check = require 'torch.check'
local ffi = require 'ffi'

local identity = {}

ffi.cdef 'int mt_getpid(void) asm("getpid");'

local count = 0

--- The name of this machine.
-- @treturn string
function identity.hostname()
  local _, name = require('paths').uname()
  return name
end

--- A name that no other call in any process returns: `namespace:seconds:number`.
-- @string[opt] namespace default: the machine's name
-- @string[opt=':'] separator
-- @treturn string
function identity.uniqueid(namespace, separator)
  local where = 'dataload.uniqueid'
  namespace = check.text(where, 'namespace', namespace or identity.hostname())
  separator = check.text(where, 'separator', separator or ':')
  count = count + 1
  return table.concat({ namespace, os.time(), ('%d%04d'):format(ffi.C.mt_getpid(), count) }, separator)
end

return identity
