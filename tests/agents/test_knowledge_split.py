"""Pages become passages: nothing is lost, nothing is a heading that is none."""

from hypothesis import given
from hypothesis import strategies as st

from agents.knowledge.markdown import LONGEST_CHUNK, clean, split, title_of, without_heading
from tests.agents.knowledge_pages import PAGES

LINES = st.one_of(
    st.sampled_from(["# One", "## Two", "### Three", "#### Four", "```", "", "- a", "Title\n==="]),
    st.text(max_size=80),
    st.text(alphabet="word ", min_size=1_000, max_size=4_000),
)


@given(st.lists(LINES, max_size=25).map("\n".join))
def test_the_passages_of_any_text_are_the_text(source):
    assert "".join(chunk.text for chunk in split(source)) == clean(source)


@given(st.lists(LINES, max_size=25).map("\n".join))
def test_no_passage_is_much_longer_than_the_limit(source):
    assert all(len(chunk.text) <= 2 * LONGEST_CHUNK for chunk in split(source))


def test_a_passage_knows_the_headings_above_it():
    paths = [chunk.path for chunk in split("# A\n\n## B\n\nb\n\n### C\n\nc\n\n## D\n\nd\n")]

    assert paths == [("A", "B"), ("A", "B", "C"), ("A", "D")]


def test_a_comment_in_a_code_fence_is_no_heading():
    assert [chunk.heading for chunk in split(PAGES["orders"])] == [
        "Orders",
        "Change an order",
        "Cancel an order",
    ]


def test_a_heading_loses_its_attribute_list_and_its_markup():
    assert title_of("# The `FLAG` *now* {: #flag }\n") == "The FLAG now"


def test_a_long_section_is_cut_between_its_paragraphs_and_keeps_its_heading():
    paragraphs = "\n\n".join(f"Paragraph {n}. " + "word " * 80 for n in range(10))

    chunks = split(f"# Long\n\n{paragraphs}\n")

    assert len(chunks) > 2
    assert {chunk.heading for chunk in chunks} == {"Long"}
    assert all(without_heading(chunk.text).startswith("Paragraph") for chunk in chunks)


def test_nul_is_dropped():
    assert clean("a\0b\r\nc") == "ab\nc"
