"""A certificate drawn as PDF: letters of every direction, joined and ordered as they are read."""

from collections.abc import Sequence
from pathlib import Path

from django.utils.translation import gettext as _
from fpdf import FPDF, FontFace

from conversations.privacy.certificate_words import RECIPE, Said

# Latin, Greek, Cyrillic, Hebrew and Arabic; see its licence beside it.
_FONTS = Path(__file__).parent / "fonts"
_FAMILY = "DejaVu Sans"
_HEADINGS = FontFace(emphasis="BOLD")
# Widths of the columns, in parts; a number stands at the end of the last ones.
_COUNTS, _SCAN, _NARROW = (5, 4, 1), (6, 2, 2), 2


def draw(said: Said, signature: str) -> bytes:
    """The whole certificate, on as many pages as it needs."""
    pdf = _Paper(format="A4")
    pdf.open()
    pdf.title_of(f"{_('Certificate')}: {said.title}")
    pdf.rows([], said.facts)
    for title, counts in (
        (_("What was found beforehand"), said.found),
        (_("What was deleted"), said.counts),
    ):
        if counts:
            pdf.heading(title)
            lines = [(store.title, store.code, f"{rows:,}") for store, rows in counts]
            pdf.rows([_("What"), _("Technical name"), _("Rows")], lines, widths=_COUNTS)
    if said.scan:
        pdf.heading(_("Where the scanner looked afterwards"))
        lines = [(one.store.title, f"{one.read:,}", f"{one.hits:,}") for one in said.scan]
        pdf.rows([_("Place"), _("Read"), _("Found")], lines, widths=_SCAN)
    pdf.heading(_("What remains, and why"))
    if said.remains:
        pdf.rows([_("What"), _("Why"), _("Until")], [tuple(one) for one in said.remains])
    else:
        pdf.words(_("Nothing that this certificate is about."))
    if said.hashes:
        pdf.heading(_("Hashes"))
        pdf.rows([_("Of"), "SHA-256"], said.hashes)
    pdf.heading(_("Proof"))
    pdf.rows([], [*said.proof, (_("Signature (Ed25519)"), signature)])
    pdf.heading(_("How to check it"))
    for number, step in enumerate(said.checking, 1):
        pdf.words(f"{number}. {step}")
    pdf.words(RECIPE)
    return bytes(pdf.output())


class _Paper(FPDF):
    """The few things that a certificate is made of."""

    def open(self) -> None:
        self.add_font(_FAMILY, "", _FONTS / "dejavu-sans.ttf")
        self.add_font(_FAMILY, "B", _FONTS / "dejavu-sans-bold.ttf")
        self.set_font(_FAMILY, size=9)
        self.set_text_shaping(True)
        self.set_lang("en")
        self.add_page()

    def title_of(self, text: str) -> None:
        self.set_title(text)
        self.set_font(_FAMILY, "B", 16)
        self.multi_cell(0, 9, text, new_x="LMARGIN", new_y="NEXT")
        self.set_font(_FAMILY, size=9)
        self.ln(2)

    def heading(self, text: str) -> None:
        self.ln(4)
        self.set_font(_FAMILY, "B", 11)
        self.cell(0, 8, text, new_x="LMARGIN", new_y="NEXT")
        self.set_font(_FAMILY, size=9)

    def words(self, text: str) -> None:
        self.multi_cell(0, 6, text, align="L", new_x="LMARGIN", new_y="NEXT")

    def rows(
        self,
        headings: list[str],
        lines: Sequence[tuple[str, ...]],
        *,
        widths: tuple[int, ...] | None = None,
    ) -> None:
        ends = [part <= _NARROW for part in widths or ()]
        with self.table(
            col_widths=widths,
            first_row_as_headings=bool(headings),
            headings_style=_HEADINGS,
            borders_layout="HORIZONTAL_LINES",
            text_align=["RIGHT" if end else "LEFT" for end in ends] or "LEFT",
            line_height=5.5,
            padding=1,
            wrapmode="CHAR" if not headings else "WORD",
        ) as table:
            for line in [tuple(headings), *lines] if headings else lines:
                table.row(line)
