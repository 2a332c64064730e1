#!/usr/bin/env python3
"""Turns two tables of published figures into data/machines and data/models.

    tools/import_data.py machines hardware.csv     writes data/machines/<slug>.json, one a device
    tools/import_data.py models models.csv         writes data/models/index.json and <slug>/config.json

Its output is committed; it is run again only when a table changes. The rules that fill what a table leaves open
are written down in data/README.md, and every number that comes from a rule says so in its `source`.
Plain Python, no packages. Ends with data/index.txt, the list of what is built into the program.
"""
import csv
import json
import pathlib
import re
import sys

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
GIB = 2**30
MIB = 2**20


def slug(name):
    """As worktop::base::slug."""
    return re.sub(r"[^a-z0-9._]+", "-", name.lower()).strip("-")


def number(text):
    """The first number of a cell ("~47.4 (scaled)" is 47.4, "96 or 141" is 96), or None."""
    found = re.search(r"\d+(\.\d+)?", text or "")
    return float(found.group()) if found else None


def whole(value):
    return int(round(value))


# ---------------------------------------------------------------- machines

# Device memory that PyTorch reported as "total capacity", in GiB.
REPORTED = {
    "a100-sxm-80gb": (79.14, "lianqi1008/Control-GIC#6"),
    "a100-pcie-80gb": (79.14, "an A100 80 GB, lianqi1008/Control-GIC#6"),
    "a100-sxm-40gb": (39.50, "TianheWu/CoSeR#10"),
    "h100-sxm-80gb": (79.11, "vllm-project/vllm#27508"),
    "h100-pcie-80gb": (79.11, "an H100 80 GB, vllm-project/vllm#27508"),
    "gh200-96-141gb": (94.88, "the 96 GB part, Lightning-AI/litgpt#1892"),
    "b200-sxm-180gb": (178.35, "pytorch/ao#4002"),
    "l40s-48gb": (44.42, "ECC on, stepfun-ai/Step-Video-T2V#8"),
    "l4-24gb": (22.03, "ECC on, ArcInstitute/evo2#190"),
    "rtx-3090-24gb": (23.69, "ucwxb/GraphAvatar#4"),
    "rtx-4090-24gb": (23.64, "ali-vilab/VGen#104"),
    "rtx-5090-32gb": (31.36, "TrajectoryCrafter/TrajectoryCrafter#20"),
    "v100-sxm2-16gb": (15.75, "pytorch/pytorch#16036"),
    "v100-sxm2-32gb": (31.74, "haotian-liu/LLaVA#812"),
}
# Total memory that nvidia-smi prints, in MiB. PyTorch reports about 1.5 % less.
NVIDIA_SMI = {
    "h200-sxm-141gb": (143771, "H200"),
    "b300-sxm-288gb": (275040, "B300"),
    "gb300-288gb": (275040, "B300, same memory"),
    "a10-24gb": (23028, "A10, ECC on"),
    "a10g-24gb-aws-g5": (23028, "A10G, ECC on"),
}
SHARE_OF_PRINTED = 0.985

# The table gives no figure, or one with a condition: (bytes, source).
MEMORY = {
    "tpu-v7x": (192 * GIB * SHARE_OF_PRINTED, "assumed: 192 GiB as announced by its maker, not in the table; 98.5 % of it"),
    "mi250x-128gb": (64 * GIB * SHARE_OF_PRINTED, "assumed: one of two dies, 64 GB printed, read as GiB; 98.5 % of it"),
    "cpu-ryzen-9-7950x-dual-channel-ddr5-5200": (32 * GIB * 0.9, "assumed: the table says 32-128 GB, 32 GiB taken; 90 % of it for the process"),
    "cpu-ryzen-5-3600x-dual-channel-ddr4-3200": (32 * GIB * 0.9, "assumed: 32 GiB installed, not in the table; 90 % of it for the process"),
    "cpu-host-grace-lpddr5x": (480 * GIB * 0.9, "assumed: 480 GB as sold with GH200, not in the table; 90 % of it for the process"),
}
BANDWIDTH = {  # GB/s
    "tpu-v7x": (7380, "memory bandwidth as announced by its maker, not in the table"),
    "cpu-host-grace-lpddr5x": (500, "memory bandwidth as announced by its maker, not in the table"),
}
VECTOR = {  # fp32 TFLOP/s outside the matrix units
    "l4-24gb": (30.3, "fp32 rate from the maker's data sheet, not in the table"),
    "rtx-pro-6000-blackwell-ws-96gb": (125, "fp32 rate from the maker's data sheet, not in the table"),
    "cpu-host-grace-lpddr5x": (7.1, "fp32 rate: 72 cores x 3.1 GHz x 32 flops a cycle, not in the table"),
}
# Calibrated by MooreThreads/SimuMax (configs/system): effective share of memory bandwidth, and fused attention as
# a share of the measured matmul rate (0.70 of the peak over 0.776).
MEMORY_EFFICIENCY = {"a100-pcie-80gb": 0.75, "b200-sxm-180gb": 0.67}
ATTENTION_EFFICIENCY = {"b200-sxm-180gb": 0.9}

# Where no matmul was measured: the device whose efficiency is borrowed.
BORROWED = {
    "h100-sxm-96gb-hbm2e-500w": "h100-sxm-80gb",
    "h100-pcie-80gb": "h100-sxm-80gb",
    "gb300-288gb": "gb200-186gb",
    "l4-24gb": "l40s-48gb",
    "a10-24gb": "a100-pcie-80gb",
    "a10g-24gb-aws-g5": "a100-pcie-80gb",
    "rtx-a6000-48gb": "a100-pcie-80gb",
    "rtx-3090-24gb": "a100-pcie-80gb",
    "rtx-5090-32gb": "rtx-5060-ti-16gb",
    "rtx-pro-6000-blackwell-ws-96gb": "b200-sxm-180gb",
    "mi250x-128gb": "mi300x-192gb",
}
DEFAULT_EFFICIENCY = 0.65

COMPUTE_COLUMNS = [
    ("fp32", "fp32_tflops"),
    ("tf32", "tf32_tflops"),
    ("fp16", "fp16_dense_tflops"),
    ("bf16", "bf16_dense_tflops"),
    ("fp8", "fp8_dense_tflops"),
    ("int8", "int8_dense_tops"),
]

# Disk links are the same everywhere: a consumer NVMe drive on PCIe 4.
DISK_WRITE, DISK_READ = 3e9, 5e9
DISK_SOURCE = "assumed: NVMe drive on PCIe 4, 5 GB/s reading and 3 GB/s writing; both at once: half of each"


def dies(name):
    """The figures of an MI250X are for two dies, each of which is a device of its own."""
    return 2 if name == "mi250x-128gb" else 1


def usable(name, row):
    if name in REPORTED:
        gib, where = REPORTED[name]
        return gib * GIB, f"total capacity reported by PyTorch, {gib:.2f} GiB ({where})"
    if name in NVIDIA_SMI:
        mib, what = NVIDIA_SMI[name]
        return mib * MIB * SHARE_OF_PRINTED, f"{mib} MiB printed by nvidia-smi ({what}), 98.5 % of it"
    if name in MEMORY:
        return MEMORY[name]
    printed = number(row["mem_gb"])
    return printed * GIB * SHARE_OF_PRINTED, f"assumed: {printed:g} GB printed, read as GiB, 98.5 % of it"


def context(name, row):
    if name.startswith("v100"):
        return 1113 * MIB
    return 512 * MIB if row["kind"] == "gpu" else 0


def measured_efficiency(row):
    """Of bf16, on large products: the ratio given, or of the two columns; never above 1."""
    given = number(row["bf16_matmul_eff"])
    rate, peak = number(row["bf16_matmul_measured_tflops"]), number(row["bf16_dense_tflops"])
    if given is None and rate and peak:
        given = round(rate / peak, 3)
    return min(given, 1.0) if given else None


def matmul(name, row, rows):
    lender = BORROWED.get(name)
    own = measured_efficiency(row)
    if own:
        basis, note = own, "measured for bf16 on this device"
    elif lender:
        basis, note = measured_efficiency(rows[lender]), f"efficiency borrowed from {lender}"
    else:
        basis, note = DEFAULT_EFFICIENCY, f"efficiency assumed, {DEFAULT_EFFICIENCY}"
    rates = []
    for dtype, column in COMPUTE_COLUMNS:
        peak = number(row[column])
        if peak is None and dtype == "fp32" and name in VECTOR:
            peak = VECTOR[name][0]
        if peak is None:
            continue
        efficiency, measured, source = basis, False, note
        if own and dtype == "bf16":
            measured, source = True, row["source_compute"]
        elif own:
            source = "efficiency borrowed from bf16 of this device"
        fp8 = number(row["fp8_matmul_measured_tflops"])
        if dtype == "fp8" and fp8:
            efficiency, measured, source = round(fp8 / peak, 3), True, row["source_compute"]
        rates.append({
            "dtype": dtype, "peak_flops_per_s": whole(peak / dies(name) * 1e12), "efficiency": efficiency,
            "measured": measured, "source": source})
    return rates


def vector(name, row):
    given = number(row["fp32_tflops"])
    if given:
        return given / dies(name) * 1e12
    if name in VECTOR:
        return VECTOR[name][0] * 1e12
    return number(row["bf16_dense_tflops"]) / 32 * 1e12  # a TPU's vector unit (jax-ml/scaling-book, v5p)


def link(frm, to, bandwidth, both, latency_ns, smallest, source):
    return {"from": frm, "to": to, "bandwidth_bytes_per_s": whole(bandwidth), "both_ways_bytes_per_s": whole(both),
            "latency_ns": latency_ns, "smallest_bytes": smallest, "source": source}


def host_links(name, row):
    kind = row["host_numbers_kind"] or row["host_link"]
    origin = f"{row['host_link']}: {kind}" if kind != row["host_link"] else row["host_link"]
    up, down = number(row["h2d_gbps"]), number(row["d2h_gbps"])
    if up is None:
        up = down = 32.0
        origin = "assumed: 32 GB/s as TPU-v6e, not in the table"
    if down is None:
        down = up
        origin += "; device to host taken as host to device"
    links = []
    for frm, to, one_way, column in (("device", "host", down, "duplex_d2h_gbps"), ("host", "device", up, "duplex_h2d_gbps")):
        one_way /= dies(name)
        both = number(row[column])
        source = origin
        if both is None:
            both = one_way / 2
            source += "; both ways at once assumed: half"
        else:
            both = min(both, one_way)
        if dies(name) > 1:
            source += "; shared by two dies: half"
        links.append(link(frm, to, one_way * 1e9, both * 1e9, 10_000, MIB, source))
    return links


def disk_links(upper):
    return [link(upper, "disk", DISK_WRITE, DISK_WRITE / 2, 100_000, 4 * MIB, DISK_SOURCE),
            link("disk", upper, DISK_READ, DISK_READ / 2, 100_000, 4 * MIB, DISK_SOURCE)]


def title(row):
    name = row["device"]
    if name.startswith("MI250X"):
        return name + ", one of its two dies"
    if name.startswith("GH200"):
        return name + ", the 96 GB part"
    return name


def machine(row, rows):
    name = slug(row["device"])
    cpu = row["kind"] == "cpu"
    bytes_, bytes_source = usable(name, row)
    bandwidth = number(row["mem_bw_gbps"]) or BANDWIDTH[name][0]
    notes = [row["notes"]] if row["notes"] else []
    notes += [table[name][1] for table in (BANDWIDTH, VECTOR) if name in table]
    if row["kind"] == "tpu":
        notes.append("fp32 outside the matrix unit assumed: 1/32 of the bf16 rate")
    sources = [row["source_compute"], row["source_memory"], row["source_link"]]
    return {
        "format": "worktop-machine",
        "version": 1,
        "name": name,
        "title": title(row),
        "vendor": row["vendor"],
        "kind": row["kind"],
        "usable_bytes": whole(bytes_),
        "usable_source": bytes_source,
        "context_bytes": context(name, row),
        "margin": 0.04,
        "memory_bandwidth_bytes_per_s": whole(bandwidth / dies(name) * 1e9),
        "memory_efficiency": MEMORY_EFFICIENCY.get(name, 0.85),
        "vector_flops_per_s": whole(vector(name, row)),
        "attention_efficiency": ATTENTION_EFFICIENCY.get(name, 0.6),
        "launch_ns": 1_000 if cpu else 5_000,
        "compute_slowdown": 0.0,
        "matmul": matmul(name, row, rows),
        "links": disk_links("device") if cpu else host_links(name, row) + disk_links("host"),
        "source": "; ".join(dict.fromkeys(s for s in sources if s)),
        "notes": "; ".join(notes),
    }


# ---------------------------------------------------------------- models

ALIASES = {
    "gpt-2-124m": ["gpt2"], "gpt-2-355m-medium": ["gpt2-medium"], "gpt-2-774m-large": ["gpt2-large"],
    "gpt-2-1.5b-xl": ["gpt2-xl"],
}
INTEGERS = ("layers hidden heads kv_heads head_dim intermediate vocab vocab_padded n_experts n_shared_experts topk "
            "moe_intermediate dense_layers mla_q_lora mla_kv_lora mla_qk_nope mla_qk_rope mla_v_dim enc_layers "
            "dec_layers params_computed").split()
ARCHITECTURES = {  # of the families that get a config.json
    "GPT-2": ("GPT2LMHeadModel", "gpt2"),
    "Llama-2": ("LlamaForCausalLM", "llama"),
    "Llama-3": ("LlamaForCausalLM", "llama"),
    "Llama-3.2": ("LlamaForCausalLM", "llama"),
    "TinyLlama": ("LlamaForCausalLM", "llama"),
    "Mistral": ("MistralForCausalLM", "mistral"),
    "Qwen2.5": ("Qwen2ForCausalLM", "qwen2"),
    "Qwen3": ("Qwen3ForCausalLM", "qwen3"),
    "Phi-3": ("Phi3ForCausalLM", "phi3"),
    "Phi-4": ("Phi3ForCausalLM", "phi3"),
    "Phi": ("Phi3ForCausalLM", "phi3"),
}


def has_config(row):
    return row["family"] in ARCHITECTURES and row["ffn_type"] in ("gelu", "swiglu")


def gpt2_config(row):
    return {
        "architectures": ["GPT2LMHeadModel"], "model_type": "gpt2", "activation_function": "gelu_new",
        "attn_pdrop": 0.1, "embd_pdrop": 0.1, "resid_pdrop": 0.1, "initializer_range": 0.02,
        "layer_norm_epsilon": 1e-05, "n_ctx": int(row["ctx"]), "n_embd": int(row["hidden"]),
        "n_head": int(row["heads"]), "n_layer": int(row["layers"]), "n_positions": int(row["ctx"]),
        "vocab_size": int(row["vocab"])}


def rope_scaling(name):
    """Llama 3.1 and 3.2 stretch the rotary positions; it costs nothing and is kept as published."""
    if not name.startswith(("llama-3.1", "llama-3.2")):
        return None
    return {"factor": 32.0 if name.startswith("llama-3.2") else 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
            "original_max_position_embeddings": 8192, "rope_type": "llama3"}


def rotary_config(row):
    name = slug(row["model"])
    architecture, model_type = ARCHITECTURES[row["family"]]
    theta = re.search(r"theta=(\d+)", row["pos_emb"])
    positions = int(row["ctx"]) if row["ctx"] else {"tinyllama-1.1b": 2048, "phi-3-medium": 4096}[name]
    config = {
        "architectures": [architecture], "model_type": model_type, "attention_dropout": 0.0, "hidden_act": "silu",
        "hidden_size": int(row["hidden"]), "initializer_range": 0.02,
        "intermediate_size": int(row["intermediate"]), "max_position_embeddings": positions,
        "num_attention_heads": int(row["heads"]), "num_hidden_layers": int(row["layers"]),
        "num_key_value_heads": int(row["kv_heads"]),
        "rms_norm_eps": 1e-06 if model_type.startswith("qwen") else 1e-05,
        "rope_theta": float(theta.group(1)) if theta else 10000.0,
        "tie_word_embeddings": row["tie_embeddings"] == "yes", "torch_dtype": "bfloat16",
        "vocab_size": int(row["vocab_padded"])}
    if model_type == "llama":
        config |= {"attention_bias": False, "mlp_bias": False, "rope_scaling": rope_scaling(name)}
    if model_type == "mistral":
        config["sliding_window"] = 4096 if name.endswith("v0.1") else None
        if name.endswith("v0.1"):
            config["max_position_embeddings"] = 32768  # the table gives its window
    if model_type == "qwen3":
        config |= {"attention_bias": False, "head_dim": int(row["head_dim"]), "rope_scaling": None}
    if model_type.startswith("qwen"):
        config |= {"use_sliding_window": False, "sliding_window": None}
    if model_type == "phi3":
        config |= {"embd_pdrop": 0.0, "resid_pdrop": 0.0, "rope_scaling": None,
                   "original_max_position_embeddings": positions,
                   "sliding_window": None if name == "phi-4" else 2047}
    return dict(sorted(config.items()))


def parameters(config):
    """Counted from the config alone: the table's own count must come out."""
    if config["model_type"] == "gpt2":
        h, n = config["n_embd"], config["n_layer"]
        block = 4 * h + (3 * h * h + 3 * h) + (h * h + h) + (4 * h * h + 4 * h) + (4 * h * h + h)
        return (config["vocab_size"] + config["n_positions"]) * h + n * block + 2 * h
    h, heads, kv = config["hidden_size"], config["num_attention_heads"], config["num_key_value_heads"]
    d = config.get("head_dim", h // heads)
    block = 2 * h + h * d * (heads + 2 * kv) + heads * d * h + 3 * h * config["intermediate_size"]
    block += {"qwen2": d * (heads + 2 * kv), "qwen3": 2 * d}.get(config["model_type"], 0)
    embeddings = config["vocab_size"] * h * (1 if config["tie_word_embeddings"] else 2)
    return embeddings + config["num_hidden_layers"] * block + h


def index_entry(row):
    name = slug(row["model"])
    entry = {"name": name, "title": row["model"], "aliases": ALIASES.get(name, []), "config": has_config(row)}
    for column, text in row.items():
        if column != "model":
            entry[column] = (int(text) if text else None) if column in INTEGERS else text
    return entry


# ---------------------------------------------------------------- files

def lines(value, indent=""):
    """JSON with one line for each member, and for each element of a list of objects."""
    inner = indent + "  "
    if isinstance(value, dict) and not indent:
        body = ",\n".join(f"{inner}{json.dumps(k)}: {lines(v, inner)}" for k, v in value.items())
        return "{\n" + body + "\n}"
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(inner + json.dumps(v, ensure_ascii=False) for v in value) + "\n" + indent + "]"
    return json.dumps(value, ensure_ascii=False)


def write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(lines(value) + "\n", encoding="utf-8")


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def import_machines(path):
    rows = {slug(row["device"]): row for row in read(path)}
    for name, row in rows.items():
        write(DATA / "machines" / f"{name}.json", machine(row, rows))


def import_models(path):
    rows = read(path)
    for row in rows:
        if not has_config(row):
            continue
        config = gpt2_config(row) if row["family"] == "GPT-2" else rotary_config(row)
        if parameters(config) != int(row["params_computed"]):
            sys.exit(f"{row['model']}: {parameters(config)} parameters, the table has {row['params_computed']}")
        write(DATA / "models" / slug(row["model"]) / "config.json", config)
    write(DATA / "models" / "index.json",
          {"format": "worktop-models", "version": 1, "models": [index_entry(row) for row in rows]})


def write_list():
    files = sorted(p.relative_to(DATA).as_posix() for p in DATA.rglob("*.json"))
    (DATA / "index.txt").write_text(
        "# What is built into the program (cmake/worktop_data.cmake), one file a line.\n" + "\n".join(files) + "\n",
        encoding="utf-8")


def main():
    kinds = {"machines": import_machines, "models": import_models}
    if len(sys.argv) != 3 or sys.argv[1] not in kinds:
        sys.exit(__doc__)
    kinds[sys.argv[1]](sys.argv[2])
    write_list()


if __name__ == "__main__":
    main()
