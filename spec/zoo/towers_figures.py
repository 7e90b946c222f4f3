#!/usr/bin/env python3
"""Figures for towers_spec.lua, from transformers: python3 spec/zoo/towers_figures.py >spec/zoo/towers_figures.lua

CLIP, Whisper and ViT, small and in float64: fingerprints of states, figures of outputs and gradients, texts that Whisper writes without a cache,
what CLIP's processor makes of a picture, and Whisper's of a sound.
"""
import numpy
import torch
from PIL import Image
from transformers import (CLIPConfig, CLIPImageProcessor, CLIPModel, ViTConfig, ViTForImageClassification, WhisperConfig,
                          WhisperFeatureExtractor, WhisperForConditionalGeneration)

from figures import lua
from formula import figures, fill, fingerprint, positions, series

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)


def small(numbers):
    return lua([float(f"{x:.12g}") for x in numbers])


def rows(numbers):
    return "\n".join("      " + ", ".join(f"{x:.8g}" for x in numbers[i:i + 10]) + "," for i in range(0, len(numbers), 10))


def gradients(net, output, names):
    """Figures of the derivatives of the sum of outputs times numbers of a formula."""
    (output * series("way", output.shape)).sum().backward()
    parameters = dict(net.named_parameters())
    for name in names:
        print(f"      ['{name}'] =\n        {small(figures(parameters[name].grad))},")


print("-- Written by spec/zoo/towers_figures.py.")
print("return {")

text = {"vocab_size": 31, "hidden_size": 24, "intermediate_size": 40, "num_hidden_layers": 2, "num_attention_heads": 4,
        "max_position_embeddings": 9, "eos_token_id": 30, "bos_token_id": 0, "pad_token_id": 30}
vision = {"hidden_size": 30, "intermediate_size": 44, "num_hidden_layers": 3, "num_attention_heads": 5, "image_size": 24, "patch_size": 8}
net = CLIPModel(CLIPConfig(text_config=text, vision_config=vision, projection_dim=20)).eval()
fill(net.state_dict())
net.logit_scale.data.fill_(1.5)
ids = positions("ids", (3, 7), 30)
mask = torch.ones(3, 7, dtype=torch.long)
ids[0, 6] = ids[1, 4:] = ids[2, 2:] = 30                    # ends, and padding with the same token
mask[1, 5:] = mask[2, 3:] = 0
result = net(pixel_values=series("pictures", (2, 3, 24, 24)), input_ids=ids, attention_mask=mask)
print(f"  clip = {{\n    state = {fingerprint(net.state_dict())},")
print(f"    logits = {small(result.logits_per_image.flatten().tolist())},")
print(f"    texts = {small(figures(result.text_embeds))},\n    pictures = {small(figures(result.image_embeds))},\n    gradients = {{")
gradients(net, result.logits_per_image, [
    "logit_scale", "text_model.embeddings.token_embedding.weight", "text_model.encoder.layers.0.self_attn.k_proj.weight",
    "vision_model.embeddings.class_embedding", "vision_model.embeddings.patch_embedding.weight", "text_projection.weight"])
print("    },\n  },")

# A smooth picture of 62 x 45 points, of which the crop has a middle.
y, x = numpy.mgrid[0:45, 0:62]
picture = numpy.stack([128 + 100 * numpy.sin(x / 5 + c) * numpy.cos(y / 7 - c) for c in range(3)], -1).round().astype(numpy.uint8)
pixels = CLIPImageProcessor(size={"shortest_edge": 32}, crop_size=32)(Image.fromarray(picture), return_tensors="np")["pixel_values"]
print(f"  processed = {{ sizes = {lua(list(pixels.shape))}, values = {{\n{rows(pixels[0, :, 3::9, 2::8].flatten().tolist())}\n  }} }},")

options = {"vocab_size": 31, "num_mel_bins": 6, "d_model": 24, "encoder_layers": 2, "decoder_layers": 3, "encoder_attention_heads": 4,
           "decoder_attention_heads": 3, "encoder_ffn_dim": 40, "decoder_ffn_dim": 36, "max_source_positions": 10,
           "max_target_positions": 16}
net = WhisperForConditionalGeneration(WhisperConfig(**options, pad_token_id=0, bos_token_id=0, eos_token_id=0)).eval()
state = {name: value for name, value in net.state_dict().items() if name != "proj_out.weight"}
fill(state)
state["model.decoder.embed_positions.weight"] *= 30         # so that texts don't repeat a token
sound, targets = series("sound", (2, 6, 20)), positions("targets", (2, 5), 31)
result = net(input_features=sound, decoder_input_ids=targets)
print(f"  whisper = {{\n    options = {{\n" + "".join(f"      {lua({key: value})[2:-2]},\n" for key, value in options.items()) + f"    }},\n    state = {fingerprint(state)},")
print(f"    memory = {small(figures(result.encoder_last_hidden_state))},")
print(f"    plain = {small(figures(result.logits))},\n    gradients = {{")
gradients(net, result.logits, [
    "model.encoder.conv1.weight", "model.encoder.layers.0.self_attn.k_proj.weight", "model.decoder.embed_tokens.weight",
    "model.decoder.layers.2.encoder_attn.v_proj.weight", "model.decoder.embed_positions.weight"])
with torch.no_grad():
    texts = torch.tensor([[4, 9]] * 2)
    while texts.shape[1] < 14:
        best = net(input_features=sound, decoder_input_ids=texts).logits[:, -1].argmax(1, keepdim=True)
        texts = torch.cat([texts, best], 1)
print(f"    }},\n    texts = {lua((texts[:, 2:] + 1).tolist())},\n  }},")

vision = {"hidden_size": 24, "intermediate_size": 40, "num_hidden_layers": 3, "num_attention_heads": 4, "image_size": 24, "patch_size": 8}
net = ViTForImageClassification(ViTConfig(**vision, num_labels=5)).eval()
fill(net.state_dict())
logits = net(series("pictures", (2, 3, 24, 24))).logits
print(f"  vit = {{\n    state = {fingerprint(net.state_dict())},")
print(f"    logits = {small(figures(logits))},\n    gradients = {{")
gradients(net, logits, ["vit.embeddings.cls_token", "vit.layers.0.attention.q_proj.weight", "vit.layers.2.mlp.fc2.bias"])
print("    },\n  },")

# A chirp of 0.7 s.
torch.set_default_dtype(torch.float32)
t = numpy.arange(11200) / 16000
chirp = 0.5 * numpy.sin(2 * numpy.pi * (200 + 2000 * t) * t)
print("  features = {")
for mels in (80, 128):
    features = WhisperFeatureExtractor(feature_size=mels)(chirp, sampling_rate=16000, return_tensors="np")["input_features"]
    print(f"    [{mels}] = {{ sizes = {lua(list(features.shape))}, values = {{")
    print(f"{rows([float(v) for v in features[0, ::mels // 5, :80:16].flatten()])}\n    }} }},")
print("  },\n}")
