--- Packages with modules that Moontorch does not contain: for the message of `require` about a missing module.
-- @module torch.start.other_packages

-- Modules by Debian package, and by rock.
local debian = {
  ['lua-posix'] = 'posix', ['lua-socket'] = 'socket mime ltn12', ['lua-filesystem'] = 'lfs', ['lua-cjson'] = 'cjson',
  ['lua-penlight'] = 'pl', ['lua-lpeg'] = 'lpeg re', ['lua-sec'] = 'ssl', ['lua-yaml'] = 'yaml', ['lua-zlib'] = 'zlib',
  ['lua-term'] = 'term',
}
local rocks = [[
  camera clnn cltorch dp dpnn fs graphicsmagick inn iterm lmdb logroll lzmq moses nnx qt=qtlua rnn torchx totem
  lua-utf8=luautf8 uuid
]]

local places

local function read()
  places = {}
  for package, names in pairs(debian) do
    for name in names:gmatch '%S+' do places[name] = ("Debian's package %s has it: apt install %s"):format(package, package) end
  end
  for entry in rocks:gmatch '%S+' do
    local name, rock = entry:match '^(.-)=(.*)$'
    places[name or entry] = ('the rock %s has it: luarocks install %s'):format(rock or entry, rock or entry)
  end
end

--- Tells which package contains a module.
-- @string name
-- @treturn ?string a line for the message of `require`
return function(name)
  if not places then read() end
  local place = places[name:match '^[^.]*']
  return place and ('\n\tmodule %s: %s'):format(name, place)
end
