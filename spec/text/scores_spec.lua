-- Scores of texts against sacrebleu and jiwer (scores_figures.py), and what they are by definition.
local text = require 'text'
local unicode = require 'text.unicode'
local figures = require 'spec.text.scores_figures'

local function eachCase(visit)
  for _, case in ipairs(figures) do
    if unicode.available() then visit(case) end
  end
end

describe('error rates', function()
  it('are those of jiwer', function()
    eachCase(function(case)
      assert.near(case.words, text.wordErrorRate(case.references, case.hypotheses), 1e-12)
      assert.near(case.characters, text.characterErrorRate(case.references, case.hypotheses), 1e-12)
    end)
  end)

  it('count insertions, deletions and substitutions', function()
    assert.equal(0, text.wordErrorRate('to be', 'to  be'))
    assert.equal(0.5, text.wordErrorRate({ 'to be', 'or not' }, { 'to bee', 'or' }))
    assert.equal(2, text.wordErrorRate('a', 'b c'))
    assert.equal(1 / 5, text.characterErrorRate('to be', 'tobe'))
  end)

  it('refuse what has no rate', function()
    assert.error_matches(function() text.wordErrorRate({ 'a' }, {}) end, 'text%.wordErrorRate: hypotheses: 0 texts, expected 1')
    assert.error_matches(function() text.wordErrorRate(' ', 'a') end, 'references%[1%]: an empty text')
    assert.error_matches(function() text.characterErrorRate({}, {}) end, 'references: an empty list')
    assert.error_matches(function() text.characterErrorRate({ {} }, { 'a' }) end, 'references%[1%]: .*expected a string')
  end)
end)

describe('BLEU', function()
  it('is that of sacrebleu', function()
    eachCase(function(case)
      local references = {}
      for i, reference in ipairs(case.references) do references[i] = { reference, case.more[i] } end
      assert.near(case.corpus, text.bleu(case.hypotheses, references, case.options), 1e-9)
      assert.near(case.sentence, text.sentenceBleu(case.hypotheses[1], case.references[1], case.options), 1e-9)
    end)
  end)

  it('is 100 for equal texts, and 0 without a common word', function()
    assert.near(100, text.bleu({ 'to be or not to be' }, { 'to be or not to be' }), 1e-9)
    assert.equal(0, text.bleu({ 'a b c d' }, { 'e f g h' }))
  end)

  it('refuses lists of different lengths', function()
    assert.error_matches(function() text.bleu({ 'a' }, {}) end, 'text%.bleu: references: 0 entries, expected as many as hypotheses')
    assert.error_matches(function() text.bleu({ 'a' }, { {} }) end, 'references%[1%]: expected a text')
    assert.error_matches(function() text.bleu({ 'a' }, { 'a' }, { smooth = 'k' }) end, "smooth: 'k', expected one of")
  end)
end)
