--- Files of data sets: loading, downloading and unpacking. Nothing is downloaded unless a program passes an address.
-- @module dataload.fetch
local torch = require 'torch'
local check = require 'torch.check'
local paths, quoted = require 'paths', require 'torch.shell_word'

local fetch = {}

-- Runs a command; if it fails, its last line of output is the error.
local function run(where, command)
  local pipe = io.popen(command .. ' 2>&1; echo "status $?"')
  local said = pipe:read '*a'
  pipe:close()
  local text, status = said:match '^(.-)%s*status (%d+)%s*$'
  check.that(status == '0', ('%s: %s: %s'):format(where, command, text and text:match '[^\n]*$' or said))
end

-- The first installed program, or an error with their names.
local function programAmong(where, names)
  for _, name in ipairs(names) do
    if paths.findprogram(name) then return name end
  end
  check.raise(('%s: neither of the programs %s is installed'):format(where, table.concat(names, ', ')))
end

--- Loads an object that `torch.save` wrote, as text or binary.
-- @string path
function fetch.load(path)
  path = check.name('dataload.load', 'path', path)
  check.that(paths.filep(path), ('dataload.load: %s: No such file'):format(path))
  local good, object = pcall(torch.load, path, 'ascii')
  if good then return object end
  return torch.load(path, 'binary')
end

--- Downloads a file with curl or wget, unless it exists.
-- @string folder destination, created if necessary
-- @string url
-- @string[opt] existfile path of the unpacked file; nothing is done if it exists
-- @treturn string the file
-- @raise if neither program is installed, or it fails
function fetch.downloadfile(folder, url, existfile)
  local where = 'dataload.downloadfile'
  folder, url = check.name(where, 'folder', folder), check.name(where, 'url', url)
  local target = paths.concat(folder, paths.basename(url))
  if existfile and paths.filep(existfile) or paths.filep(target) then return target end
  if not paths.dirp(folder) then check.that(paths.mkdir(folder), ('%s: %s: the folder can not be made'):format(where, folder)) end
  local part = target .. '.part'
  local program = programAmong(where, { 'curl', 'wget' })
  local format = program == 'curl' and 'curl -fsSL -o %s -- %s' or 'wget -q -O %s -- %s'
  local good, message = pcall(run, where, format:format(quoted(part), quoted(url)))
  if not good then
    os.remove(part)
    error(message, 0)
  end
  os.rename(part, target)
  return target
end

local unpackers = {
  { '%.tar%.gz$', 'tar -xzf %s -C %s' }, { '%.tgz$', 'tar -xzf %s -C %s' }, { '%.tar$', 'tar -xf %s -C %s' },
  { '%.zip$', 'unzip -o -q %s -d %s' }, { '%.gz$', 'gzip -d -k -f %s' },
}

--- Unpacks an archive (.tar, .tar.gz, .tgz, .zip, .gz) with the system's programs.
-- @string folder destination
-- @string archive a file, also searched in the folder
-- @string[opt] existfile nothing is done if this file exists
function fetch.decompressfile(folder, archive, existfile)
  local where = 'dataload.decompressfile'
  folder, archive = check.name(where, 'folder', folder), check.name(where, 'archive', archive)
  if existfile and paths.filep(existfile) then return end
  if not paths.filep(archive) then archive = paths.concat(folder, archive) end
  check.that(paths.filep(archive), ('%s: %s: No such file'):format(where, archive))
  for _, each in ipairs(unpackers) do
    if archive:find(each[1]) then
      programAmong(where, { each[2]:match '^%w+' })
      return run(where, each[2]:format(quoted(archive), quoted(folder)))
    end
  end
  check.raise(('%s: archive: %s, expected .tar, .tar.gz, .tgz, .zip or .gz'):format(where, archive))
end

--- Unpacks a tar archive, with any compression that tar supports.
-- @string archive a file
-- @string folder destination, created if necessary
function fetch.untar(archive, folder)
  local where = 'dataload.untar'
  archive, folder = check.name(where, 'archive', archive), check.name(where, 'folder', folder)
  check.that(paths.filep(archive), ('%s: %s: No such file'):format(where, archive))
  if not paths.dirp(folder) then check.that(paths.mkdir(folder), ('%s: %s: the folder can not be made'):format(where, folder)) end
  programAmong(where, { 'tar' })
  run(where, ('tar -xf %s -C %s'):format(quoted(archive), quoted(folder)))
end

--- The files of a data set in a folder; missing files are downloaded if a program passes an address.
-- @string where
-- @string folder
-- @tparam {string,...} names of the required files
-- @tparam ?string url of an archive, or of the folder with the files
-- @treturn {string,...} paths
function fetch.files(where, folder, names, url)
  local found = {}
  for i, name in ipairs(names) do
    local path = paths.concat(folder, name)
    if not paths.filep(path) and url then
      if url:find '%.zip$' or url:find '%.t?a?r?%.?gz$' then
        fetch.decompressfile(folder, fetch.downloadfile(folder, url))
      else
        fetch.downloadfile(folder, url:gsub('/$', '') .. '/' .. name)
      end
    end
    check.that(paths.filep(path), ('%s: %s is not in %s; put it there, or give srcurl, from where it is fetched'):format(where, name,
      folder))
    found[i] = path
  end
  return found
end

return fetch
