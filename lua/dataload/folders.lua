--- Folders of data sets and of saved files, which are created on first use.
-- @module dataload.folders
local paths = require 'paths'

local folders = {}

local function made(folder)
  if not paths.dirp(folder) then paths.mkdir(folder) end
  return folder
end

--- $TORCH_DATA_PATH, or the home folder.
folders.TORCH_PATH = os.getenv 'TORCH_DATA_PATH' or paths.home

--- $DEEP_DATA_PATH, or `data` in TORCH_PATH.
folders.DATA_PATH = made(os.getenv 'DEEP_DATA_PATH' or paths.concat(folders.TORCH_PATH, 'data'))

--- $DEEP_SAVE_PATH, or `save` in TORCH_PATH.
folders.SAVE_PATH = made(os.getenv 'DEEP_SAVE_PATH' or paths.concat(folders.TORCH_PATH, 'save'))

return folders
