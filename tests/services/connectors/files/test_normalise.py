"""Titles, authors, times and addresses from the heads of files."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from cortex.domain.acl import Acl, AclOf, Public
from cortex.domain.change import DocumentState
from services.connectors.sources.files.normalise import (
    Head,
    Placed,
    acl_digest,
    fingerprint,
    front_matter,
    mail_headers,
    message_times,
    normalise,
)
from services.connectors.sources.files.tree import Stat

MAY = datetime(2026, 5, 4, 9, 12, tzinfo=UTC)
MAY_NS = int(MAY.timestamp()) * 1_000_000_000


def document(path: str, data: bytes, *, url_prefix: str | None = None) -> DocumentState:
    return normalise(Placed(path, ".", None, url_prefix), data, modified_ns=MAY_NS, fingerprint="f")


def test_front_matter_gives_title_author_times_and_address() -> None:
    data = (
        b"---\ntitle: Deploys\nauthor: ann@acme.example\ncreated: 2026-01-02\nupdated: 2026-03-04T05:06:07+02:00\n"
        b"url: https://wiki.acme.example/d\n---\n# Deploys\n"
    )
    assert front_matter(data) == Head(
        "Deploys",
        "ann@acme.example",
        datetime(2026, 1, 2, tzinfo=UTC),
        datetime(2026, 3, 4, 3, 6, 7, tzinfo=UTC),
        "https://wiki.acme.example/d",
    )


def test_what_is_no_front_matter_is_passed_over() -> None:
    assert front_matter(b"# Deploys\n\n---\ntitle: x\n---\n") == Head()
    assert front_matter(b"---\ntitle: [unclosed\n---\n") == Head()
    assert front_matter(b"---\ntitle: never closed\n") == Head()
    assert front_matter(b"---\ntitle: {a: b}\nurl: javascript:alert(1)\ncreated: soon\n---\n") == Head()


def test_mail_headers_give_subject_sender_and_time() -> None:
    data = (
        b"From: =?utf-8?q?J=C3=BCrgen?= <Juergen@ACME.example>\r\n"
        b"Subject: =?utf-8?b?UHJlaXNl?=\r\n =?utf-8?q?_neu?=\r\n"
        b"Date: Mon, 4 May 2026 11:12:00 +0200\r\n\r\nSubject: not this\r\n"
    )
    assert mail_headers(data) == Head("Preise neu", "juergen@acme.example", MAY, MAY)
    assert mail_headers(b"Date: soon\r\nSubject: =?nope?q?x?=\r\nFrom: \r\n\r\n").author is None


def test_times_fall_back_to_the_files_own() -> None:
    found = document("a/notes.txt", b"text")
    assert (found.created_at, found.updated_at) == (MAY, MAY)
    assert (found.title, found.author, found.url, found.mime) == (None, None, None, "text/plain")
    assert (found.external_id, found.name) == ("a/notes.txt", "notes.txt")


def test_the_address_is_the_prefix_and_the_quoted_path() -> None:
    found = document("größe/a b#1.md", b"x", url_prefix="https://files.acme.example/drive/")
    assert found.url == "https://files.acme.example/drive/gr%C3%B6%C3%9Fe/a%20b%231.md"


def test_fingerprints_tell_files_acls_and_configs_apart() -> None:
    stat = Stat(1, 2, 3, 4)
    public: Acl = AclOf(public=Public.TENANT)
    seen = {
        fingerprint(stat, None, config_digest="a"),
        fingerprint(stat, public, config_digest="a"),
        fingerprint(stat, None, config_digest="b"),
        fingerprint(Stat(1, 2, 4, 4), None, config_digest="a"),
    }
    assert len(seen) == 4
    assert fingerprint(stat, public, config_digest="a").endswith(f":{acl_digest(public)}")


@given(st.binary(max_size=300), st.sampled_from(["a.md", "a.eml", "a"]), st.integers(-(2**63), 2**63 - 1))
def test_no_bytes_raise(data: bytes, path: str, modified_ns: int) -> None:
    for start in (b"", b"---\n", b"Subject: =?utf-8?b?", b"Date: ", b"From: "):
        normalise(Placed(path, ".", None, None), start + data + b"\n---\n", modified_ns=modified_ns, fingerprint="f")


def test_an_exported_chat_is_as_old_as_its_messages() -> None:
    chat = b"# general\n[2026-05-04 09:12] Ann Lee: Morning.\n\n[2026-05-06 17:40:01] Ben: Deploys move to Tuesday.\n"
    head = message_times(chat)
    assert head.created_at == datetime(2026, 5, 4, 9, 12, tzinfo=UTC)
    assert head.updated_at == datetime(2026, 5, 6, 17, 40, 1, tzinfo=UTC)
    assert message_times(b"[2026-05-04 09:12] one: line is no chat\n") == Head()
