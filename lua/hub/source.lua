--- Sources of files: files, folders and addresses.
-- @module hub.source
local torch, check = require 'torch', require 'torch.check'
local paths = require 'paths'
local cache, checksum, download = require 'hub.cache', require 'hub.checksum', require 'hub.download'

local source = {}

-- Files of a folder that stand for it, the best first.
local preferred = {
  '^model%.safetensors$', '^model%.safetensors%.index%.json$', '%.safetensors$', '^pytorch_model%.bin$', '%.pth$', '%.pt$', '%.t7$',
  '%.keras$', '%.h5$',
}

local units = { { 1e9, 'GB' }, { 1e6, 'MB' }, { 1e3, 'kB' }, { 1, 'bytes' } }

local function sizeText(bytes)
  for _, unit in ipairs(units) do
    if bytes >= unit[1] then return (unit[1] == 1 and '%d %s' or '%.1f %s'):format(bytes / unit[1], unit[2]) end
  end
  return '0 bytes'
end

local function isAddress(text) return text:find '^%a[%w+.-]*://' ~= nil end

local function checkAddress(where, url)
  if not url:find '^[Hh][Tt][Tt][Pp][Ss]?://[^/]' then
    check.raise(('%s: source: %s, expected an address of http or https'):format(where, url))
  end
  if url:find '[%c ]' then check.raise(('%s: source: an address with spaces or control characters, expected none'):format(where)) end
  return url
end

local function inFolder(where, folder)
  local names = paths.dir(folder) or {}
  table.sort(names)
  for _, pattern in ipairs(preferred) do
    local found = {}
    for _, name in ipairs(names) do
      if name:find(pattern) then found[#found + 1] = name end
    end
    if #found == 1 then return paths.concat(folder, found[1]) end
    if #found > 1 then
      check.raise(('%s: source: %s has %s, expected one of them as the source'):format(where, folder, table.concat(found, ', ')))
    end
  end
  check.raise(('%s: source: %s has no file of a network (.safetensors, .bin, .pth, .pt, .t7, .keras, .h5)'):format(where, folder))
end

-- Raises an error if a file has another checksum.
local function verify(where, path, name, expected)
  local actual = expected and checksum.sha256(path)
  if actual ~= expected then error(('%s: %s: sha256 %s, expected %s'):format(where, name, actual, expected), 0) end
end

local function tell(options, ...)
  if not options.quiet then io.stderr:write(('hub: ' .. (...)):format(select(2, ...)), '\n') end
end

local function fetchAddress(where, url, options, expected)
  local path = check.call(cache.pathOf, url)
  if download.sizeOf(path) then
    local good = not expected or checksum.sha256(path) == expected
    if good and not options.fresh then return path end
    os.remove(path)
  end
  local folder = paths.dirname(path)
  if not paths.dirp(folder) and not paths.mkdir(folder) then
    check.raise(('%s: %s: the folder can not be made'):format(where, folder))
  end
  local part = path .. '.part'
  tell(options, 'fetching %s', url)
  local good, before = pcall(download.get, url, part)
  if not good then check.raise(('%s: %s: %s'):format(where, url, before)) end
  local verified, problem = pcall(verify, where, part, url, expected)
  if not verified then
    os.remove(part)
    check.raise(problem .. '; the file was not kept')
  end
  os.rename(part, path)
  tell(options, '%s in %s%s', sizeText(download.sizeOf(path)), path, before > 0 and (' (%s were there)'):format(sizeText(before)) or '')
  return path
end

local optionNames = { 'sha256', 'fresh', 'quiet' }

local function fetch(where, from, options)
  from = check.name(where, 'source', from)
  local expected = options.sha256 ~= nil and checksum.expected(where, options.sha256) or nil
  check.flag(where, 'fresh', options.fresh)
  check.flag(where, 'quiet', options.quiet)
  if isAddress(from) then return fetchAddress(where, checkAddress(where, from), options, expected) end
  local path = paths.dirp(from) and inFolder(where, from) or from
  if not paths.filep(path) then check.raise(('%s: source: %s, expected a file, a folder or an address'):format(where, from)) end
  check.call(verify, where, path, path, expected)
  return path
end

--- Returns the file of a source. What an address has is fetched once, by curl, into the folder `hub.cache()`; where from and how much is
-- written to the standard error. An interrupted download goes on at the next call, if the server still has the same file.
-- @function hub.fetch
-- @string source a file; a folder with one file of a network; or an address of http or https
-- @tparam[opt] table options `sha256`: 64 hexadecimal digits, which the file must have, else it is not kept; `fresh` (false): fetches what
-- is there already; `quiet` (false): writes nothing
-- @treturn string path of the file
-- @raise if there is no such file, curl can't fetch it or is not installed, or the checksum differs
-- @usage local name = hub.fetch('https://download.pytorch.org/models/resnet18-f37072fd.pth')
function source.fetch(from, options)
  return fetch('hub.fetch', from, check.options('hub.fetch', options, optionNames))
end

-- Endings of files, and what reads them.
local readers = {
  { '%.safetensors$', function(path) return (torch.safetensors.load(path)) end },
  { '%.safetensors%.index%.json$', function(path) return (torch.safetensors.load(path)) end },
  { '%.npz$', function(path) return (torch.npz.load(path)) end }, { '%.npy$', function(path) return torch.npy.load(path) end },
  { '%.keras$', function(path) return require 'keras'.load(path) end }, { '%.h5$', function(path) return require 'keras'.load(path) end },
  { '%.t7$', function(path) return torch.load(path) end },
}

--- Loads the file of a source by its ending: .safetensors, .npz, .npy, .keras, .h5 and .t7; all others as files of PyTorch. Functions in
-- files are refused.
-- @function hub.load
-- @string source as for `hub.fetch`
-- @tparam[opt] table options as for `hub.fetch`
-- @return what the reader returns: tensors by name, or an object
-- @raise as `hub.fetch`, or if the file is damaged
-- @usage net:loadStateDict(hub.load 'net.safetensors')
function source.load(from, options)
  local path = fetch('hub.load', from, check.options('hub.load', options, optionNames))
  for _, reader in ipairs(readers) do
    if path:find(reader[1]) then return check.call(reader[2], path) end
  end
  return (check.call(torch.pt.load, path))
end

return source
