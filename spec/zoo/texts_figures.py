#!/usr/bin/env python3
"""Figures for texts_spec.lua, from transformers: python3 spec/zoo/texts_figures.py >spec/zoo/texts_figures.lua

Small networks of each kind, in float64: the fingerprint of the state_dict, and figures of outputs for numbers of a formula, of tokens that are
padded on the left or right, and of a step after those in a cache.
"""
import torch
from transformers import (BertConfig, BertForMaskedLM, BertForQuestionAnswering, BertForSequenceClassification,
                          BertForTokenClassification, BertModel, GPT2Config, GPT2ForSequenceClassification, GPT2ForTokenClassification,
                          GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM, T5Config, T5ForConditionalGeneration)

from figures import lua
from formula import figures, fill, fingerprint, positions

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)

SIZES = (2, 7)
VOCABULARY = 31


def small(numbers):
    return lua([float(f"{x:.12g}") for x in numbers])


def state_of(net):
    """The state without weights that are others'."""
    state = net.state_dict()
    if net.config.tie_word_embeddings:
        state.pop("lm_head.weight", None)
        for name in ("weight", "bias"):
            state.pop(f"cls.predictions.decoder.{name}", None)
    for side in ("encoder", "decoder"):
        state.pop(f"{side}.embed_tokens.weight", None)
    return state


def prepare(net):
    net.eval()
    fill(state_of(net))
    return net


def show(name, kind, options, net, outputs):
    print(f"  {{ name = '{kind}', title = '{name}', state = {fingerprint(state_of(net))},")
    print("    options = {\n" + "".join(f"      {lua({key: value})[2:-2]},\n" for key, value in options.items()) + "    },")
    for key, value in outputs.items():
        print(f"    {key} = {small(figures(value))},")
    print("  },")


ids = positions("ids", SIZES, VOCABULARY)
left, right = torch.ones(SIZES, dtype=torch.long), torch.ones(SIZES, dtype=torch.long)
left[1, :3] = 0
right[1, 4:] = 0

print("-- Written by spec/zoo/texts_figures.py.")
print("return {")
with torch.no_grad():
    options = {"vocab_size": VOCABULARY, "n_positions": 16, "n_embd": 24, "n_layer": 3, "n_head": 4}
    net = prepare(GPT2LMHeadModel(GPT2Config(**options)))
    show("GPT-2", "gpt2", options, net, {"plain": net(ids).logits, "padded": net(ids, attention_mask=right).logits[:, :4]})
    # Texts one at a time, so that their last tokens are those of transformers without a token for padding.
    net = prepare(GPT2ForSequenceClassification(GPT2Config(**options, num_labels=5)))
    show("GPT-2, sequenceClassification", "gpt2", {**options, "head": "sequenceClassification", "num_labels": 5}, net, {
        "plain": torch.cat([net(ids[:1]).logits, net(ids[1:]).logits]), "padded": torch.cat([net(ids[:1]).logits, net(ids[1:, :4]).logits])})
    net = prepare(GPT2ForTokenClassification(GPT2Config(**options, num_labels=5)))
    show("GPT-2, tokenClassification", "gpt2", {**options, "head": "tokenClassification", "num_labels": 5}, net, {
        "plain": net(ids).logits, "padded": net(ids, attention_mask=right).logits[:, :4]})

    options = {"vocab_size": VOCABULARY, "hidden_size": 24, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 40,
               "max_position_embeddings": 16}
    net = prepare(BertModel(BertConfig(**options)))
    result, padded = net(ids), net(ids, attention_mask=right, token_type_ids=positions("types", SIZES, 2))
    show("BERT", "bert-base-uncased", options, net, {
        "plain": result.last_hidden_state, "pooled": result.pooler_output, "padded": padded.last_hidden_state[:, :4]})

    for head, network in (("sequenceClassification", BertForSequenceClassification), ("tokenClassification", BertForTokenClassification),
                          ("questionAnswering", BertForQuestionAnswering), ("maskedLM", BertForMaskedLM)):
        net = prepare(network(BertConfig(**options, **({} if head == "questionAnswering" else {"num_labels": 5}))))
        result, padded = net(ids), net(ids, attention_mask=right, token_type_ids=positions("types", SIZES, 2))
        first, second = ("start_logits", "end_logits") if head == "questionAnswering" else ("logits", None)
        if second:
            outputs = {"plain": result[first], "pooled": result[second]}
        else:
            outputs = {"plain": result[first]}
        outputs["padded"] = padded[first] if head == "sequenceClassification" else padded[first][:, :4]
        show(f"BERT, {head}", "bert-base-uncased", {**options, "head": head, "num_labels": 5}, net, outputs)

    net = prepare(BertModel(BertConfig(**options), add_pooling_layer=False))

    def sentence(mask):
        x = net(ids, attention_mask=mask).last_hidden_state
        return torch.nn.functional.normalize((x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True))

    show("MiniLM", "all-MiniLM-L6-v2", options, net, {"plain": sentence(torch.ones_like(ids)), "padded": sentence(right)})

    for title, more in (("Llama", {}), ("Llama with shared heads", {"num_key_value_heads": 2, "rope_theta": 5e5, "rms_norm_eps": 1e-5}),
                        ("Llama with shared embeddings", {"tie_word_embeddings": True, "head_dim": 10, "num_key_value_heads": 1})):
        options = {"vocab_size": VOCABULARY, "hidden_size": 24, "num_hidden_layers": 3, "num_attention_heads": 4,
                   "intermediate_size": 40, **more}
        net = prepare(LlamaForCausalLM(LlamaConfig(**options)))
        show(title, "llama", options, net, {"plain": net(ids).logits, "padded": net(ids, attention_mask=right).logits[:, :4]})

    targets = positions("targets", (2, 5), VOCABULARY)
    for title, kind, more in (("T5", "t5-small", {}), ("T5 1.1", "t5-v1_1-small", {
            "feed_forward_proj": "gated-gelu", "tie_word_embeddings": False, "num_decoder_layers": 1, "relative_attention_num_buckets": 8,
            "relative_attention_max_distance": 6})):
        options = {"vocab_size": VOCABULARY, "d_model": 24, "d_kv": 5, "d_ff": 40, "num_layers": 2, "num_heads": 4, **more}
        config = T5Config(**{**options, "scale_decoder_outputs": "tie_word_embeddings" not in more})
        config.tie_word_embeddings = options.get("tie_word_embeddings", True)
        net = prepare(T5ForConditionalGeneration(config))
        net.set_input_embeddings(net.shared)                # which the encoder and decoder don't share if the logits have other weights
        show(title, kind, options, net, {
            "plain": net(input_ids=ids, decoder_input_ids=targets).logits,
            "padded": net(input_ids=ids, attention_mask=right, decoder_input_ids=targets).logits[:, :4]})
print("}")
