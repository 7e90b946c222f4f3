--- For Neovim: the file type of a buffer by its content, from Google's model Magika (the file magika.onnx of its package on PyPI).
--
--     vim.opt.runtimepath:append '.../examples/hosts/nvim'; package.path = '.../lua/?.lua;.../lua/?/init.lua;' .. package.path
--     require 'content_type'.setup { model = '.../magika.onnx' }
--
-- Buffers whose name says no type get one when they are read. Torch and the model are loaded by the first of them.
local vim = vim      -- luacheck: ignore 113

local contentType = {}

-- Names of Vim's file types by the number of a type of Magika's, from 0. Other types are none of a text that Vim knows.
local types = {
  [17] = 'c', [22] = 'cmake', [26] = 'cpp', [31] = 'css', [61] = 'go', [71] = 'html', [81] = 'java', [83] = 'javascript', [87] = 'json',
  [95] = 'lua', [100] = 'markdown', [130] = 'perl', [143] = 'python', [156] = 'rust', [161] = 'sh', [165] = 'sql', [209] = 'yaml',
}

local BLOCK, PART, PADDING = 4096, 1024, 256      -- bytes that count at both ends, of which these are inputs; a place without a byte

local options, model, input

local function load()
  local torch = require 'torch'
  torch.setnumthreads(1)
  model, input = require 'onnx'.load(options.model), torch.IntTensor(1, 2 * PART)
end

-- Writes the model's input: the first bytes behind blanks, and the last ones before blanks.
local function describe(text)
  local first = text:sub(1, BLOCK):gsub('^%s+', ''):sub(1, PART)
  local last = text:sub(-BLOCK):gsub('%s+$', ''):sub(-PART)
  local x = input:fill(PADDING)[1]
  for i = 1, #first do x[i] = first:byte(i) end
  for i = 1, #last do x[2 * PART - #last + i] = last:byte(i) end
end

--- The file type of a text.
-- @string text
-- @treturn ?string Vim's name, or nil where the model is not sure enough, or knows no such type
function contentType.of(text)
  if not text:find '%S' then return nil end
  if not model then load() end
  describe(text)
  local share, class = model:run(input):view(-1):max(1)
  return share[1] >= options.least and types[class[1] - 1] or nil
end

--- The file type of a buffer, by its first and last lines.
-- @int buffer
-- @treturn ?string
function contentType.ofBuffer(buffer)
  local count, most = vim.api.nvim_buf_line_count(buffer), BLOCK      -- as many lines as bytes suffice
  local lines = vim.api.nvim_buf_get_lines(buffer, 0, math.min(count, most), false)
  if count > most then vim.list_extend(lines, vim.api.nvim_buf_get_lines(buffer, math.max(most, count - most), count, false)) end
  return contentType.of(table.concat(lines, '\n'))
end

--- Sets the file type of buffers whose name says none.
-- @tparam table given `model`, the path of magika.onnx; `least`, the least probability of a type, 0.5 by default
function contentType.setup(given)
  options, model = { model = given.model, least = given.least or 0.5 }, nil
  vim.api.nvim_create_autocmd('BufReadPost', {
    desc = 'the file type by the content',
    callback = function(event)
      local named = vim.bo[event.buf].filetype
      if named ~= '' and named ~= 'conf' then return end      -- conf is Vim's guess for any text with lines that begin with #
      local found = contentType.ofBuffer(event.buf)
      if found then vim.bo[event.buf].filetype = found end
    end,
  })
end

return contentType
