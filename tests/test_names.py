"""The names of lesson 17: where they come from, how they are split, and the models that match them."""

from __future__ import annotations

import csv

import pytest
import torch

from autograder.stand_ins.semantic_matching import BiEncoder
from course import matching, names_table
from course.matching import Collection
from course.names import LANGUAGES, LATIN, LONGEST, Characters, Name, all_names, clean, padded, transliterate


def test_nothing_that_is_held_out_is_known_in_any_language() -> None:
    names = all_names()
    known, held_out = ({one.english for one in side} for side in (names.known, names.held_out))
    assert not known & held_out and sorted(known | held_out) == names.english
    assert {one.language for one in names.held_out} == set(LANGUAGES)
    assert 0.15 < len(held_out) / len(names.english) < 0.25


def test_names_are_clean_and_the_usual_ones_are_there() -> None:
    names = all_names()
    everything = {(one.language, one.text): one.english for one in names.known + names.held_out}
    assert everything["de", "schweiz"] == everything["ru", "швейцария"] == "switzerland"
    assert all(clean(one.text) == one.text and 2 < len(one.text) <= LONGEST for one in names.known)


@pytest.mark.parametrize(
    ("text", "latin"),
    [
        ("Перу".lower(), "peru"),
        ("ґданськ", "gdans'k"),
        ("κύπρος", "kupros"),
        ("ουκρανία", "oukrania"),
        ("côte", "cote"),
    ],
)
def test_letters_are_turned_into_latin_ones(text: str, latin: str) -> None:
    assert transliterate(text) == latin.replace("kupros", "kipros")


def test_characters_become_ids_and_unknown_ones_have_one() -> None:
    chars = Characters(["peru", "chad"])
    assert chars.vocab_size == 4 + len(set("peruchad"))
    [row] = chars.batch(["Péru"]).tolist()
    assert row[1] == chars.unknown_id and chars.pad_id not in row
    assert chars.batch(["peru", "mali!"])[0, -1] == chars.pad_id
    assert padded([], 0).shape == (0, 0)


def test_a_collection_knows_what_belongs_to_what() -> None:
    queries = [Name("tschad", "de", "chad"), Name("перу", "ru", "peru")]
    found = Collection.of(queries, ["chad", "mali", "peru"])
    assert found.relevant.tolist() == [[True, False, False], [False, False, True]]
    assert found.latin().tolist() == [True, False] and "ru" not in LATIN


def test_all_texts_are_encoded_in_their_order_and_what_is_ranked_again_stays_above() -> None:
    names = all_names()
    chars = Characters(names.english)
    model = BiEncoder(matching.new_bert(chars, 0)).eval()
    texts = names.english[:40]
    together = matching.encode_all(model, chars, texts)
    with torch.no_grad():
        alone = torch.cat([model.encode(chars.batch([text])) for text in texts[:5]])
    assert torch.allclose(together[:5], alone, atol=1e-5)
    part = Collection.of([one for one in names.known if one.english in texts][:6], texts)
    scores = torch.rand(6, 40, generator=torch.Generator().manual_seed(0))
    again = matching.rerank(matching.new_cross_encoder(chars, 0).eval(), chars, part, scores, count=4)
    for old, new in zip(scores, again, strict=True):
        assert set(old.topk(4).indices.tolist()) == set(new.topk(4).indices.tolist())


def test_the_table_in_the_data_folder_has_three_seeds_of_each_model() -> None:
    with (names_table.DATA / "names.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    seeds = {who: [row["seed"] for row in rows if row["who"] == who] for who in {row["who"] for row in rows}}
    assert seeds["bi-encoder"] == ["0", "1", "2"] and seeds["TF-IDF"] == ["0"]
    page = (names_table.DATA / "names.md").read_text(encoding="utf-8")
    assert all(f"| {who} |" in page for who in seeds)
