--- Files of published networks: a file, a folder, or an address, which the program curl fetches into the user's cache. A download that was
-- interrupted goes on where it ended, and a checksum decides whether the file is kept. Nothing that was fetched runs as code.
-- @module hub
-- @usage local hub = require 'hub'
-- local state = hub.load('https://example.org/net.safetensors', { sha256 = '9f86d081884c7d65...' })
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
require 'torch'

local hub = {}
require 'torch.modules'.publish('hub', hub)

require 'torch.start.lazy_loader'(hub, [[
  hub.source: fetch load
  hub.cache: cache
  hub.checksum: sha256
]])

return hub
