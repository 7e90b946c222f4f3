#!/usr/bin/env python3
"""Figures for generate_spec.lua, from transformers: python3 spec/zoo/generate_figures.py >spec/zoo/generate_figures.lua

Texts of small networks with numbers of a formula, in float64, of prompts padded on the left: greedy, and by beam search with several
penalties and stop tokens. Probabilities of logits after a temperature, top-k and top-p. Tokens are counted from 1, as in Lua.
"""
import torch
from transformers import (GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM, T5Config, T5ForConditionalGeneration,
                          TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper)

from figures import lua
from formula import fill, positions, series

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)

VOCABULARY, COUNT = 31, 12
PROMPTS = [positions(f"prompt {n}", (n,), VOCABULARY).tolist() for n in (5, 2, 7)]
CASES = [
    {}, {"stop": [8, 27]}, {"beams": 2}, {"beams": 4, "penalty": 0.0}, {"beams": 3, "penalty": 2.5, "stop": [4, 8, 29]},
    {"beams": 4, "stop": [19, 31]}, {"beams": 2, "stop": [8]}, {"beams": 5, "penalty": -1.0, "stop": [4, 9, 20]},
]


def prepare(net):
    """Numbers of the formula; three times the embeddings, so that tokens differ."""
    state = net.eval().state_dict()
    if net.config.tie_word_embeddings:
        state.pop("lm_head.weight")
    others = [state.pop(name) for name in list(state) if name.endswith("coder.embed_tokens.weight")]      # T5's, equal to shared.weight
    fill(state)
    for name, x in state.items():
        if x.dim() > 1:
            x.mul_(3)
    for x in others:
        x.copy_(state["shared.weight"])
    return net


def texts(net, case):
    longest = max(map(len, PROMPTS))
    ids = torch.tensor([[0] * (longest - len(p)) + p for p in PROMPTS])
    mask = torch.tensor([[0] * (longest - len(p)) + [1] * len(p) for p in PROMPTS])
    stop = [token - 1 for token in case.get("stop", [])] or None
    out = net.generate(ids, attention_mask=mask, max_new_tokens=COUNT, do_sample=False, num_beams=case.get("beams", 1),
                       length_penalty=case.get("penalty", 1.0), eos_token_id=stop, pad_token_id=0)
    return [ended([token + 1 for token in row[longest:].tolist()], case.get("stop", [])) for row in out]


def written(net, case):
    """Texts of T5, which reads prompts padded on the right."""
    longest = max(map(len, PROMPTS))
    ids = torch.tensor([p + [0] * (longest - len(p)) for p in PROMPTS])
    mask = torch.tensor([[1] * len(p) + [0] * (longest - len(p)) for p in PROMPTS])
    stop = [token - 1 for token in case.get("stop", [])] or None
    out = net.generate(ids, attention_mask=mask, max_new_tokens=COUNT, do_sample=False, num_beams=case.get("beams", 1),
                       length_penalty=case.get("penalty", 1.0), eos_token_id=stop, pad_token_id=0, decoder_start_token_id=0)
    return [ended([token + 1 for token in row[1:].tolist()], case.get("stop", [])) for row in out]


def ended(text, stop):
    """Returns a text without the padding after a stop token."""
    places = [i for i, token in enumerate(text) if token in stop]
    return text[:places[0] + 1] if places else text


print("-- Written by spec/zoo/generate_figures.py.")
print("return {")
small = {"vocab_size": VOCABULARY}
nets = [
    ("gpt2", {**small, "n_positions": 24, "n_embd": 24, "n_layer": 2, "n_head": 4}, GPT2Config, GPT2LMHeadModel),
    ("llama", {**small, "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
               "intermediate_size": 40}, LlamaConfig, LlamaForCausalLM),
    ("t5-v1_1-small", {**small, "d_model": 24, "d_kv": 6, "d_ff": 40, "num_layers": 2, "num_heads": 4,
                       "relative_attention_num_buckets": 8,
                       "relative_attention_max_distance": 10, "feed_forward_proj": "gated-gelu", "tie_word_embeddings": False}, T5Config, T5ForConditionalGeneration),
]
print(f"  prompts = {lua([[token + 1 for token in p] for p in PROMPTS])},")
for name, options, config, model in nets:
    config = config(**options, bos_token_id=None, eos_token_id=None)
    config.tie_word_embeddings = options.get("tie_word_embeddings", config.tie_word_embeddings)      # T5Config sets it to True
    config.scale_decoder_outputs = config.tie_word_embeddings
    net = prepare(model(config))
    print(f"  {{\n    name = '{name}',\n    options = {lua(options)},")
    for case in CASES:
        print(f"    {{ {lua(case)[2:-2]}{', ' if case else ''}texts = {{")
        for text in (written if model is T5ForConditionalGeneration else texts)(net, case):
            print(f"      {lua(text)},")
        print("    } },")
    print("  },")
print("  probabilities = {")
logits = series("logits", (2, 8)) * 3
for case in ({"temperature": 0.7}, {"top_k": 3}, {"top_p": 0.6}, {"temperature": 1.5, "top_k": 6, "top_p": 0.8}, {"top_p": 0.01}):
    x = TemperatureLogitsWarper(case["temperature"])(None, logits) if "temperature" in case else logits
    x = TopKLogitsWarper(case["top_k"])(None, x) if "top_k" in case else x
    x = TopPLogitsWarper(case["top_p"])(None, x) if "top_p" in case else x
    rows = [[float(f"{p:.9g}") for p in row] for row in x.softmax(-1).tolist()]
    print(f"    {{ {lua(case)[2:-2]},\n      {lua(rows[0])},\n      {lua(rows[1])},\n    }},")
print("  },\n}")
