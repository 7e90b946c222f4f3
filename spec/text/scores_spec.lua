-- Scores of texts against sacrebleu (scores_figures.py, chrf_figures.py), jiwer, rouge-score and NLTK (rouge_figures.py), and what they are
-- by definition.
local torch, text = require 'torch', require 'text'
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

describe('chrF', function()
  it('is that of sacrebleu', function()
    if not unicode.available() then return end
    for _, case in ipairs(require 'spec.text.chrf_figures') do
      local references = {}
      for i, reference in ipairs(case.references) do references[i] = { reference, case.more[i] } end
      assert.near(case.corpus, text.chrf(case.hypotheses, references, case.options), 1e-9)
      assert.near(case.sentence, text.sentenceChrf(case.hypotheses[1], case.references[1], case.options), 1e-9)
    end
  end)

  it('is the mean of precision and recall of characters', function()
    assert.near(100, text.chrf({ 'to be' }, { 'tobe' }), 1e-9)
    assert.equal(0, text.chrf({ 'a b' }, { 'c d' }))
    -- abc and abd: 2 of 3 characters, 1 of 2 pairs, no triple: precision and recall are (2/3 + 1/2 + 0) / 3
    assert.near(100 * 7 / 18, text.sentenceChrf('abc', 'abd'), 1e-9)
    assert.near(100 * 2 / 3, text.sentenceChrf('abc', 'abd', { characterOrder = 1 }), 1e-9)
    -- abcd and ab: precision 1/2, recall 1; beta = 2 weighs recall by 4
    assert.near(100 * 5 * 0.5 / (4 * 0.5 + 1), text.sentenceChrf('abcd', 'ab', { characterOrder = 1 }), 1e-9)
    assert.near(100 * 2 * 0.5 / 1.5, text.sentenceChrf('abcd', 'ab', { characterOrder = 1, beta = 1 }), 1e-9)
  end)

  it('refuses lists of different lengths, and wrong options', function()
    assert.error_matches(function() text.chrf({ 'a' }, {}) end, 'text%.chrf: references: 0 entries, expected as many as hypotheses')
    assert.error_matches(function() text.sentenceChrf('a', {}) end, 'text%.sentenceChrf: references%[1%]: expected a text')
    assert.error_matches(function() text.chrf({ 'a' }, { 'a' }, { characterOrder = 0 }) end, 'text%.chrf: characterOrder: 0')
    assert.error_matches(function() text.chrf({ 'a' }, { 'a' }, { order = 2 }) end, 'text%.chrf: ')
  end)
end)

describe('ROUGE', function()
  local kinds = { 'rouge1', 'rouge2', 'rougeL', 'rougeLsum' }

  it('is that of rouge-score', function()
    for _, case in ipairs(require 'spec.text.rouge_figures') do
      local found = text.rouge({ case.hypothesis }, { case.references }, { stem = case.stem })
      for _, kind in ipairs(kinds) do
        for name, value in pairs(case[kind]) do assert.near(value, found[kind][name], 1e-12) end
      end
    end
  end)

  it('takes off endings on demand', function()
    local porter, count = require 'text.porter', 0
    for word, stem in pairs(require('spec.text.rouge_figures').stems) do
      assert.equal(stem, porter.stem(word), word)
      count = count + 1
    end
    assert.is_true(count > 100)
    assert.equal(0, text.rouge('he walked home', 'she walks').rouge1.f1)
    assert.same({ precision = 1 / 3, recall = 0.5, f1 = 0.4 }, text.rouge('he walked home', 'she walks', { stem = true }).rouge1)
    assert.error_matches(function() text.rouge('a', 'a', { stem = 1 }) end, 'text%.rouge: stem: 1')
  end)

  it('is the mean over summaries', function()
    local found = text.rouge({ 'a b c d', 'a' }, { 'a b', 'x' })
    assert.same({ precision = 0.25, recall = 0.5, f1 = 1 / 3 }, found.rouge1)
    assert.same({ precision = 1 / 6, recall = 0.5, f1 = 0.25 }, found.rouge2)
    assert.same({ precision = 1, recall = 1, f1 = 1 }, text.rouge('To be!', 'to be').rougeL)
  end)

  it('refuses what has no score', function()
    assert.error_matches(function() text.rouge({ 'a' }, {}) end, 'text%.rouge: references: 0 entries, expected as many as hypotheses')
    assert.error_matches(function() text.rouge({ 'a' }, { {} }) end, 'references%[1%]: expected a text')
    assert.error_matches(function() text.rouge('a', { {} }) end, 'references%[1%]: .*expected a string')
    assert.error_matches(function() text.rouge(nil, 'a') end, 'text%.rouge: hypotheses: nil, expected a table')
  end)
end)

describe('perplexity', function()
  it('is the number of tokens that are equally probable', function()
    assert.near(7, text.perplexity(torch.zeros(2, 3, 7), torch.LongTensor(2, 3):fill(5)), 1e-12)
  end)

  it('is the exponential of the mean negative logarithm of the probability', function()
    local p = torch.Tensor { { 0.5, 0.25, 0.25 }, { 0.1, 0.1, 0.8 }, { 0.2, 0.3, 0.5 } }
    local ids = torch.LongTensor { 1, 3, 2 }
    assert.near((0.5 * 0.8 * 0.3) ^ (-1 / 3), text.perplexity(torch.log(p), ids), 1e-12)
    assert.near((0.5 * 0.8) ^ (-1 / 2), text.perplexity(torch.log(p):add(3), ids, { ignored = 2 }), 1e-12)      -- not normalised
    local none = text.perplexity(torch.log(p), ids:fill(2), { ignored = 2 })
    assert.is_true(none ~= none)
  end)

  it('refuses ids that are none, and other sizes', function()
    assert.error_matches(function() text.perplexity(torch.zeros(2, 3), torch.LongTensor { 0, 3 }) end, 'ids from 0 to 3, expected 1 to 3')
    assert.error_matches(function() text.perplexity(torch.zeros(2, 3), torch.LongTensor { 1 }) end, 'targets: 1 ids, expected one for each')
    assert.error_matches(function() text.perplexity(3, torch.LongTensor { 1 }) end, 'text%.perplexity: logits: number, expected a tensor')
  end)
end)
