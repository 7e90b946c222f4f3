#!/usr/bin/env python3
"""Figures for sentences_spec.lua, from transformers: python3 spec/examples/sentences_figures.py FOLDER >spec/examples/sentences_figures.lua

FOLDER is that of examples/sentences/fetch. Token ids, six elements of the vectors, and similarities, in float64 and in one batch.
"""
import sys

import torch
from transformers import AutoTokenizer, BertModel

SENTENCES = [
    "The cat sleeps on the warm window sill.",
    "A kitten is dozing in the sun.",
    "Interest rates were raised by a quarter of a percent.",
    "The central bank tightened its monetary policy, again!",
    "naïve café — 5μm, e-mail: x@y.org",
]

folder = sys.argv[1]
tokenizer = AutoTokenizer.from_pretrained(folder)
net = BertModel.from_pretrained(folder, dtype=torch.float64).eval()
batch = tokenizer(SENTENCES, padding=True, return_tensors="pt")
with torch.no_grad():
    x = net(**batch).last_hidden_state
mask = batch["attention_mask"][..., None]
vectors = torch.nn.functional.normalize((x * mask).sum(1) / mask.sum(1))


def row(values):
    return "{ " + ", ".join(f"{v:.10g}" if isinstance(v, float) else str(v) for v in values) + " }"


print("-- Written by spec/examples/sentences_figures.py.")
print("return {")
for i, sentence in enumerate(SENTENCES):
    ids = batch["input_ids"][i][: int(batch["attention_mask"][i].sum())]
    print(f"  {{\n    text = '{sentence}',")
    print(f"    ids = {row(ids.tolist())},")
    print(f"    vector = {row(vectors[i, ::64].tolist())},")
    print(f"    similarities = {row((vectors @ vectors[i]).tolist())},\n  }},")
print("}")
