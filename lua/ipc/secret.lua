--- Proofs that a process knows the secret: keyed digests (HMAC-SHA-256, RFC 2104) of what both ends have drawn, by libcrypto.
-- @module ipc.secret
local ffi = require 'ffi'

ffi.cdef [[
const void *mt_sha256(void) asm("EVP_sha256");
unsigned char *mt_hmac(const void *digest, const void *key, int keyLength, const unsigned char *data, size_t n, unsigned char *result,
  unsigned int *resultLength) asm("HMAC");
]]

local secret = { size = 32 }

--- Returns random bytes of the system.
-- @int n
-- @treturn string
function secret.random(n)
  local file = assert(io.open('/dev/urandom', 'rb'))
  file:setvbuf 'no'
  local bytes = file:read(n)
  file:close()
  return bytes
end

--- Returns the proof for a text.
-- @string key the secret
-- @string text
-- @treturn string 32 bytes
-- @raise if the system lacks libcrypto
function secret.proof(key, text)
  local crypto = require('torch.library').system('crypto', 'ipc: secret')
  local result, length = ffi.new('unsigned char[?]', secret.size), ffi.new 'unsigned int[1]'
  local done = crypto.mt_hmac(crypto.mt_sha256(), key, #key, text, #text, result, length)
  if done == nil or length[0] ~= secret.size then error('ipc: secret: the digest failed', 0) end
  return ffi.string(result, secret.size)
end

--- Compares two proofs in a time that does not depend on where they differ.
function secret.same(a, b)
  local difference = bit.bxor(#a, #b)
  for i = 1, math.min(#a, #b) do difference = bit.bor(difference, bit.bxor(a:byte(i), b:byte(i))) end
  return difference == 0
end

return secret
