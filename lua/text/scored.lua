--- The arguments of scores: texts, and one reference of each, or several.
-- @module text.scored
local check = require 'torch.check'

--- Returns the texts, and a list of references of each.
-- @string where the start of messages
-- @tparam {string,...} hypotheses
-- @tparam {string|{string,...},...} references
-- @raise if lists differ in length, are empty, or contain something else than texts
return function(where, hypotheses, references)
  check.table(where, 'hypotheses', hypotheses)
  check.table(where, 'references', references)
  check.that(#hypotheses == #references and #hypotheses > 0, ('%s: references: %d entries, expected as many as hypotheses, one or more: %d')
    :format(where, #references, #hypotheses))
  local texts, lists = {}, {}
  for i, hypothesis in ipairs(hypotheses) do
    texts[i], lists[i] = check.text(where, ('hypotheses[%d]'):format(i), hypothesis), {}
    local own = type(references[i]) == 'table' and references[i] or { references[i] }
    check.that(#own > 0, ('%s: references[%d]: expected a text, or a list of some'):format(where, i))
    for k, reference in ipairs(own) do lists[i][k] = check.text(where, ('references[%d]'):format(i), reference) end
  end
  return texts, lists
end
