"""Ways in which a built folder may be wrong, each with a part of the one line that must be said of it.

Every one changes a folder of toy rows. Beside the folder lies another, where nothing may be written and from
where nothing may be sent.
"""

from __future__ import annotations

import os

import pyarrow as pa

from toys.tampered.acts import (
    OTHER,
    SECRET,
    SHARD,
    Act,
    broken_text,
    column,
    configured,
    content,
    cut,
    entry,
    flipped,
    folded,
    garbage,
    gone,
    linked,
    longer,
    named,
    odd_plot,
    piped,
    plots_file,
    rows,
    said,
    text,
)

TAMPERINGS: dict[str, tuple[Act, str]] = {}


def add(name: str, says: str, act: Act) -> None:
    assert name not in TAMPERINGS
    TAMPERINGS[name] = act, says


# ---- the manifest as a file

NOT = "is not the manifest of a build: "
add("no manifest", "holds no build: ", lambda folder: gone(folder, "manifest.json"))
add("a folder for a manifest", "manifest.json: Is a directory", folded("manifest.json"))
add("a pipe for a manifest", "manifest.json is neither a file nor a folder", piped("manifest.json"))
add("a link for a manifest", "manifest.json is a symbolic link", linked("manifest.json"))
add("a manifest of other bytes", f"{NOT}it is not UTF-8 text", content("manifest.json", b"\xff\xfe{}"))
add("a manifest that is no JSON", f"{NOT}it is not JSON", content("manifest.json", b"{"))
add("a manifest nested deeply", f"{NOT}it is nested too deeply", content("manifest.json", b"[" * 100_000))
add("a manifest that is a list", f"{NOT}it is not a JSON object", content("manifest.json", b"[]"))
add("a number that is none", f"{NOT}NaN is not a number", text('"rows": 32', '"rows": NaN'))
add("an infinite number", f"{NOT}Infinity is not a number", text('"rows": 32', '"rows": Infinity'))
add(
    "a number of many digits",
    f"{NOT}it holds a number of too many digits",
    text('"rows": 32', f'"rows": {"9" * 5000}'),
)
add("a name twice", f"{NOT}'version' stands there twice", text('"version"', '"version": "9.9.9", "version"'))

# ---- what the manifest says

add("no version", f"{NOT}the manifest has no 'version'", said(version=None))
add("a version of two parts", f"{NOT}version is '1.0'", said(version="1.0"))
add("a version in other digits", f"{NOT}version is '1.0.\\u0663'", said(version="1.0.٣"))
add("a version and a line", f"{NOT}version is '1.0.0\\nx'", said(version="1.0.0\nx"))
add("a word too many", f"{NOT}the manifest has an unknown 'mine'", said(mine=1))
add("no configs", f"{NOT}configs is None", said(configs=None))
add("configs in a list", f"{NOT}configs is []", said(configs=[]))
add("no rows", "has no rows yet: run its warp-ir build again", said(configs={}))
add("an unknown config", f"{NOT}unknown config 'vulkan'", configured("vulkan"))
add("a config that leads up", f"{NOT}unknown config '../../../x'", configured("../../../x"))
add("a config that is a path", f"{NOT}unknown config '/tmp/x'", configured("/tmp/x"))
add("a config without files", f"{NOT}cuda has no 'files'", said(configs__cuda__files=None))
add("files in a list", f"{NOT}files of cuda is [1]", said(configs__cuda__files=[1]))
add(
    "draws that are no number", f"{NOT}math in draws of cuda is '7'", said(configs__cuda__draws={"math": "7"})
)
for number, name in enumerate(
    (
        "../../outside/train-00000-of-00001.parquet",
        "/etc/train-00000-of-00001.parquet",
        "cuda\\train-00000-of-00001.parquet",
        "cuda/../cpu/train-00000-of-00001.parquet",
        "cuda/train-00000-of-00001.parquet\0.txt",
        "cuda/train-٠0000-of-00001.parquet",
        "сuda/train-00000-of-00001.parquet",
        "cpu/train-00000-of-00001.parquet",
        "cuda/dev-00000-of-00001.parquet",
        "cuda/train-00001-of-00001.parquet",
        "cuda/train.parquet",
        "",
    )
):
    add(f"a file's name, {number}", f"{name!a} is not the name of a file such as", named(name))
add("no split", f"{NOT}{SHARD} has no 'split'", entry(split=None))
add("an unknown split", f"{NOT}split of {SHARD} is 'dev'", entry(split="dev"))
add("another split", f"{NOT}split of {SHARD} is 'test'", entry(split="test"))
add("no SHA-256", f"{NOT}{SHARD} has no 'sha256'", entry(sha256=None))
add("a SHA-256 that is none", f"{NOT}sha256 of {SHARD} is 'ABC'", entry(sha256="ABC"))
add("another SHA-256", "(its SHA-256 is another)", entry(sha256="0" * 64))
add("no rows of a file", f"{NOT}{SHARD} has no 'rows'", entry(rows=None))
add("rows that are true", f"{NOT}rows of {SHARD} is True, not a whole number", entry(rows=True))
add("rows that are a fraction", f"{NOT}rows of {SHARD} is 32.0, not a whole number", entry(rows=32.0))
add("fewer rows than none", f"{NOT}rows of {SHARD} is -1, not a whole number", entry(rows=-1))
add("far too many bytes", f"{NOT}bytes of {SHARD} is 1000000", entry(bytes=10**40))
add("rejections in a list", f"{NOT}rejections of {SHARD} is []", entry(rejections=[]))
add("something about a file", f"{NOT}{SHARD} has an unknown 'url'", entry(url="https://example.org"))
add("no seed", f"{NOT}parameters has no 'seed'", said(parameters__seed=None))
add("a seed that is true", f"{NOT}seed of parameters is True", said(parameters__seed=True))
add("parameters in a list", f"{NOT}parameters is [1], not an object", said(parameters=[1]))
add("a command", f"{NOT}categories of parameters", said(parameters__categories=["math; rm -rf ~"]))
add("versions without one", f"{NOT}versions has no 'pyarrow'", said(versions__pyarrow=None))
add("a version of lines", f"{NOT}clang of versions is '1\\n# x'", said(versions__clang="1\n# x"))

# ---- rows

AGAIN = "it is missing or damaged: run the same warp-ir build again"
add("no shard", f"(No such file or directory): {AGAIN}", lambda folder: gone(folder, SHARD))
add("a shard cut short", "bytes instead of", lambda folder: os.truncate(folder / SHARD, 1000))
add("an empty shard", f"(it has 0 bytes instead of", content(SHARD, b""))  # noqa: F541
add("one bit of a shard", f"(its SHA-256 is another): {AGAIN}", flipped)
add("a folder for a shard", f"{SHARD} (", folded(SHARD))
add("a pipe for a shard", f"{SHARD} is neither a file nor a folder", piped(SHARD))
add("a link for a shard", f"{SHARD} is a symbolic link", linked(SHARD))
add("a link for a config", "cuda is a symbolic link", linked("cuda"))
add("a shard that is no Parquet", f"cannot read {{}}/{SHARD} (", garbage)
add("a shard of fewer rows", f"(it has 20 rows instead of 32): {AGAIN}", cut)
add("a column less", "(its columns are not those of a build)", rows(lambda table: table.drop(["ptx"])))
add(
    "a column of another type",
    "(its columns are not those of a build)",
    rows(lambda table: table.set_column(4, "difficulty", table["difficulty"].cast(pa.int64()))),
)
add("a null", "(it has nulls in 'prompt')", rows(column("prompt", lambda _: None)))
add("a null in a list", "(it has nulls in 'builtins')", rows(column("builtins", lambda _: [None])))
add(
    "a null inside",
    "(it has nulls in 'arguments')",
    rows(column("arguments", lambda a: [{**a[0], "type": None}])),
)
add(
    "a bound that is no number",
    "(it has a 'high' that is not finite)",
    rows(column("arguments", lambda a: [{**a[0], "high": float("inf")}])),
)
add("no PTX", "(it has nulls in 'ptx')", rows(column("ptx", lambda _: None)))
add("PTX for a CPU", "(it has 'ptx' where cpu has none)", rows(column("ptx", lambda _: "x"), OTHER))
add("an id that leads up", "(a value of 'id' is not valid)", rows(column("id", lambda _: "../../../x")))
add("an id of lines", "(a value of 'id' is not valid)", rows(column("id", lambda id: id + "\n")))
add("a family of its own", "(a value of 'category' is not valid)", rows(column("category", lambda _: "| x")))
add(
    "a ninth level",
    "(it has a 'difficulty' that is not from 1 to 5)",
    rows(column("difficulty", lambda _: 9)),
)
add(
    "an error that is no number",
    "(it has a 'cuda_text_error' that is not finite)",
    rows(column("checks", lambda checks: {**checks, "cuda_text_error": float("nan")})),
)
add("text that is none", "UTF", rows(broken_text))

# ---- what lies beside

CARD = "README.md is not the card of these rows: "
ELSEWHERE = "its YAML is not that of the manifest"
add("a card of other bytes", f"{CARD}it is not UTF-8 text", content("README.md", b"\x89\xff\0"))
add("a card without YAML", f"{CARD}{ELSEWHERE}", content("README.md", b"# Kernels\n"))
add("a card of broken YAML", f"{CARD}its YAML cannot be read", content("README.md", b"---\na: [\n---\n"))
add(
    "a card nested deeply",
    f"{CARD}its YAML is nested too deeply",
    content("README.md", b"---\n%b\n---\n" % (b"[" * 9000)),
)
BOMB = b"---\na: &a {x: 1}\nb: &b\n  <<: [*a, *a]\nconfigs: *b\n---\n"
add("a card that repeats itself", f"{CARD}its YAML has an alias", content("README.md", BOMB))
add(
    "a card that never ends",
    f"{CARD}its YAML is too long",
    content("README.md", b"---\n%b\n---\n" % (b"- a\n" * 20_000)),
)
add("a card of other rows", f"{CARD}{ELSEWHERE}", text("num_examples: 32", "num_examples: 33", "README.md"))
add("a card of other files", f"{CARD}{ELSEWHERE}", text("cuda/train-*", "../outside/train-*", "README.md"))
add(
    "a card with a place of its own",
    f"{CARD}{ELSEWHERE}",
    text("- config_name", "- data_dir: /\n  config_name", "README.md"),
)
add("a folder for a card", "README.md is a folder, not a file", folded("README.md"))
add("a link for a card", "README.md is a symbolic link", linked("README.md"))
NEAR = "near_duplicates.json is not what a build wrote: "
add("neighbours that are no JSON", f"{NEAR}it is not JSON", content("near_duplicates.json", SECRET.encode()))
add(
    "neighbours that are none",
    f"{NEAR}it does not say",
    content("near_duplicates.json", b'{"key": "secret"}'),
)
add(
    "neighbours far away",
    f"{NEAR}it does not say",
    content("near_duplicates.json", b'{"cpu": {"test": {"0123456789abcdef": 7}}}'),
)
add("a link for neighbours", "near_duplicates.json is a symbolic link", linked("near_duplicates.json"))
PLOT = "is not what a build wrote: it is not a PNG"
add("a plot that is none", f"lengths.png {PLOT}", content("plots/lengths.png", SECRET.encode()))
add("a plot and more", f"lengths.png {PLOT}", longer)
add("a plot of another name", "'plots/two\\nlines.png'", odd_plot)
add("a link for a plot", "lengths.png is a symbolic link", linked("plots/lengths.png"))
add("a link for plots", "plots is a symbolic link", linked("plots"))
add("a file for plots", "plots is a file, not a folder", plots_file)
