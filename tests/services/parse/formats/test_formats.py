"""What each format's parser makes of an ordinary file."""

from itertools import pairwise

from cortex.domain.document import Block, BlockKind, ParsedDocument
from services.parse.dispatch import parse
from services.parse.settings import ParseLimits
from tests.services.parse import samples

HEADING, PARAGRAPH, ITEM = BlockKind.HEADING, BlockKind.PARAGRAPH, BlockKind.LIST_ITEM
CODE, TABLE, QUOTE, MESSAGE = BlockKind.CODE, BlockKind.TABLE, BlockKind.QUOTE, BlockKind.MESSAGE


def read(data: bytes, name: str) -> ParsedDocument:
    return parse(data, name=name, limits=ParseLimits())


def seen(document: ParsedDocument) -> list[tuple[BlockKind, str]]:
    assert [block.block_id for block in document.blocks] == list(range(len(document.blocks)))
    return [(block.kind, block.text) for block in document.blocks]


def lines(blocks: tuple[Block, ...]) -> list[int | None]:
    return [block.line for block in blocks]


def test_markdown_reads_without_its_marks() -> None:
    document = read(samples.MARKDOWN, "queue.md")

    assert (document.title, document.author) == ("Runbook for the queue", "Ada")
    assert (document.url, document.created_at) == ("https://wiki.example/queue", "2026-05-04T07:12:00.000000Z")
    assert seen(document) == [
        (HEADING, "Queue"),
        (PARAGRAPH, "It fills up at night. See the board."),
        (HEADING, "Steps"),
        (ITEM, "1. Drain it."),
        (ITEM, "2. Restart worker-7."),
        (QUOTE, "Never at noon."),
        (CODE, "queue drain\n  --all"),
        (TABLE, "code: E_42; meaning: full\ncode: E_43; meaning: gone"),
    ]
    assert lines(document.blocks) == [7, 9, 12, 14, 15, 17, 19, 26]


def test_markdown_keeps_front_matter_that_is_not_yaml_as_text() -> None:
    document = read(b"---\na: [\n---\n# Title\n", "a.md")

    assert document.title == "Title"
    assert document.warnings == ("line 3: the front matter is not YAML and was read as text",)


def test_markdown_front_matter_expands_no_aliases() -> None:
    doubled = "".join(f"{new}: &{new} [*{old}, *{old}, *{old}]\n" for old, new in pairwise("abcdefghijklmnopqrs"))
    bomb = f"---\na: &a [x]\n{doubled}"

    assert read(f"{bomb}title: Calm\n---\ntext\n".encode(), "a.md").title == "Calm"


def test_markdown_says_what_was_nested_too_deep_to_read() -> None:
    document = read(b"".join(b" " * (2 * depth) + b"- item\n" for depth in range(150)), "a.md")

    assert document.warnings == ("nested more than 100 deep; what is deeper was left out",)


def test_markdown_hands_html_to_the_html_parser() -> None:
    document = read(b"# A\n\n<div><p>inside</p><script>no()</script></div>\n\n<!-- never shown -->\n", "a.md")

    assert seen(document) == [(HEADING, "A"), (PARAGRAPH, "inside")]


def test_plain_text_has_headings_paragraphs_and_lists() -> None:
    document = read(samples.PLAIN, "notes.txt")

    assert document.title == "Release notes"
    assert [block.kind for block in document.blocks] == [HEADING, PARAGRAPH, ITEM, ITEM]
    assert document.blocks[1].text.endswith("program or other, so its lines belong together.")
    assert lines(document.blocks) == [1, 4, 7, 8]


def test_plain_text_keeps_lines_that_were_broken_on_purpose() -> None:
    assert seen(read(b"Roses are red\n  Violets are blue\n", "poem.txt")) == [
        (PARAGRAPH, "Roses are red\n  Violets are blue")
    ]


def test_a_chat_becomes_messages_with_time_and_author() -> None:
    document = read(samples.CHAT, "chat.txt")

    assert seen(document) == [
        (HEADING, "general"),
        (PARAGRAPH, "Export of May"),
        (MESSAGE, "[2026-05-04 09:12] Ada Lovelace: We move the release to Thursday.\nIt was Friday before."),
        (MESSAGE, "[2026-05-04 09:13] Grace: Fine."),
    ]
    assert [block.message_id for block in document.blocks] == [None, None, "4", "6"]
    assert document.title is None


def test_html_reads_as_a_reader_sees_it() -> None:
    document = read(samples.HTML, "travel.html")

    assert (document.title, document.author) == ("Travel", "Ada")
    assert seen(document) == [
        (HEADING, "Travel policy"),
        (PARAGRAPH, "Book early, not late.\nReally."),
        (ITEM, "Train first"),
        (CODE, "a\n  b"),
        (QUOTE, "Be kind."),
        (TABLE, "City: Bern; Limit: 200"),
    ]


def test_html_obeys_its_declared_encoding() -> None:
    page = '<meta charset="iso-8859-2"><p>žluťoučký kůň</p>'.encode("iso-8859-2")

    assert seen(read(page, "a.html")) == [(PARAGRAPH, "žluťoučký kůň")]


def test_a_table_that_arranges_a_page_is_read_as_paragraphs() -> None:
    page = b"<table><tr><td><p>One.</p><table><tr><td>Two.</td></tr></table></td></tr></table>"

    assert seen(read(page, "a.html")) == [(PARAGRAPH, "One."), (PARAGRAPH, "Two.")]


def test_docx_has_styles_tables_and_properties() -> None:
    document = read(samples.word(), "offer.docx")

    assert (document.title, document.author) == ("Offer", "Ada")
    assert seen(document) == [
        (HEADING, "Offer"),
        (PARAGRAPH, "We sell engines."),
        (HEADING, "Terms"),
        (ITEM, "Net 30."),
        (QUOTE, "Be kind."),
        (TABLE, "Part: Gear; Price: 5"),
    ]
    assert [block.level for block in document.blocks if block.kind is HEADING] == [1, 2]


def test_docx_leaves_out_deleted_text_and_duplicates_of_text_boxes() -> None:
    xml = b"""<w:document xmlns:w="w" xmlns:mc="mc"><w:body><w:p><w:r><w:t>Pay </w:t></w:r>
      <w:del><w:r><w:delText>40</w:delText></w:r></w:del><w:ins><w:r><w:t>50</w:t></w:r></w:ins></w:p>
      <w:p><w:r><mc:AlternateContent><mc:Choice><w:txbxContent><w:p><w:r><w:t>boxed</w:t></w:r></w:p></w:txbxContent></mc:Choice>
      <mc:Fallback><w:txbxContent><w:p><w:r><w:t>boxed</w:t></w:r></w:p></w:txbxContent></mc:Fallback></mc:AlternateContent></w:r></w:p>
      </w:body></w:document>"""

    assert seen(read(samples.word_of(xml), "a.docx")) == [(PARAGRAPH, "Pay 50"), (PARAGRAPH, "boxed")]


def test_pdf_has_paragraphs_headings_pages_and_no_running_heads() -> None:
    document = read(samples.pdf(pages=4), "report.pdf")

    assert (document.title, document.author) == ("Annual report", "Ada")
    assert [block.page for block in document.blocks] == [page for page in range(1, 5) for _ in range(3)]
    assert seen(document)[:3] == [
        (HEADING, "Chapter B"),
        (PARAGRAPH, "Engine B was tested by the whole department and found sound in every part."),
        (PARAGRAPH, "A second paragraph stands on its own here, with two lines in chapter B."),
    ]


def test_csv_rows_name_their_columns() -> None:
    document = read(samples.CSV, "people.csv")

    assert seen(document) == [(TABLE, "Name: Ada; Team: Compilers; Note: writes; a lot\nName: Grace; Team: Compilers")]
    assert document.blocks[0].line == 2


def test_csv_without_a_header_numbers_its_columns() -> None:
    assert seen(read(b"1,2\n3,4\n", "a.csv")) == [(TABLE, "column 1: 1; column 2: 2\ncolumn 1: 3; column 2: 4")]


def test_csv_is_grouped_into_bounded_blocks() -> None:
    rows = b"".join(b"%d\tvalue\n" % number for number in range(45))
    document = read(b"id\tnote\n" + rows, "a.tsv")

    assert [block.text.count("\n") + 1 for block in document.blocks] == [20, 20, 5]
    assert lines(document.blocks) == [2, 22, 42]


def test_mail_tells_who_when_and_what_and_sets_history_apart() -> None:
    document = read(samples.mail(), "terms.eml")

    assert (document.title, document.created_at) == ("Terms für Q3", "2026-05-04T07:12:00.000000Z")
    assert document.author == "Ada Lovelace <ada@example.com>"
    assert [kind for kind, _ in seen(document)] == [PARAGRAPH, PARAGRAPH, QUOTE]
    assert document.blocks[1].text == "We agreed on net 30."
    assert "What did we agree on?" in document.blocks[2].text
    assert {block.message_id for block in document.blocks} == {"<1@example.com>"}
    assert document.warnings == ("attachment not read: terms.zip",)


def test_mail_falls_back_to_html() -> None:
    assert read(samples.mail(html_only=True), "terms.eml").blocks[1].text == "We agreed on net 30."


def test_code_keeps_its_form_and_is_parted_at_blank_lines() -> None:
    source = "\n\n".join(f"def f{number}():\n    return {number}\n" for number in range(30))
    document = read(source.encode(), "a.py")

    assert {kind for kind, _ in seen(document)} == {CODE}
    assert len(document.blocks) > 2
    assert all(block.text.startswith("def f") for block in document.blocks)
    assert read(samples.JSON, "queue.json").blocks[0].text == samples.JSON.decode().strip()
