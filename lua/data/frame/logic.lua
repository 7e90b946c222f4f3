--- Three-valued logic in expressions of columns: a comparison with a missing value is missing, as are `not` of one and, unless the other
-- operand decides, `and` and `or` (Kleene 1938). A missing value is nil, or of numbers NaN; columns of texts have a flag.
-- `x == nil` and `x ~= x` are whether a column's value is missing, and `text == ''` is true if it is, too.
-- @module data.frame.logic
local logic = {}

-- What translated expressions call. It is compiled here, so that its messages have the place of an expression, which is cut off.
local source = [[
local held, floor, type, huge = {}, math.floor, type, math.huge
local _logic = {}
local function isMissing(a, b, flag) return flag or a ~= a or b ~= b or a == nil or b == nil end
function _logic.eq(a, b, flag) if isMissing(a, b, flag) then return nil end return a == b end
function _logic.ne(a, b, flag) if isMissing(a, b, flag) then return nil end return a ~= b end
function _logic.lt(a, b, flag) if isMissing(a, b, flag) then return nil end return a < b end
function _logic.le(a, b, flag) if isMissing(a, b, flag) then return nil end return a <= b end
function _logic.gt(a, b, flag) if isMissing(a, b, flag) then return nil end return a > b end
function _logic.ge(a, b, flag) if isMissing(a, b, flag) then return nil end return a >= b end
function _logic.negate(a, flag) if flag or a == nil or a ~= a then return nil end return not a end
function _logic.known(a, flag) if flag and type(a) == 'boolean' then return nil end return a end
function _logic.hold(place, a) held[place] = a return a end
function _logic.both(place, b)
  if held[place] ~= nil or b == false then return b end
  return nil
end
function _logic.either(place, b)
  if held[place] == nil and b == false then return nil end
  return b
end
-- The order of an integer of 64 bits and any number: -1, 0 or 1; nil if the number is missing.
local function order(a, b)
  if type(b) == 'number' then
    if b ~= b then return nil end
    if b >= 2 ^ 63 then return -1 elseif b < -2 ^ 63 then return 1 end
    local low = floor(b)
    if low ~= b then
      if a <= low + 0LL then return -1 end
      return 1
    end
    b = low + 0LL
  end
  if b == nil then return nil end
  if a < b then return -1 elseif a == b then return 0 end
  return 1
end
function _logic.order(a, b)
  if type(a) == 'number' then
    local reverse = order(b, a)
    return reverse and -reverse
  end
  if a == nil then return nil end
  return order(a, b)
end
return _logic
]]

--- The functions that translated expressions call, by `_logic`.
-- @treturn table
function logic.functions() return assert(loadstring(source, '=expression'))() end

local comparisons = { ['=='] = 'eq', ['~='] = 'ne', ['<'] = 'lt', ['<='] = 'le', ['>'] = 'gt', ['>='] = 'ge' }
local closing = { ['('] = ')', ['['] = ']', ['{'] = '}' }
local isEmpty = { ["''"] = true, ['""'] = true }
local separators = { [','] = true, [';'] = true, ['='] = true }

--- The tokens of an expression.
-- @string text
-- @treturn ?{table,...} `kind` ('value', 'name' or 'sign') and `text` of each; nil if it has comments, functions or other text
function logic.tokens(text)
  local tokens, at = {}, 1
  while true do
    at = text:match('^%s*()', at)
    if at > #text then return tokens end
    local quote, long = text:match('^["\']', at), text:match('^%[(=*)%[', at)
    local kind, last
    if quote then
      last = at
      repeat
        last = text:find('[' .. quote .. '\\]', last + 1)
        local isEscape = last and text:sub(last, last) == '\\'
        if isEscape then last = last + 1 end
      until not last or not isEscape
      kind = 'value'
    elseif long then
      kind, last = 'value', select(2, text:find(']' .. long .. ']', at, true))
    elseif text:find('^%.?%d', at) then
      kind, last = 'value', select(2, text:find('^[%w%.]+', at))
      if text:sub(last, last):find '[eEpP]' and text:find('^[+-]%d', last + 1) then last = select(2, text:find('^[+-]%d+', last + 1)) end
    elseif text:find('^[%a_]', at) then
      kind, last = 'name', select(2, text:find('^[%w_]+', at))
    elseif text:find('^%-%-', at) then
      return nil
    else
      kind, last = 'sign', select(2, text:find('^[=~<>]=', at)) or select(2, text:find('^%.%.%.?', at)) or at
    end
    if not last then return nil end
    local word = text:sub(at, last)
    if word == 'function' then return nil end
    if kind == 'name' and (word == 'and' or word == 'or' or word == 'not') then kind = 'sign' end
    tokens[#tokens + 1] = { kind = kind, text = word }
    at = last + 1
  end
end

local function merge(a, b)
  local all = {}
  for name in pairs(a) do all[name] = true end
  for name in pairs(b) do all[name] = true end
  return all
end

--- Translates an expression.
-- @string text of Lua
-- @tparam table columns by name: `flag`, the source of whether a text is missing, or nil; `missing`, the source of whether the value is;
-- `exact`, the source of an integer of 64 bits that may have no equal double; `isBoolean`
-- @bool isCondition whether false and a missing value are the same
-- @treturn string text itself if it has functions, comments or errors
function logic.translate(text, columns, isCondition)
  local tokens = logic.tokens(text)
  if not tokens then return text end
  local at, places, disjunction = 1, 0, nil

  local function peek() return tokens[at] and tokens[at].text end

  local function flagOf(node)
    local flags = {}
    for name in pairs(node.names) do flags[#flags + 1] = columns[name].flag end
    table.sort(flags)
    return flags[1] and table.concat(flags, ' or ')
  end

  -- A list up to a closing bracket, translated; and its node, if it is one expression.
  local function list(last)
    local out, names, only, isSafe = {}, {}, nil, true
    while peek() and peek() ~= last do
      if separators[peek()] then
        out[#out + 1], only = peek(), false
        at = at + 1
      else
        local before = at
        local node = disjunction(false)
        if at == before then error 'unexpected' end
        if only == nil then only = node else only = false end
        out[#out + 1], names, isSafe = node.text, merge(names, node.names), isSafe and node.isSafe
      end
    end
    if not peek() then error 'unexpected' end
    at = at + 1
    return table.concat(out, ' '), names, only or nil, isSafe
  end

  -- A name, value or bracket with what follows it: fields, indices, calls.
  local function primary()
    local token = tokens[at]
    if not token then error 'unexpected' end
    at = at + 1
    local node = { names = {}, isSafe = true }
    if token.text == '(' then
      local inner, names, only, isSafe = list ')'
      node = { text = '(' .. inner .. ')', names = names, isLogical = only and only.isLogical, isSafe = isSafe }
    elseif closing[token.text] then
      local inner, names = list(closing[token.text])
      node = { text = token.text .. inner .. closing[token.text], names = names, isSafe = false }
    elseif token.kind == 'name' then
      node.text = token.text
      if columns[token.text] then node.names[token.text], node.bare = true, token.text end
    elseif token.kind == 'value' then
      node.text, node.number = token.text, token.text:match '^%d+$'
    else
      error 'unexpected'
    end
    while true do
      local next_ = tokens[at]
      if not next_ then return node end
      if next_.text == '.' or next_.text == ':' then
        node = { text = node.text .. next_.text .. (tokens[at + 1] and tokens[at + 1].text or ''), names = node.names }
        at = at + 2
      elseif closing[next_.text] or next_.text:find '^["\'%[]' then
        local inner, names
        if closing[next_.text] then
          at = at + 1
          inner, names = list(closing[next_.text])
          inner = next_.text .. inner .. closing[next_.text]
        else
          at, inner, names = at + 1, ' ' .. next_.text, {}
        end
        node = { text = node.text .. inner, names = merge(node.names, names) }
      else
        return node
      end
    end
  end

  local function unary()
    local sign = peek()
    if sign == 'not' then
      at = at + 1
      local node = unary()
      local flag = not node.isLogical and flagOf(node)
      return { text = ('_logic.negate(%s%s)'):format(node.text, flag and ', ' .. flag or ''), names = {}, isLogical = true,
               isSafe = node.isSafe }
    elseif sign == '-' or sign == '#' then
      at = at + 1
      local node = unary()
      return { text = sign .. ' ' .. node.text, names = node.names, number = node.number, isSafe = node.isSafe and node.number ~= nil }
    end
    local node = primary()
    if peek() ~= '^' then return node end
    at = at + 1
    local power = unary()
    return { text = node.text .. '^' .. power.text, names = merge(node.names, power.names) }
  end

  local arithmetic = { ['+'] = true, ['-'] = true, ['*'] = true, ['/'] = true, ['%'] = true, ['..'] = true }

  local function operand()
    local node = unary()
    while arithmetic[peek()] do
      local sign = peek()
      at = at + 1
      local second = unary()
      node = { text = ('%s %s %s'):format(node.text, sign, second.text), names = merge(node.names, second.names) }
    end
    return node
  end

  -- The source of an operand beside an integer of 64 bits: large literals are such integers.
  local function exactly(node)
    if node.bare and columns[node.bare].exact then return columns[node.bare].exact end
    local digits = node.number or ''
    return #digits > 15 and (#digits < 19 or #digits == 19 and digits <= '9223372036854775807') and node.text .. 'LL' or node.text
  end

  -- Whether an operand is no call and never nil.
  local function isPlain(node) return node.isSafe and not node.isLogical and not (node.bare and columns[node.bare].isBoolean) end

  local function compared(sign, a, b, isLoose)
    local result = { names = {}, isLogical = true, isSafe = a.isSafe and b.isSafe }
    local gap = a.bare and (b.text == 'nil' or b.bare == a.bare) and a.bare or b.bare and a.text == 'nil' and b.bare
    if gap and (sign == '==' or sign == '~=') then
      local isNil = a.text == 'nil' or b.text == 'nil'
      result.text = ('(%s%s)'):format(isNil == (sign == '==') and '' or 'not ', columns[gap].missing)
      return result
    end
    local flag = flagOf { names = merge(a.isLogical and {} or a.names, b.isLogical and {} or b.names) }
    if isEmpty[a.text] or isEmpty[b.text] then flag = nil end
    local first, second = a.text, b.text
    if a.bare and columns[a.bare].exact or b.bare and columns[b.bare].exact then
      first, second = ('_logic.order(%s, %s)'):format(exactly(a), exactly(b)), '0'
    elseif isLoose and sign ~= '~=' and not flag and isPlain(a) and isPlain(b) then
      result.text = ('(%s %s %s)'):format(first, sign, second)
      return result
    end
    result.text = ('_logic.%s(%s, %s%s)'):format(comparisons[sign], first, second, flag and ', ' .. flag or '')
    return result
  end

  local function comparison(isLoose)
    local node = operand()
    while comparisons[peek()] do
      local sign = peek()
      at = at + 1
      node = compared(sign, node, operand(), isLoose)
    end
    return node
  end

  -- The source of an operand of `and` and `or`.
  local function decided(node)
    local flag = not node.isLogical and not node.bare and flagOf(node)
    return flag and ('_logic.known(%s, %s)'):format(node.text, flag) or node.text
  end

  local function joined(word, nextNode, isLoose)
    local node = nextNode(isLoose)
    while peek() == word do
      at, places = at + 1, places + 1
      local place = places
      local second = nextNode(isLoose)
      local a, b = decided(node), decided(second)
      local source_
      if isLoose or word == 'and' and not second.isSafe then
        source_ = ('(%s %s %s)'):format(a, word, b)
      elseif word == 'and' then
        source_ = ('_logic.both(%d, _logic.hold(%d, %s) ~= false and %s)'):format(place, place, a, b)
      else
        source_ = ('(_logic.hold(%d, %s) or _logic.either(%d, %s))'):format(place, a, place, b)
      end
      node = { text = source_, names = {}, isLogical = node.isLogical and second.isLogical,
               isSafe = node.isSafe and second.isSafe }
    end
    return node
  end

  local function conjunction(isLoose) return joined('and', comparison, isLoose) end
  function disjunction(isLoose) return joined('or', conjunction, isLoose) end

  local good, node = pcall(disjunction, isCondition)
  return good and at > #tokens and decided(node) or text
end

return logic
