--- Conditions of comparisons between columns of numbers or dates, and numbers, joined by `and` and `or`: whole columns are compared, which
-- takes less time than rows. A missing value, which is NaN here, makes a comparison false, as filters take missing results for false.
-- @module data.frame.comparisons
local torch = require 'torch'
local column = require 'data.frame.column'
local logic = require 'data.frame.logic'

local comparisons = {}

local operators = {
  ['=='] = { torch.eq, torch.eq }, ['~='] = { torch.ne, torch.ne }, ['<'] = { torch.lt, torch.gt }, ['<='] = { torch.le, torch.ge },
  ['>'] = { torch.gt, torch.lt }, ['>='] = { torch.ge, torch.le },
}

-- A column as doubles, if it has numbers that are equal to doubles, or dates; otherwise nil.
local function doubles(frame, name)
  local c = frame:_record(name)
  if c.type ~= 'date' and not column.isNumeric(c.type) or column.isWide(c) then return nil end
  return column.doubles(c)
end

--- The rows for which a condition is true.
-- @tparam data.Frame frame
-- @string text with dates as numbers
-- @treturn ?torch.ByteTensor nil for other expressions
function comparisons.mask(frame, text)
  local tokens, at, known = logic.tokens(text), 1, {}
  if not tokens or frame:size() == 0 then return nil end

  local function take(word)
    if tokens[at] and tokens[at].text == word then
      at = at + 1
      return true
    end
  end

  -- A number or a column; nil for others.
  local function operand()
    local start = at
    local isOpen, isNegative = take '(', take '-'
    local token = tokens[at]
    local value = token and token.kind == 'value' and token.text:find '^[%d.]' and tonumber(token.text)
    if value and (not isOpen or tokens[at + 1] and tokens[at + 1].text == ')') then
      at = at + (isOpen and 2 or 1)
      return isNegative and -value or value
    end
    at = start
    if not token or isOpen or isNegative or token.kind ~= 'name' or not frame.columns[token.text] then return nil end
    known[token.text] = known[token.text] or doubles(frame, token.text)
    at = at + 1
    return known[token.text]
  end

  local either

  local function comparison()
    local start = at
    local first = operand()
    if first == nil then
      at = start
      if not take '(' then return nil end
      local found = either()
      return found and take ')' and found
    end
    local own = tokens[at] and operators[tokens[at].text]
    at = at + 1
    local second = own and operand()
    -- `x ~= x` is whether x is missing.
    if not second or rawequal(first, second) or not (torch.isTensor(first) or torch.isTensor(second)) then return nil end
    local found
    if torch.isTensor(first) then found = own[1](first, second) else found = own[2](second, first) end
    if own[1] == torch.ne then
      for _, x in ipairs { first, second } do
        if torch.isTensor(x) then found = found:cmul(torch.eq(x, x)) end
      end
    end
    return found
  end

  -- Operands of a level, between which a word stands.
  local function joined(operandOf, word, method)
    local found = operandOf()
    while found and take(word) do
      local other = operandOf()
      found = other and found[method](found, other)
    end
    return found
  end

  local function both() return joined(comparison, 'and', 'cmul') end

  function either() return joined(both, 'or', 'cmax') end

  local found = either()
  return found and at > #tokens and found or nil
end

return comparisons
