"""Tokenizers by name: two of the desk's own, and what the operator plugs in."""

import pytest

from agents.services.profiles import ProfileSettings, save_draft
from agents.services.tokens import by_characters, tokenizer, tokenizer_names
from tenants.errors import InvalidInput


def words(text):
    return len(text.split())


def test_a_plugged_in_tokenizer_counts_and_one_that_is_gone_counts_by_characters(settings):
    settings.TOKENIZERS = {"words": "tests.agents.test_tokens.words"}
    assert tokenizer_names() == ["characters", "bytes", "words"]
    assert tokenizer("words")("one two three") == 3
    assert tokenizer("gone") is by_characters


@pytest.mark.parametrize(
    ("name", "text", "tokens"),
    [
        ("characters", "", 0),
        ("characters", "12345", 2),
        ("bytes", "سلام", 3),
        ("bytes", "\ud800", 1),
    ],
)
def test_tokens_are_counted_up(name, text, tokens):
    assert tokenizer(name)(text) == tokens


@pytest.mark.parametrize(
    "wrong", [{"tokenizer": "gone"}, {"sums_up": "x"}, {"one_shots": ("x",)}, {"token_budget": 1}]
)
def test_a_version_names_what_there_is(cast, wrong):
    with cast.acme.scope(), pytest.raises(InvalidInput) as refused:
        save_draft(ProfileSettings(**wrong), endpoint=None, by=cast.acme.alice.member)
    assert set(refused.value.errors) == set(wrong)
