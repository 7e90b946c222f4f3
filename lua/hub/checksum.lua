--- Checksums of files, by libcrypto.
-- @module hub.checksum
local ffi = require 'ffi'
local check, C = require 'torch.check', require 'libmoontorch'

ffi.cdef [[
const void *mt_hub_sha256(void) asm("EVP_sha256");
int mt_hub_digest(const void *data, size_t n, unsigned char *result, unsigned int *length, const void *digest, void *engine)
  asm("EVP_Digest");
]]

local checksum = {}
local size = 32

local function digest(path)
  local crypto = require('torch.library').system('crypto', 'hub.sha256')
  local file = io.open(path, 'rb')
  local bytes = file and file:seek 'end'
  if file then file:close() end
  if not bytes then error(('hub.sha256: cannot open %s'):format(path), 0) end
  local mapped = bytes > 0 and C.mapFile(path) or nil      -- an empty file can't be mapped
  local result, length = ffi.new('unsigned char[?]', size), ffi.new 'unsigned int[1]'
  local done = crypto.mt_hub_digest(mapped and mapped:data() or '', bytes, result, length, crypto.mt_hub_sha256(), nil)
  if done ~= 1 or length[0] ~= size then error('hub.sha256: the digest failed', 0) end
  return (ffi.string(result, size):gsub('.', function(c) return ('%02x'):format(c:byte()) end))
end

--- Returns the SHA-256 of a file, in 64 hexadecimal digits.
-- @function hub.sha256
-- @string path of the file
-- @treturn string
-- @raise if the file can't be read, or the system lacks libcrypto
-- @usage print(hub.sha256 'net.pth')
function checksum.sha256(path) return check.call(digest, check.name('hub.sha256', 'path', path)) end

--- Checks the text of a checksum.
-- @string where start of messages
-- @param text
-- @treturn string in lower case
function checksum.expected(where, text)
  if type(text) ~= 'string' or not text:find '^%x+$' or #text ~= 2 * size then
    check.raise(('%s: sha256: %s, expected 64 hexadecimal digits'):format(where, tostring(text)))
  end
  return text:lower()
end

return checksum
