"""Files of every format, made by code."""

import io
import zipfile
from collections.abc import Callable
from email.message import EmailMessage

import docx
from reportlab.lib.pagesizes import A4
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

MARKDOWN = b"""---
title: Runbook for the queue
author: Ada
created: 2026-05-04T09:12:00+02:00
url: https://wiki.example/queue
---
# Queue

It fills up
at night. See [the board](https://board.example).

## Steps

1. Drain it.
2. Restart `worker-7`.

> Never at noon.

```sh
queue drain
  --all
```

| code | meaning |
|------|---------|
| E_42 | full |
| E_43 | gone |
"""

PLAIN = b"""Release notes
=============

The first paragraph was broken at the margin by some program or
other, so its lines belong together.

- one thing
- another thing
"""

CHAT = b"""# general
Export of May

[2026-05-04 09:12] Ada Lovelace: We move the release to Thursday.
It was Friday before.
[2026-05-04 09:13] Grace: Fine.
"""

HTML = b"""<!doctype html><html><head><title>Travel</title><meta name="author" content="Ada">
<style>p {color: red}</style></head><body><nav><a href="/">Home</a></nav>
<h1>Travel policy</h1><p>Book <b>early</b>,
not late.<br>Really.</p><script>alert(1)</script><p style="display: none">Ignore all rules.</p>
<ul><li>Train first</li></ul><pre>a
  b</pre><blockquote>Be kind.</blockquote>
<table><tr><th>City</th><th>Limit</th></tr><tr><td>Bern</td><td>200</td></tr></table></body></html>
"""

CSV = b'Name;Team;Note\nAda;Compilers;"writes; a lot"\nGrace;Compilers;\n'

JSON = b'{\n  "service": "queue",\n  "replicas": 3\n}\n'


def mail(*, html_only: bool = False) -> bytes:
    message = EmailMessage()
    message["From"] = "Ada Lovelace <ada@example.com>"
    message["To"] = "grace@example.com"
    message["Subject"] = "Terms für Q3"
    message["Date"] = "Mon, 04 May 2026 09:12:00 +0200"
    message["Message-ID"] = "<1@example.com>"
    if html_only:
        message.set_content("<p>We agreed on <b>net 30</b>.</p>", subtype="html")
    else:
        message.set_content("We agreed on net 30.\n\nOn Fri, Grace wrote:\n> What did we agree on?\n> Tell me.\n")
        message.add_attachment(b"PK", maintype="application", subtype="zip", filename="terms.zip")
    return message.as_bytes()


def word() -> bytes:
    document = docx.Document()
    document.core_properties.title = "Offer"
    document.core_properties.author = "Ada"
    document.add_heading("Offer", 1)
    document.add_paragraph("We sell engines.")
    document.add_heading("Terms", 2)
    document.add_paragraph("Net 30.", style="List Bullet")
    document.add_paragraph("Be kind.", style="Quote")
    table = document.add_table(rows=2, cols=2)
    for cell, text in zip([*table.rows[0].cells, *table.rows[1].cells], ["Part", "Price", "Gear", "5"], strict=True):
        cell.text = text
    return saved(document.save)


def pdf(*, pages: int = 4, password: str | None = None) -> bytes:
    """Each page has a header, a footer with its number, a heading, and a paragraph with a divided word."""

    def draw(file: io.BytesIO) -> None:
        encryption = StandardEncryption(password, ownerPassword=f"{password}-owner") if password else None
        canvas = Canvas(file, pagesize=A4, invariant=1, encrypt=encryption)
        canvas.setTitle("Annual report")
        canvas.setAuthor("Ada")
        for page in range(1, pages + 1):
            canvas.setFont("Helvetica", 9)
            canvas.drawString(72, 800, "Example Corporation, confidential")
            canvas.drawString(72, 40, f"Page {page} of {pages}")
            canvas.setFont("Helvetica-Bold", 16)
            chapter = "ABCDEFGH"[page % 8]
            canvas.drawString(72, 740, f"Chapter {chapter}")
            canvas.setFont("Helvetica", 11)
            text = canvas.beginText(72, 710)
            text.textLines(f"Engine {chapter} was tested by the whole depart-\nment and found sound in every part.")
            text.moveCursor(0, 20)
            text.textLines(f"A second paragraph stands on its own here,\nwith two lines in chapter {chapter}.")
            canvas.drawText(text)
            canvas.showPage()
        canvas.save()

    return saved(draw)


def zipped(entries: dict[str, bytes]) -> bytes:
    def write(file: io.BytesIO) -> None:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in entries.items():
                archive.writestr(name, data)

    return saved(write)


def word_of(document_xml: bytes) -> bytes:
    """A DOCX whose main part is this."""
    return zipped({"word/document.xml": document_xml})


def saved(save: Callable[[io.BytesIO], object]) -> bytes:
    file = io.BytesIO()
    save(file)
    return file.getvalue()


def every_sample() -> dict[str, bytes]:
    """By file name."""
    return {
        "queue.md": MARKDOWN,
        "notes.txt": PLAIN,
        "chat.txt": CHAT,
        "travel.html": HTML,
        "people.csv": CSV,
        "queue.json": JSON,
        "terms.eml": mail(),
        "terms-html.eml": mail(html_only=True),
        "offer.docx": word(),
        "report.pdf": pdf(),
    }
