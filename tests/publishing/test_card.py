from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datasets
import pyarrow.parquet as pq
import pytest
import yaml
from huggingface_hub import DatasetCard, DatasetCardData
from toys import rows as toy_rows
from toys.folders import plotting
from toys.rows import TASKS

import warp_ir_dataset
from warp_ir_dataset.builds.output.manifest import published
from warp_ir_dataset.builds.row import (
    COLLECTED_SCHEMA,
    PLAIN_CHECKS,
    PLAIN_SCHEMA,
    REPAIR_SCHEMA,
    SCHEMA,
    features,
)
from warp_ir_dataset.common.about import citation
from warp_ir_dataset.common.configs import CONFIGS, SPLITS
from warp_ir_dataset.common.outcomes import Reason
from warp_ir_dataset.common.versions import DATASET_VERSION
from warp_ir_dataset.language.python.grams import grams
from warp_ir_dataset.loading.builder import WarpIR
from warp_ir_dataset.publishing import plots
from warp_ir_dataset.publishing.card import ADDRESS, PLACE, built_card, default_card, located, write_card
from warp_ir_dataset.publishing.facts import TEXTS
from warp_ir_dataset.publishing.front_matter import _size_category
from warp_ir_dataset.publishing.sizes import row_sizes

pytestmark = pytest.mark.folder

PACKAGE = Path(warp_ir_dataset.__file__).parent
NOTES = PACKAGE.parent / "dataset_card"
TOKEN = re.compile(r"(?:[^\W\d_]|[^\x00-\x7f])+|[0-9]+|[^\w\s]|_|\s{2,}")
PUBLISHED = "https://huggingface.co/datasets/a/b"
MODEL = "Qwen/Qwen2.5-Coder-0.5B"
FENCED = re.compile(r"^(`{3,})(\w*)\n(.*?)^\1$", re.DOTALL | re.MULTILINE)


# ---- the card of the checkout


def test_the_packages_readme_is_the_default_card() -> None:
    written = (PACKAGE / "README.md").read_text(encoding="utf-8")
    assert written == default_card(), "python -m warp_ir_dataset.publishing.card > warp_ir_dataset/README.md"


def test_datasets_finds_the_configs_and_their_default() -> None:
    assert datasets.get_dataset_config_names(str(PACKAGE)) == list(CONFIGS)
    assert datasets.load_dataset_builder(str(PACKAGE)).config.name == "cuda"


@pytest.mark.parametrize("config", TASKS)
def test_datasets_reads_features_and_sizes_from_the_card(config: str) -> None:
    info = datasets.load_dataset_builder(str(PACKAGE), config).info
    assert info.features == features(config)
    assert {name: split.num_examples for name, split in info.splits.items()} == {
        "train": 960,
        "validation": 120,
        "test": 120,
    }
    memory = {name: split.num_bytes for name, split in info.splits.items()}
    row = CONFIGS[config].row_bytes
    assert memory == {"train": 960 * row, "validation": 120 * row, "test": 120 * row}
    assert info.dataset_size == sum(memory.values())
    assert info.download_size == 1200 * CONFIGS[config].file_bytes


@pytest.mark.parametrize("config", CONFIGS)
def test_both_entry_points_say_what_a_config_is(config: str) -> None:
    checkout = datasets.load_dataset_builder(str(PACKAGE), config).info
    builder = WarpIR(config).info
    for info in (checkout, builder):
        assert config in info.description and CONFIGS[config].pairs in info.description
        assert info.license == "apache-2.0" and info.homepage == ""
        assert " ".join(info.citation.split()) == " ".join(citation().split())
    assert str(builder.version) == DATASET_VERSION


def test_the_citation_is_bibtex_with_the_version() -> None:
    text = citation("7.0.1")
    fields = dict(re.findall(r"^  (\w+) = \{(.*)\},?$", text, re.M))
    assert text.startswith("@misc{warp_ir_dataset,\n") and text.count("{") == text.count("}")
    assert list(fields) == ["author", "title", "year", "version"]  # and no address is made up
    assert (fields["version"], fields["year"]) == ("7.0.1", "2026")
    assert f"  howpublished = {{{PUBLISHED}}}\n" in citation("1.0.0", PUBLISHED)


def test_the_card_promises_no_number_of_collected_rows() -> None:
    info = datasets.load_dataset_builder(str(PACKAGE), "handwritten").info
    assert info.features == features("handwritten") and info.splits is None
    assert re.search(r"^\| `handwritten` \| 0 \| 0 \| up to [1-9]\d* \|$", default_card(), re.M)


def test_no_module_has_the_name_that_datasets_takes_for_a_script() -> None:
    assert not (PACKAGE / f"{PACKAGE.name}.py").exists()


# ---- what is written by hand


def test_every_column_proof_and_reason_has_a_note() -> None:
    notes = yaml.safe_load((NOTES / "notes.yaml").read_text())
    assert [name for name in notes["columns"] if name in COLLECTED_SCHEMA.names] == COLLECTED_SCHEMA.names
    assert [name for name in notes["columns"] if name in REPAIR_SCHEMA.names] == REPAIR_SCHEMA.names
    assert set(notes["columns"]) == {*COLLECTED_SCHEMA.names, *REPAIR_SCHEMA.names}
    assert [name for name in notes["columns"] if name in SCHEMA.names] == SCHEMA.names
    assert [name for name in notes["columns"] if name in PLAIN_SCHEMA.names] == PLAIN_SCHEMA.names
    assert list(notes["checks"]) == [field.name for field in PLAIN_CHECKS]
    assert list(notes["reasons"]) == [reason.value for reason in Reason]


def test_the_changelog_begins_with_this_version() -> None:
    assert (NOTES / "changelog.md").read_text().startswith(f"- **{DATASET_VERSION}**: ")


def test_no_count_is_typed_by_hand() -> None:
    """What is left of numbers in the template are names of types, quantiles and a licence."""
    template = FENCED.sub("", (NOTES / "template.md").read_text())
    assert set(re.findall(r"[\w.]*\d[\w.]*\w", template)) <= {
        *("vec3f", "mat23d", "float32", "float64", "90", "99", "2.0")
    }


# ---- the card of a build


@pytest.fixture(scope="module")
def card(built: Path) -> str:
    return (built / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def rows(built: Path) -> dict[str, dict[str, list[dict[str, Any]]]]:
    return {
        config: {
            split: [
                row
                for path in sorted((built / config).glob(f"{split}-*"))
                for row in pq.read_table(path).to_pylist()
            ]
            for split in SPLITS
        }
        for config in TASKS
    }


def tables(card: str) -> dict[str, list[list[str]]]:
    """Rows of every table by the first cell of its head, or by the last one where configs come first."""
    found: dict[str, list[list[str]]] = {}
    for block in re.findall(r"(?:^\|.*\n)+", FENCED.sub("", card), re.MULTILINE):
        head, _, *rest = [
            [cell.strip().strip("`") for cell in line[1:-1].split(" | ")] for line in block.splitlines()
        ]
        name = head[-1] if head[0] == "config" else head[0]
        assert name not in found
        found[name] = rest
    return found


def plain(number: int) -> str:
    return f"{number:,}"


def percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f}%"


def every(rows: dict[str, dict[str, list[dict[str, Any]]]], config: str) -> list[dict[str, Any]]:
    return [row for split in SPLITS for row in rows[config][split]]


@pytest.mark.parametrize(
    ("rows", "name"), [(999, "n<1K"), (10**6, "1M<n<10M"), (10**7, "10M<n<100M"), (6 * 10**7, "10M<n<100M")]
)
def test_the_hubs_names_of_sizes(rows: int, name: str) -> None:
    assert _size_category(rows) == name


def test_what_the_hub_reads(card: str) -> None:
    parsed = DatasetCard(card, ignore_metadata_errors=False)
    assert isinstance(parsed.data, DatasetCardData)
    head = parsed.data.to_dict()
    assert (head["license"], head["language"], head["size_categories"]) == (
        "apache-2.0",
        ["en", "code"],
        ["n<1K"],
    )
    assert head["task_categories"] == ["text-generation"] and head["pretty_name"] and head["tags"]
    assert [config["config_name"] for config in head["configs"] if config.get("default")] == ["cuda"]
    configs = datasets.utils.metadata.MetadataConfigs.from_dataset_card_data(parsed.data)
    assert list(configs) == list(TASKS) and configs.get_default_config_name() == "cuda"
    infos = datasets.info.DatasetInfosDict.from_dataset_card_data(parsed.data)
    assert all(info.features == features(config) for config, info in infos.items())


def test_yaml_says_what_is_there(built: Path, card: str, rows: Any) -> None:
    for info in yaml.safe_load(card.split("---")[1])["dataset_info"]:
        config = info["config_name"]
        assert {s["name"]: s["num_examples"] for s in info["splits"]} == {
            split: len(found) for split, found in rows[config].items()
        }
        assert info["download_size"] == sum(path.stat().st_size for path in (built / config).iterdir())
        assert info["dataset_size"] == sum(split["num_bytes"] for split in info["splits"])
        assert info["license"] == "apache-2.0" and config in info["description"]
        assert f"version = {{{DATASET_VERSION}}}" in info["citation"]


def test_sizes_of_rows_are_measured_in_a_build(built: Path, rows: Any) -> None:
    for config, (memory, stored) in row_sizes(built).items():
        files = [*(built / config).iterdir()]
        number = len(every(rows, config))
        assert memory == round(sum(pq.read_table(file).nbytes for file in files) / number)
        assert stored == round(sum(file.stat().st_size for file in files) / number)


def test_datasets_loads_the_folder(built: Path, rows: Any, tmp_path: Path) -> None:
    for config in TASKS:
        loaded = datasets.load_dataset(str(built), config, cache_dir=str(tmp_path))
        assert {split: list(found) for split, found in loaded.items()} == rows[config]
    default = datasets.load_dataset(str(built), split="test", cache_dir=str(tmp_path))
    assert list(default) == rows["cuda"]["test"]


def empty_sections(card: str) -> list[str]:
    """Titles with nothing before the next title of the same level or a higher one."""
    outside = FENCED.sub("code", card.split("---", 2)[2])
    parts = re.split(r"^(#{1,3}) (.*)\n", outside, flags=re.MULTILINE)[1:]
    sections = list(zip(parts[::3], parts[1::3], parts[2::3], strict=True))
    following = [*(level for level, _, _ in sections[1:]), "#"]
    return [
        title
        for (level, title, text), after in zip(sections, following, strict=True)
        if not text.strip() and len(after) <= len(level)
    ]


def test_no_section_is_empty(card: str) -> None:
    assert empty_sections(card) == []
    assert empty_sections("---\n---\n# A\n## B\n\n## C\ntext\n") == ["B"]
    assert len(re.findall(r"^#{1,3} ", FENCED.sub("", card), re.MULTILINE)) >= 20
    outside = re.sub(r"`[^`]*`", "", FENCED.sub("", card.split("---", 2)[2]))
    assert "$" not in outside and "[[" not in outside


def test_tables_of_rows(card: str, rows: Any, built: Path) -> None:
    found = tables(card)
    assert found["MB"] == [
        [
            config,
            *(plain(len(rows[config][split])) for split in SPLITS),
            plain(len(every(rows, config))),
            f"{sum(path.stat().st_size for path in (built / config).iterdir()) / 1e6:.1f}",
        ]
        for config in TASKS
    ]
    others = {*REPAIR_SCHEMA.names, *PLAIN_SCHEMA.names} - {*SCHEMA.names}
    assert [row[0] for row in found["column"] if row[0] not in others] == SCHEMA.names
    for name in ("argument type", "built-in"):
        counters = {
            config: Counter(
                item
                for row in every(rows, config)
                for item in (
                    {a["type"] for a in row["arguments"]} if name == "argument type" else row["builtins"]
                )
            )
            for config in TASKS
        }
        assert {row[0]: row[1:] for row in found[name]} == {
            item: [plain(counters[config][item]) for config in TASKS]
            for item in set().union(*counters.values())
        }


def test_table_of_families(card: str, rows: Any) -> None:
    every_config = "` and `".join(TASKS)
    table = tables(card)[f"family, `{every_config}"]
    cells = Counter((row["category"], row["difficulty"]) for row in every(rows, "cuda"))
    levels = sorted({level for _, level in cells})
    for family in sorted({family for family, _ in cells}):
        counts = [cells[family, level] for level in levels]
        assert [family, *map(plain, counts), plain(sum(counts))] in table
    assert table[-1][-1] == plain(len(every(rows, "cuda")))


def test_tables_of_lengths(card: str, rows: Any) -> None:
    found = tables(card)
    expected = []
    fitting = []
    for config in TASKS:
        for name in TEXTS:
            texts = [row[name] for row in every(rows, config) if row.get(name) is not None]
            if texts:
                kinds = ([len(f(text)) for text in texts] for f in (str.splitlines, str, TOKEN.findall))
                expected.append([config, name, *map(spread, kinds)])
        pairs = [
            len(TOKEN.findall(r["prompt"])) + len(TOKEN.findall(r["completion"])) for r in every(rows, config)
        ]
        expected.append([config, "prompt` and `completion", "", "", spread(pairs)])
        limits = (1024, 2048, 4096, 8192, 16384)
        fitting.append([config, *(percent(sum(n <= k for n in pairs), len(pairs)) for k in limits)])
    assert found["tokens"] == expected
    assert found["16,384 tokens"] == fitting


def spread(values: list[int]) -> str:
    ordered = sorted(values)
    ranks = (-(-len(values) * percent // 100) - 1 for percent in (50, 90, 99, 100))
    return " / ".join(plain(ordered[rank]) for rank in ranks)


def test_tables_of_proofs_and_rejections(card: str, rows: Any, built: Path) -> None:
    found = tables(card)
    manifest = json.loads((built / "manifest.json").read_text())
    for name, _, *cells in found["in `checks"]:
        for config, cell in zip(TASKS, cells, strict=True):
            values = [v for row in every(rows, config) if (v := row["checks"].get(name)) is not None]
            expected = "-" if not values else f"{max(values):g}" if "error" in name else plain(sum(values))
            assert cell == expected, name
    rejected = {
        config: sum(
            (Counter(f["rejections"]) for f in manifest["configs"][config]["files"].values()), Counter()
        )
        for config in TASKS
    }
    assert [[name, *cells] for name, _, *cells in found["reason"]] == [
        *([reason.value, *(plain(rejected[c][reason.value]) for c in TASKS)] for reason in Reason),
        ["all", *(plain(rejected[c].total()) for c in TASKS)],
    ]
    assert found["rows"] == [
        [
            config,
            *(
                plain(sum(manifest["configs"][config][what].values()))
                for what in ("draws", "duplicates", "barred")
            ),
            plain(rejected[config].total()),
            plain(len(every(rows, config))),
        ]
        for config in TASKS
    ]


def test_tables_of_neighbours(card: str, rows: Any) -> None:
    found = tables(card)
    expected, left, skeletons = [], [], []
    for config in TASKS:
        train = [grams(row["python_source"]) for row in rows[config]["train"]]
        for split in SPLITS:
            others = {r["skeleton"] for at in SPLITS if at != split for r in rows[config][at]}
            own = [row["skeleton"] for row in rows[config][split]]
            ids = {row["id"] for row in rows[config][split]}
            counts = (len(own), len(ids), len(set(own)), len(set(own) & others))
            skeletons.append([config, split, *map(plain, counts)])
        for split in ("validation", "test"):
            nearest = [
                max(len(mine & other) / len(mine | other) for other in train)
                for mine in (grams(row["python_source"]) for row in rows[config][split])
            ]
            counts = [sum(value >= threshold for value in nearest) for threshold in (0.7, 0.8)]
            expected.append(
                [config, split, plain(len(nearest)), *(f"{n} ({percent(n, len(nearest))})" for n in counts)]
            )
        sets = [grams(row["python_source"]) for row in every(rows, config)]
        counts = [len(survivors(sets, threshold)) for threshold in (0.7, 0.8)]
        left.append([config, plain(len(sets)), *(f"{n} ({percent(n, len(sets))})" for n in counts)])
    assert found["also in another split"] == skeletons
    assert found["neighbour in train at 0.8"] == expected
    assert found["left at 0.8"] == left


def survivors(sets: list[set[str]], threshold: float) -> list[set[str]]:
    kept: list[set[str]] = []
    for mine in sets:
        if all(len(mine & other) / len(mine | other) < threshold for other in kept):
            kept.append(mine)
    return kept


def test_table_of_instructions(card: str, rows: Any) -> None:
    totals: dict[str, Counter[str]] = {}
    for config in ("cuda", "cuda_backward"):
        texts = [row["ptx"] for row in every(rows, config)]
        totals[config] = Counter(
            word.split(".")[0].rstrip(";")
            for text in texts
            for word in re.findall(r"^\t(?:@%p1 )?((?:mov|bra|fma|st|call|ret)\b\S*)", text, re.MULTILINE)
        )
    table = {row[0]: row[1:] for row in tables(card)["instruction"]}
    for word in totals["cuda"]:
        assert [table[word][0], table[word][2]] == [
            percent(totals[c][word], totals[c].total()) for c in ("cuda", "cuda_backward")
        ]
    assert tables(card)["occurrences"] == [
        [config, "9.4", "sm_80", plain(len(totals[config])), plain(totals[config].total())]
        for config in ("cuda", "cuda_backward")
    ]


def test_numbers_between_the_tables(built: Path, card: str, rows: Any) -> None:
    body = FENCED.sub("", card.split("---", 2)[2])
    total = sum(len(every(rows, config)) for config in TASKS)
    assert f"There are {total} rows in version {DATASET_VERSION}" in body
    assert hashlib.sha256((built / "manifest.json").read_bytes()).hexdigest() in body
    assert "sets of 5-grams" in body
    assert "The PTX is version 9.4" in body and "a driver for CUDA 13.4" in body
    pairs = sorted(
        len(TOKEN.findall(r["prompt"])) + len(TOKEN.findall(r["completion"])) for r in every(rows, "cuda")
    )
    limit = int(re.findall(r"max_length=(\d+)", card)[0])
    assert sum(n <= limit for n in pairs) >= 0.9 * len(pairs)
    assert limit == 1024 or sum(n <= limit // 2 for n in pairs) < 0.9 * len(pairs)


def test_one_whole_row_is_shown(card: str, rows: Any) -> None:
    short = json.loads(re.findall(r"```json\n(.*?)\n```", card, re.DOTALL)[0])
    row = next(row for row in rows["cuda"]["train"] if row["id"] == short["id"])
    assert {name: value for name, value in row.items() if name not in TEXTS} == short
    for name in TEXTS:
        assert f"<code>{name}</code>" in card and row[name].rstrip() in card


def test_near_rows_can_be_left_out(built: Path, rows: Any) -> None:
    nearest = json.loads((built / "near_duplicates.json").read_text())
    for config in TASKS:
        train = [grams(row["python_source"]) for row in rows[config]["train"]]
        for split in ("validation", "test"):
            assert list(nearest[config][split]) == [row["id"] for row in rows[config][split]]
            for row in rows[config][split]:
                mine = grams(row["python_source"])
                exact = max(len(mine & other) / len(mine | other) for other in train)
                assert 0 <= exact - nearest[config][split][row["id"]] < 1.1e-4


# ---- snippets


def snippets(card: str, language: str = "python") -> list[str]:
    """Code to be copied; a row's own code stands between longer fences."""
    return [code for fence, spoken, code in FENCED.findall(card) if fence == "```" and spoken == language]


# Threads of pyarrow that outlive a stream may abort a process that is at its end (apache/arrow issue 45214).
END = "\nimport os, sys\nsys.stdout.flush()\nos._exit(0)"


def run(code: str, cwd: Path) -> str:
    child = subprocess.run(
        [sys.executable, "-c", code + END],
        cwd=cwd,
        env={**os.environ, "HF_HOME": str(cwd / "hf")},
        capture_output=True,
        text=True,
    )
    assert child.returncode == 0, child.stderr[-3000:]
    return child.stdout


@pytest.mark.process
def test_loading_snippets_run(built: Path, card: str, rows: Any, tmp_path: Path) -> None:
    load, stream, _, near = snippets(
        located(card, "user/name").replace("hf://datasets/user/name", str(built))
    )
    first = rows["cuda"]["train"][0]
    shown = run(load.replace("user/name", str(built)), tmp_path)
    assert first["prompt"] in shown and first["completion"] in shown
    text = sum(len(row["prompt"]) + len(row["completion"]) for row in rows["cuda"]["train"])
    assert run(stream.replace("user/name", str(built)), tmp_path).startswith(f"{text:,} characters")
    left = run(near.replace("user/name", str(built)) + "print(*far['id'])", tmp_path).split()
    nearest = json.loads((built / "near_duplicates.json").read_text())["cuda"]["test"]
    assert left == [row["id"] for row in rows["cuda"]["test"] if nearest[row["id"]] < 0.7]


@pytest.mark.nightly
@pytest.mark.long
def test_the_training_snippet_runs(built: Path, card: str, tmp_path: Path) -> None:
    """With a tiny model of random weights in place of the one that would be downloaded."""
    pytest.importorskip("trl")
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.train_from_iterator([card], trainers.BpeTrainer(vocab_size=400, special_tokens=["<pad>", "<end>"]))
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=bpe, pad_token="<pad>", eos_token="<end>")
    sizes = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    model = LlamaForCausalLM(LlamaConfig(vocab_size=len(tokenizer), **sizes))
    for part in (model, tokenizer):
        part.save_pretrained(tmp_path / "tiny")
    code = snippets(card)[2]
    assert MODEL in code and PLACE in code
    code = code.replace(MODEL, str(tmp_path / "tiny")).replace(PLACE, str(built))
    run(code.replace('output_dir="sft"', 'output_dir="sft", max_steps=2, use_cpu=True, bf16=False'), tmp_path)
    assert (tmp_path / "sft").exists()


def test_the_command_rebuilds_the_same(
    toys: Callable[[], int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = ("--config", "cpu", "cuda", "--num-kernels", "30", "--seed", "9", "--category", "math", "atomic")
    asked += ("--difficulty", "2-4", "--skip-faults", "--dataset-version", "1.2.3")
    assert toy_rows.main(["build", "first", *asked]) == 0
    card = (tmp_path / "first" / "README.md").read_text()
    command, *words = shlex.split(snippets(card, "bash")[0])
    assert command == "warp-ir" and toy_rows.main(words) == 0
    assert published(Path("OUT")) == published(Path("first"))
    for name in published(Path("OUT")):
        assert Path("OUT", name).read_bytes() == Path("first", name).read_bytes(), name
    digest = hashlib.sha256(Path("OUT/manifest.json").read_bytes()).hexdigest()
    assert f"`{digest}`" in card and "version 1.2.3" in card


# ---- a card and its folder


def test_plots_are_shown_where_they_are(built: Path, card: str) -> None:
    shown = set(re.findall(r"\]\((plots/\w+\.png)\)", card))
    assert shown == {f"plots/{path.name}" for path in (built / "plots").iterdir()}
    assert shown == {f"plots/{plot.file}" for plot in plots.PLOTS}
    for name in shown:
        picture = (built / name).read_bytes()
        assert picture.startswith(b"\x89PNG") and len(picture) < 60_000


def test_a_card_without_matplotlib_has_no_plots(built: Path, card: str, tmp_path: Path) -> None:
    for name in published(built):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes((built / name).read_bytes())
    write_card(tmp_path)
    bare = (tmp_path / "README.md").read_text()
    assert "plots/" not in bare and not (tmp_path / "plots").exists()
    assert tables(bare) == tables(card)
    with plotting():
        write_card(tmp_path)
    assert (tmp_path / "README.md").read_text() == card == built_card(tmp_path)


def test_a_published_card_names_its_repository(card: str) -> None:
    text = located(card, "user/name")
    assert PLACE not in text and ADDRESS not in text
    assert 'load_dataset("user/name", "cuda")' in text
    assert "hf://datasets/user/name/near_duplicates.json" in text
    assert "{https://huggingface.co/datasets/user/name}" in text


def test_rows_of_unknown_origin_have_a_shorter_card(built: Path, tmp_path: Path) -> None:
    manifest = json.loads((built / "manifest.json").read_text())
    manifest |= {"parameters": {}, "versions": {}, "configs": {"cpu": manifest["configs"]["cpu"]}}
    for known in ("draws", "duplicates", "barred"):
        del manifest["configs"]["cpu"][known]
    shutil.copytree(built / "cpu", tmp_path / "cpu")
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    card = built_card(tmp_path)
    for gone in (
        "## Rebuild it",
        "### PTX",
        "### Rejected candidates",
        "### Versions and flags",
        "cuda/",
    ):
        assert gone not in card
    assert "default: true" in card  # cuda is not there to be it
    assert empty_sections(card) == []


def test_a_build_lists_only_splits_that_have_rows(toys: Callable[[], int], tmp_path: Path) -> None:
    assert toy_rows.main(["build", str(tmp_path / "out"), "--config", "cpu", "--num-kernels", "10"]) == 0
    card = (tmp_path / "out" / "README.md").read_text()
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    files = manifest["configs"]["cpu"]["files"]
    for name in [name for name in files if files[name]["split"] == "test"]:
        del files[name]
    (tmp_path / "out" / "manifest.json").write_text(json.dumps(manifest))
    shorter = built_card(tmp_path / "out")
    assert "path: cpu/test-*.parquet" in card and "path: cpu/test-*.parquet" not in shorter
    assert 'split="validation"' in shorter
