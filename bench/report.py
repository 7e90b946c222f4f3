#!/usr/bin/env python3
"""Joins the figures of the peer, of Moontorch and of the machine into one table.

  report.py --peer results/peer_1.json... [--ours ours_1.json] --limits results/limits.json

ratio = peer's time / our time (above 1 we are faster; for MiB likewise), peer = the best of its variants (id, id@...) in
all peer files given; ours likewise.
% of limit = the least time the machine needs (largest of flops / FMA peak, bytes / bandwidth at that working-set
size, plain C cost) / the measured time; it may exceed 100 if an algorithm needs fewer flops (Winograd) or the
data stays in a nearer cache than the size suggests.  Without --ours: the peer against the limits, furthest first.
"""
import argparse
import json
import math
import sys

ap = argparse.ArgumentParser()
ap.add_argument("--peer", required=True, nargs="+")
ap.add_argument("--ours")
ap.add_argument("--limits", required=True)
args = ap.parse_args()


def load(path):
    return json.load(open(path)) if path else {"meta": {}, "results": {}}


peers, ours, lim = [load(p) for p in args.peer], load(args.ours), load(args.limits)
meta = peers[0]["meta"]
threads = meta["threads"]
if any(d["meta"] and d["meta"].get("threads") != threads for d in peers + [ours]):
    sys.exit("the runs used different numbers of threads")


def limit(name):
    return lim.get(name, {}).get("best", 0)


def bandwidth(size, reads_only):
    sizes = sorted({int(k.split(".")[1]) for k in lim if k.startswith("bw.")})
    near = min(sizes, key=lambda s: abs(math.log(s / size)))
    kernels = ("read",) if reads_only else ("copy", "triad", "copy_nt", "triad_nt")
    return max(limit(f"bw.{near}.{k}.{threads}") for k in kernels) * 1e9


def least_time(key, r):
    """least seconds that this machine needs, or 0 if no limit is defined"""
    t = [0.0]
    if r.get("flops"):
        t.append(r["flops"] / (limit(f"fma.{'f64' if key.endswith('f64') else 'f32'}.{threads}") * 1e9))
    if r.get("bytes"):
        t.append(r["bytes"] / bandwidth(r.get("ws", r["bytes"]), r.get("rw") == "r"))
    if r.get("floor"):
        t.append(limit(r["floor"] + ".1") * 1e-9)
    return max(t)


def show(v, unit):
    if unit != "s":
        return f"{v:.1f} {unit}"
    for scale, name in ((1, "s"), (1e-3, "ms"), (1e-6, "us")):
        if v >= scale:
            return f"{v / scale:.3g} {name}"
    return f"{v * 1e9:.3g} ns"


def geomean(v):
    return math.exp(sum(map(math.log, v)) / len(v))


def best_variants(runs):
    """id -> (variant, figures)"""
    best = {}
    for key, r in (kv for p in runs for kv in p["results"].items()):
        base, _, variant = key.partition("@")
        if "median" in r and (base not in best or r["median"] < best[base][1]["median"]):
            best[base] = (variant, r)
    return best


best, own = best_variants(peers), best_variants([ours])
rows = []
for key, (variant, p) in best.items():
    o, least = own[key][1] if key in own else ours["results"].get(key, {}), least_time(key, p)
    rows.append(dict(
        key=key, variant=variant, p=p, o=o, group=key[0],
        ratio=p["median"] / o["median"] if o.get("median") else None,
        ratio_min=p["min"] / o["min"] if o.get("median") else None,
        peer_pct=100 * least / p["median"] if least else None,
        our_pct=100 * least / o["median"] if least and o.get("median") else None))
num = lambda v, f: format(v, f) if v is not None else "-"   # noqa: E731

print(f"Peer {meta.get('implementation')} {meta.get('version')}, {threads} thread(s), {meta.get('cpu')}; "
      f"FMA peak {limit(f'fma.f32.{threads}'):.0f} GFLOP/s float, {limit(f'fma.f64.{threads}'):.0f} double\n")
print("| id | ours | peer | ratio | ratio of minima | ours % of limit | peer % of limit | peer GFLOP/s | peer GB/s |\n|" + "---|" * 9)
for r in sorted(rows, key=lambda r: r["group"]):
    p, o = r["p"], r["o"]
    rate = lambda q: num(p[q] / p["median"] / 1e9 if p.get(q) else None, ".3g")   # noqa: E731
    print(f"| {r['key']} | {show(o['median'], p['unit']) if o.get('median') else o.get('error', '-')} | {show(p['median'], p['unit'])}"
          f"{' @' + r['variant'] if r['variant'] else ''} | {num(r['ratio'], '.2f')} | {num(r['ratio_min'], '.2f')} | "
          f"{num(r['our_pct'], '.0f')} | {num(r['peer_pct'], '.0f')} | {rate('flops')} | {rate('bytes')} |")

print("\n| group | ids | compared | geometric mean ratio | peer's mean % of limit |\n|---|---|---|---|---|")
for g in sorted({r["group"] for r in rows}) + [""]:
    of = [r for r in rows if r["group"].startswith(g)]
    ratios, pct = [r["ratio"] for r in of if r["ratio"] and r["key"] != "A.loop"], [r["peer_pct"] for r in of if r["peer_pct"]]
    print(f"| {g or 'all'} | {len(of)} | {len(ratios)} | {num(geomean(ratios) if ratios else None, '.2f')} | "
          f"{num(geomean(pct) if pct else None, '.0f')} |")

if args.ours:
    slow = sorted((r for r in rows if r["ratio"] and r["ratio"] < 1), key=lambda r: r["ratio"])
    print(f"\nBelow 1.0x ({len(slow)}):" + "".join(f"\n  {r['ratio']:.2f}x  {r['key']}" for r in slow))
    absent = [r["key"] for r in rows if not r["ratio"]]
    print(f"\nNot measured by ours ({len(absent)}): {', '.join(absent)}")
else:
    print("\nPeer furthest from the limit:")
    for r in sorted((r for r in rows if r["peer_pct"]), key=lambda r: r["peer_pct"])[:40]:
        print(f"  {r['peer_pct']:6.2f} %  {r['key']:24s} {show(r['p']['median'], r['p']['unit'])}")
