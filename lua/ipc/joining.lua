--- How a connection begins. Both ends send a greeting: the protocol with its byte order, whether they have a secret, and 16 random bytes.
-- If they have one, the client then proves that it knows it, and the server does: neither proof serves for another connection. A process
-- without the secret is refused before any message of it is read. The messages themselves are neither encrypted nor signed.
-- @module ipc.joining
local ffi = require 'ffi'
local secret = require 'ipc.secret'

local joining = {}

local protocol = 'moontorch-ipc 1' .. (ffi.abi 'le' and 'l' or 'b')      -- 16 bytes
local drawn = 16

-- The number of bytes of a greeting, and of a proof.
joining.greetingSize, joining.proofSize = #protocol + 1 + drawn, secret.size

--- Returns a new greeting.
-- @tparam ?string key the secret
function joining.greeting(key) return protocol .. (key and 's' or '-') .. secret.random(drawn) end

--- Checks the other end's greeting.
-- @string theirs
-- @tparam ?string key the secret
-- @treturn ?string what is wrong
function joining.problem(theirs, key)
  if theirs:sub(1, #protocol) ~= protocol then return 'the other end is no process of this protocol, version and byte order' end
  local guarded = theirs:sub(#protocol + 1, #protocol + 1) == 's'
  if guarded and not key then return 'the other end asks for a secret' end
  if key and not guarded then return 'the other end has no secret' end
end

--- Returns the proof of one end.
-- @string key the secret
-- @string side 'client' or 'server': whose proof it is
-- @string clients the client's greeting
-- @string servers the server's greeting
function joining.proof(key, side, clients, servers) return secret.proof(key, side .. clients .. servers) end

joining.same = secret.same

--- Returns the secret of options, or of the environment: `MOONTORCH_IPC_SECRET`, for programs that know no options.
-- @tparam table options
-- @treturn ?string
function joining.secretOf(options)
  local key = options.secret or os.getenv 'MOONTORCH_IPC_SECRET'
  return key ~= '' and key or nil
end

return joining
