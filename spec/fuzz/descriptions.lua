-- The fuzzed formats of descriptions: tokenizers, and annotations of pictures.
local torch, image, text, vision = require 'torch', require 'image', require 'text', require 'vision'
local paths = require 'paths'
local files = require 'spec.support.files'
local regex, unicode = require 'text.regex', require 'text.unicode'

local function tokenizers()
  local list = {
    [==[{"model":{"vocab":{"a":0,"##b":1,"[UNK]":2,"[CLS]":3},"unk_token":"[UNK]","continuing_subword_prefix":"##",
"max_input_chars_per_word":9,"type":"WordPiece"},"normalizer":{"type":"BertNormalizer","lowercase":true,"clean_text":true,
"strip_accents":null,"handle_chinese_chars":true},"pre_tokenizer":{"type":"BertPreTokenizer"},"added_tokens":[{"id":2,"content":"[UNK]",
"special":true,"normalized":false,"lstrip":true}],"post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"[CLS]",
"type_id":0}},{"Sequence":{"id":"A","type_id":0}}],"pair":[{"Sequence":{"id":"A","type_id":0}},{"Sequence":{"id":"B","type_id":1}}],
"special_tokens":{"[CLS]":{"id":"[CLS]","ids":[3],"tokens":["[CLS]"]}}},"decoder":{"type":"WordPiece","prefix":"##","cleanup":true}}]==],
    [==[{"model":{"type":"Unigram","unk_id":0,"vocab":[["<unk>",0],["\u2581",-2.5],["a",-1],["ab",-1.5],["</s>",0]],"byte_fallback":false},
"normalizer":{"type":"Sequence","normalizers":[{"type":"Prepend","prepend":"\u2581"},{"type":"Replace","pattern":{"String":" "},
"content":"\u2581"},{"type":"Strip"},{"type":"NFKC"},{"type":"StripAccents"}]},"pre_tokenizer":{"type":"Metaspace",
"replacement":"\u2581","prepend_scheme":"first","split":false},"decoder":{"type":"Metaspace","replacement":"\u2581",
"prepend_scheme":"first"},
"post_processor":{"type":"BertProcessing","sep":["</s>",4],"cls":["<unk>",0]}}]==],
    [==[{"model":{"type":"BPE","vocab":{"a":0,"b":1,"ab":2,"<0x20>":3,"<unk>":4},"merges":[["a","b"]],"byte_fallback":true,
"fuse_unk":true,"unk_token":"<unk>","end_of_word_suffix":null,"ignore_merges":true},"pre_tokenizer":{"type":"Sequence",
"pretokenizers":[{"type":"Digits",
"individual_digits":true},{"type":"Punctuation","behavior":"Isolated"},{"type":"CharDelimiterSplit","delimiter":"z"},{"type":"ByteLevel",
"add_prefix_space":true,"use_regex":true}]},"decoder":{"type":"Sequence","decoders":[{"type":"ByteFallback"},{"type":"Fuse"},
{"type":"Strip",
"content":" ","start":1,"stop":0},{"type":"BPEDecoder","suffix":"</w>"}]}}]==],
  }
  if not unicode.available() then list = { list[3] } end
  if regex.available() then
    for _, name in ipairs { 'isolated', 'removed', 'merged_with_next' } do
      list[#list + 1] = files.read(('spec/text/form_%s.json'):format(name))
    end
  end
  return list
end

-- Encodes a text, and decodes its ids.
local function useTokenizer(tokenizer)
  local ids = tokenizer:encode('ab A\195\169 zebra, 12 \228\184\173!', { pair = 'b a' })
  if ids:nElement() > 0 then tokenizer:decode(ids, { special = true }) end
  tokenizer:tokens 'aab'
end

local function useTruths(set)
  for i = 1, math.min(set:size(), 3) do set:truth(i) end
end

local annotation = [==[<?xml version="1.0"?><!-- one --><annotation><filename>x.jpg</filename><owner name="a"/>
<object><name>dog</name><difficult>1</difficult><bndbox><xmax>5</xmax><xmin>1</xmin><ymin>2</ymin><ymax>6.5</ymax></bndbox></object>
<object><name>cat</name><bndbox><xmin>3</xmin><ymin>&#51;</ymin><xmax>8</xmax><ymax>4</ymax></bndbox></object></annotation>]==]

-- A folder of VOC's with one picture; its annotation is the fuzzed file.
local function vocFolder(scratch)
  for _, name in ipairs { '', '/Annotations', '/JPEGImages', '/ImageSets', '/ImageSets/Main' } do paths.mkdir(scratch .. name) end
  files.write(scratch .. '/ImageSets/Main/train.txt', 'a\n')
  image.save(scratch .. '/JPEGImages/a.jpg', torch.ByteTensor(3, 4, 4):fill(7))
  return scratch .. '/Annotations/a.xml'
end

return {
  tokenizer = {
    prefix = 'text.load', load = function(name) return text.load(name) end, seeds = tokenizers, use = useTokenizer,
    ownUse = 'text.Tokenizer: ',
    words = {
      '"BPE"', '"Unigram"', '"WordPiece"', 'null', '{}', '[]', 'true', '-1', '0.5', '1e9', '""', '"\\ud83c"', '"Sequence"', '"ByteLevel"',
      '"Metaspace"', '"Split"', '"Replace"', '"Regex"', '"String"', '"(a+)+$"', '"Contiguous"', '"MergedWithNext"', '"Fuse"', '"Strip"',
      '"merges"', '"vocab"', '"type"', '"ByteFallback"', '"NFD"', '"Precompiled"', '"single"', '"pair"', '"id"',
    },
  },
  coco = {
    prefix = 'vision.CocoDetection', load = function(name) return vision.CocoDetection('/', name) end, use = useTruths,
    ownUse = 'vision.CocoDetection: ',
    words = {
      'null', '{}', '[]', '[[]]', '1e308', '-1', '0.5', '1e5', '"images"', '"annotations"', '"categories"', '"segmentation"', '"counts"',
      '"size"', '"bbox"', '"keypoints"', '"iscrowd"', '"width"', '"height"', '"id"', '"P^4"', 'true', '"../a"', '2147483648',
    },
    seeds = function()
      return { [==[{"images":[{"id":9,"file_name":"a.png","height":6,"width":8},{"id":4,"file_name":"b.png","height":6,"width":8}],
"categories":[{"id":7,"name":"dog"},{"id":3,"name":"cat"}],"annotations":[{"id":1,"image_id":9,"category_id":7,"bbox":[1,2,3,4],"area":5.5,
"iscrowd":0,"segmentation":[[1,2,4,2,4,6,1,6]],"keypoints":[1,2,2,0,0,0]},{"id":2,"image_id":9,"category_id":3,"bbox":[0,0,8,6],"iscrowd":1,
"segmentation":{"size":[6,8],"counts":[10,3,35]},"keypoints":[3,4,1,5,5,2]},{"id":3,"image_id":4,"category_id":3,"bbox":[0,0,8,6],
"segmentation":{"size":[6,8],"counts":"9ba0"}}]}]==] }
    end,
  },
  voc = {
    prefix = 'vision.VocDetection', place = vocFolder, seeds = function() return { annotation } end,
    words = {
      '<', '>', '</', '/>', '<!--', '-->', '<![CDATA[', ']]>', '&lt;', '&#0;', '&#1114112;', '&x;', '<?', '?>', '<!DOCTYPE', '<object>',
      '</object>', 'bndbox', 'xmin', 'name', '1e999', 'nan', '0x10', '"',
    },
    load = function(name) return vision.VocDetection((name:gsub('/Annotations/a%.xml$', ''))):get(1) end,
  },
}
