"""Ids: the same for the same, apart for all else; names and addresses in one spelling or refused."""

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.domain.errors import Invalid
from cortex.domain.event import StageEvent
from cortex.domain.identity import (
    DocumentId,
    SourceId,
    TenantId,
    chunk_id,
    container_id,
    document_id,
    external_id,
    group_id,
    normalise_email,
    slug,
    source_id,
    tenant_id,
)

ACME, OTHER = tenant_id("acme"), tenant_id("other")


def test_kinds_tenants_and_sources_keep_equal_names_apart() -> None:
    wiki, drive = source_id(ACME, "wiki"), source_id(ACME, "drive")
    made = [
        document_id(ACME, wiki, "a"),
        document_id(ACME, drive, "a"),
        document_id(OTHER, wiki, "a"),
        container_id(ACME, wiki, "a"),
        group_id(ACME, wiki, "a"),
        group_id(ACME, None, "a"),
    ]
    assert len(set(made)) == len(made)
    assert document_id(ACME, wiki, "a") == made[0]


@given(st.uuids().map(DocumentId), st.integers(0, 1000), st.integers(0, 1000))
def test_a_chunks_id_names_its_revision_and_place(document: DocumentId, revision: int, ordinal: int) -> None:
    here = chunk_id(document, revision, ordinal)
    assert here == chunk_id(document, revision, ordinal)
    assert here not in {chunk_id(document, revision + 1, ordinal), chunk_id(document, revision, ordinal + 1)}


@pytest.mark.parametrize("name", ["a", "acme", "acme-2", "2", "a" * 63])
def test_a_slug_is_kept(name: str) -> None:
    assert slug(name) == name


@pytest.mark.parametrize("name", ["", "-a", "a-", "Acme", "a b", "a.b", "ä", "a" * 64, "a\n"])
def test_anything_else_is_no_slug(name: str) -> None:
    with pytest.raises(Invalid):
        slug(name)


def test_an_address_has_one_spelling() -> None:
    assert normalise_email(" Ann@Acme.Example ") == "ann@acme.example"
    for wrong in ("", "ann", "@acme", "ann@", "a b@acme", "a@b@c", "user:ann@acme", f"{'a' * 250}@acme"):
        with pytest.raises(Invalid):
            normalise_email(wrong)


def test_an_external_id_is_any_text_of_some_length() -> None:
    for fine in ("a", "Ordner/Übersicht (1).md", "x" * 1024):
        assert external_id(fine) == fine
    for wrong in ("", "x" * 1025, "a\x00b", "a\nb", "\x7f"):
        with pytest.raises(Invalid):
            external_id(wrong)


def test_the_same_step_of_a_document_is_the_same_event() -> None:
    tenant, source, document = TenantId(uuid.uuid4()), SourceId(uuid.uuid4()), DocumentId(uuid.uuid4())
    parsed = StageEvent("parsed", tenant, source, document, 1, traceparent="00-1")
    assert parsed.event_id == StageEvent("parsed", tenant, source, document, 1, traceparent="00-2").event_id
    assert parsed.event_id != StageEvent("parsed", tenant, source, document, 2).event_id
    assert parsed.event_id != StageEvent("chunked", tenant, source, document, 1).event_id
    assert parsed.subject == f"cortex.parsed.{tenant.hex}"
