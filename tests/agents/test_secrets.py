"""Secrets are masked alike in a whole answer and in one that comes in pieces."""

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agents.runtime.secrets import MASK, Secrets, Trickle

KNOWN = ("hush-hush-1", "hush-hush-1-and-more", "aaaaaaaa", "Bearer tok-en-12", "short")


def trickled(text, cuts, known=KNOWN):
    places = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    trickle = Trickle(Secrets(known))
    pieces = [text[a:b] for a, b in pairwise(places)]
    return "".join([*map(trickle.add, pieces), trickle.rest()])


PIECES = st.sampled_from(
    [
        *(*KNOWN, "hush", "-", "1", "a", " ", "\n", "sk-", "s", "k", "task-", "tok-en-12", "•••"),
        *("0123456789abcdef", "eyJ", "ey", "ghp_", "github_pat_", "A", "AKIA", "ak_", ".", "Ü"),
    ]
)


@given(st.lists(PIECES, max_size=14).map("".join), st.lists(st.integers(0, 400), max_size=20))
@example("hush-hush-1-and-more", [11])
@example("aaaaaaaaaaaa", list(range(12)))
@example("task-0123456789abcdef", [2])
def test_pieces_are_masked_as_the_whole_is(text, cuts):
    assert trickled(text, cuts) == Secrets(KNOWN).masked(text)


@given(st.text(max_size=60), st.lists(st.integers(0, 60), max_size=8))
def test_without_a_secret_nothing_is_changed_or_lost(text, cuts):
    assert trickled(text, cuts, known=("never-in-there-1",)) == Secrets().masked(text)


@pytest.mark.parametrize(
    "key",
    [
        "sk-proj-0123456789abcdefABCD",
        "AKIA0123456789ABCDEF",
        "ghp_0123456789abcdefghij",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
        "ak_" + "0" * 32 + "_" + "a" * 43,
    ],
)
def test_what_has_the_shape_of_a_key_is_masked(key):
    assert Secrets().masked(f"It is {key}, keep it.") == f"It is {MASK}, keep it."


@pytest.mark.parametrize(
    "words", ["a task-force-of-many-people", "risk-free", "sk-", "eyJ", "short"]
)
def test_ordinary_words_are_left_alone(words):
    assert Secrets(KNOWN).masked(words) == words


def test_little_is_held_back():
    trickle = Trickle(Secrets(KNOWN))
    assert trickle.add("Hello, this is plain. ") == "Hello, this is plain. "
    assert trickle.add("The key is hush-") == "The key is "
    assert trickle.add("hour") == "hush-hour"


def test_a_text_that_is_said_once_more_as_a_whole_holds_nothing_back():
    trickle = Trickle(Secrets(KNOWN))
    half = KNOWN[0][:5]
    assert trickle.add(f"The key is {half}") == "The key is "
    assert trickle.whole(f"The key is {KNOWN[0]}") == f"The key is {MASK}"
    assert trickle.rest() == ""
