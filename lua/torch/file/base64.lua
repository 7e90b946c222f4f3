--- Base64 (RFC 4648): bytes as text.
-- @module torch.file.base64
local digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

--- Encodes bytes.
-- @string bytes
-- @treturn string
local function base64(bytes)
  local pieces = {}
  for i = 1, #bytes, 3 do
    local a, b, c = bytes:byte(i, i + 2)
    local value = a * 65536 + (b or 0) * 256 + (c or 0)
    local text = ''
    for k = 3, 0, -1 do
      local digit = math.floor(value / 64 ^ k) % 64 + 1
      text = text .. digits:sub(digit, digit)
    end
    pieces[#pieces + 1] = c and text or b and text:sub(1, 3) .. '=' or text:sub(1, 2) .. '=='
  end
  return table.concat(pieces)
end

return base64
