--- Downloads a file with the program curl: what is there of it stays, and the next download goes on there.
-- @module hub.download
local paths, quoted = require 'paths', require 'torch.shell_word'

local download = {}

-- Codes of curl: the server has no ranges, or an error of HTTP, such as a range behind the end.
local noRanges, httpError = '33', '22'

local function sizeOf(path)
  local file = io.open(path, 'rb')
  local size = file and file:seek 'end'
  if file then file:close() end
  return size
end

local function readAll(path)
  local file = io.open(path, 'rb')
  local text = file and file:read '*a'
  if file then file:close() end
  return text
end

-- Returns what identifies the version of the file that a download began with: a strong ETag, or the date of the last change.
local function versionOf(head)
  local text = '\n' .. (readAll(head) or ''):gsub('\r', '')
  local last
  for answer in text:gmatch '\nHTTP/[%d.]+ (2.-)\n\n' do last = answer end
  local etag = last and last:match '\n[Ee][Tt][Aa][Gg]: *("[%w%p ]*")'
  return etag or last and last:match '\n[Ll][Aa][Ss][Tt]%-[Mm][Oo][Dd][Ii][Ff][Ii][Ee][Dd]: *([%w ,:]+)'
end

-- Runs curl; returns its code and what it said. Neither redirections nor addresses leave http and https.
local function curl(url, part, head, version)
  local command = { "curl -fsSL --globoff --proto '=http,https' --proto-redir '=http,https' -o " .. quoted(part) }
  if version then
    command[#command + 1] = '-C - -H ' .. quoted('If-Range: ' .. version)
  else
    command[#command + 1] = '-D ' .. quoted(head)
  end
  command[#command + 1] = '--url ' .. quoted(url)
  local pipe = io.popen(table.concat(command, ' ') .. ' 2>&1; echo " status $?"')
  local said = pipe:read '*a'
  pipe:close()
  local text, status = said:match '^(.-)%s* status (%d+)%s*$'
  return status or 'unknown', (text or said):match '([^\n]*)$'
end

--- Returns the number of bytes of a file; nil if it can't be opened.
-- @function download.sizeOf
download.sizeOf = sizeOf

--- Downloads an address to a file.
-- @string url of http or https
-- @string part the file; if it exists, the download goes on behind it, provided that the server still has the same version
-- @treturn int bytes that were there before
-- @raise if curl is not installed, or can't fetch the address; what came stays in the file
function download.get(url, part)
  if not paths.findprogram 'curl' then
    error('the program curl is not installed, which fetches addresses (Debian and Ubuntu: apt-get install curl)', 0)
  end
  local head = part .. '.head'
  local before = sizeOf(part) or 0
  local version = before > 0 and versionOf(head)
  if not version then
    os.remove(part)
    before = 0
  end
  local status, words = curl(url, part, head, version)
  if version and (status == noRanges or status == httpError) then      -- another version, or no ranges: from the start
    os.remove(part)
    before = 0
    status, words = curl(url, part, head)
  end
  if status == '0' then
    os.remove(head)
    if not sizeOf(part) then assert(io.open(part, 'wb')):close() end      -- curl writes no empty files
    return before
  end
  local size = sizeOf(part)
  local goesOn = size and versionOf(head) and (', after %.0f bytes, with which the next download goes on'):format(size) or ''
  error(('curl: %s (status %s)%s'):format(words:gsub('^curl: ', ''), status, goesOn), 0)
end

return download
