"""Words, thesaurus and slips of the finger."""

import pytest

from agents.knowledge.concepts import concepts
from agents.knowledge.terms import language_of, words, words_of_markdown
from agents.knowledge.typos import corrections, may_be_mistyped, slips


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("SITE_ROOT", ["site", "root", "siteroot"]),
        ("sessionTimeout", ["session", "timeout", "sessiontimeout"]),
        ("Prüfung, größer", ["prufung", "grosser"]),
        ("l'été", ["l", "ete"]),
        ("postgres:16", ["postgres", "16"]),
        ("営業時間", ["営業", "業時", "時間"]),
        ("مَرْحَبًا", ["مرحبا"]),
        ("'; DROP TABLE x; --", ["drop", "table", "x"]),
        ("\0 \ud83d\ude00", []),
    ],
)
def test_text_becomes_words(text, found):
    assert words(text) == found


def test_tags_and_targets_of_links_are_not_read():
    assert words_of_markdown('<b class="x">see</b> [here](https://example.com/y)') == [
        "see",
        "here",
    ]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("How do I change the address of my order?", "en"),
        ("Wie kann ich die Adresse meiner Bestellung ändern?", "de"),
        ("¿Cómo puedo cambiar la dirección de mi pedido?", "es"),
        ("12345", "en"),
    ],
)
def test_the_language_is_read_off_the_small_words(text, language):
    assert language_of(text) == language


@pytest.mark.parametrize(
    ("question", "other"),
    [
        ("how can I erase it", "delete"),
        ("olvidé mi contraseña", "password"),
        ("j'ai perdu mon mot de passe", "password"),
        ("如何修改密码", "password"),
        ("забыл пароль", "password"),
    ],
)
def test_a_question_is_heard_in_other_words(question, other):
    assert (other,) in {phrase for concept in concepts(question) for phrase in concept.others}


def test_the_line_before_comes_after_the_question():
    assert [concept.word for concept in concepts("for two?", "reserve a table")] == [
        "two",
        "reserve",
        "table",
    ]


def test_a_slip_is_one_letter_added_left_out_replaced_or_swapped():
    assert [slips("pause", other) for other in ("pause", "puase", "paus", "pauuse", "cause")] == [
        0, 1, 1, 1, 1,
    ]  # fmt: skip


def test_a_long_word_may_have_two_slips_and_a_short_one_only_one():
    assert corrections("pasword", ["password", "passage"]) == ["password"]
    assert corrections("slcak", ["black", "slack"]) == ["slack"]
    assert corrections("grxxe", ["grace"]) == []


def test_a_word_that_the_thesaurus_knows_is_no_slip():
    assert not may_be_mistyped("refund")
