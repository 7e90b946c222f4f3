--- Regular expressions of tokenizer.json, by the library PCRE2, in its Unicode mode.
-- @module text.regex
local ffi = require 'ffi'
local library = require 'torch.library'

local regex = {}

local utf, ucp, unchecked, noJit = 0x00080000, 0x00020000, 0x40000000, 0x00002000
local noMatch, jitStackFull = -1, -46

local opened_

local function opened()
  if opened_ then return opened_ end
  local found = library.system('pcre2', 'text')
  ffi.cdef [[
    typedef struct mt_pcre2_code mt_pcre2_code;
    typedef struct mt_pcre2_match mt_pcre2_match;
    mt_pcre2_code *pcre2_compile_8(const char *pattern, size_t length, uint32_t options, int *error, size_t *place, void *context);
    void pcre2_code_free_8(mt_pcre2_code *code);
    int pcre2_jit_compile_8(mt_pcre2_code *code, uint32_t options);
    mt_pcre2_match *pcre2_match_data_create_8(uint32_t pairs, void *context);
    void pcre2_match_data_free_8(mt_pcre2_match *data);
    int pcre2_match_8(const mt_pcre2_code *code, const char *text, size_t length, size_t start, uint32_t options, mt_pcre2_match *data,
                      void *context);
    size_t *pcre2_get_ovector_pointer_8(mt_pcre2_match *data);
    int pcre2_get_error_message_8(int error, char *text, size_t size);
  ]]
  opened_ = found
  return found
end

--- Returns whether the system has the library.
function regex.available() return (pcall(opened)) end

local function explained(lib, code)
  local text = ffi.new 'char[256]'
  lib.pcre2_get_error_message_8(code, text, 256)
  return ffi.string(text)
end

-- Code of a pattern; it is freed with the value.
local function compiled(lib, where, pattern)
  local failure, place = ffi.new 'int[1]', ffi.new 'size_t[1]'
  local code = lib.pcre2_compile_8(pattern, #pattern, utf + ucp, failure, place, nil)
  if code == nil then
    error(("%s: the pattern '%s': %s at byte %d"):format(where, pattern, explained(lib, failure[0]), tonumber(place[0]) + 1), 0)
  end
  lib.pcre2_jit_compile_8(code, 1)      -- without it matches take longer, which is no error
  return ffi.gc(code, lib.pcre2_code_free_8)
end

--- Returns a function (text) -> iterator of the first and the last byte of each match, from 1. An empty match has last = first - 1.
-- @string where the start of messages
-- @string pattern
-- @raise if the pattern isn't one
function regex.finder(where, pattern)
  local lib = opened()
  local code = compiled(lib, where, pattern)
  local data = ffi.gc(lib.pcre2_match_data_create_8(1, nil), lib.pcre2_match_data_free_8)
  local edges = lib.pcre2_get_ovector_pointer_8(data)

  local function match(text, place)
    local count = lib.pcre2_match_8(code, text, #text, place, unchecked, data, nil)
    if count == jitStackFull then count = lib.pcre2_match_8(code, text, #text, place, unchecked + noJit, data, nil) end
    if count == noMatch then return nil end
    if count < 0 then error(("%s: the pattern '%s': %s"):format(where, pattern, explained(lib, count)), 0) end
    return tonumber(edges[0]), tonumber(edges[1])
  end

  return function(text)
    local place = 0
    return function()
      if place > #text then return nil end
      local first, stop = match(text, place)
      if not first then
        place = #text + 1
        return nil
      end
      place = stop
      if stop == first then
        place = place + 1
        while place < #text and text:byte(place + 1) >= 0x80 and text:byte(place + 1) < 0xc0 do place = place + 1 end
      end
      return first + 1, stop
    end
  end
end

return regex
