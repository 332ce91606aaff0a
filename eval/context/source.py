"""A source of a running platform as a set: its documents, and a question for each that the engine drafts.

Drafted questions are those that a model would ask after reading the answer: they share its words more than people's do,
which favours what has no context. A set with questions of people (`--data`) says more.
"""

from collections.abc import Mapping, Sequence

import psycopg

from cortex.domain.errors import CortexError, Invalid, NotFound
from cortex.domain.identity import TenantId
from cortex.ports.engine import Message
from eval.engines import Drafting, written
from eval.retrieval_sets import RetrievalSet, SetDocument

PASSAGE_CHARACTERS = 2_000
INSTRUCTIONS = """\
You are given a passage of a company's document. Write one question that an employee might ask, and that the passage
answers. Write the question alone, in the passage's language. Do not copy the passage's words where others will do."""
_DOCUMENTS = """
    SELECT d.external_id, d.title, string_agg(c.text, E'\\n\\n' ORDER BY c.ordinal) AS text
    FROM documents d JOIN sources s ON s.tenant_id = d.tenant_id AND s.id = d.source_id
    JOIN chunks c ON c.tenant_id = d.tenant_id AND c.document_id = d.id AND c.revision = d.indexed_revision
    WHERE s.name = %s AND d.tenant_id = %s AND d.tombstoned_at IS NULL AND NOT d.quarantined
    GROUP BY d.external_id, d.title ORDER BY md5(d.external_id) LIMIT %s
"""


def documents(admin_url: str, *, tenant: TenantId, source: str, most: int) -> dict[str, SetDocument]:
    """A sample of the source, the same each time. Raises NotFound where there is none."""
    with psycopg.connect(admin_url) as connection:
        rows = connection.execute(_DOCUMENTS, (source, tenant, most)).fetchall()
    if not rows:
        raise NotFound(f"source {source!r} has no document that is indexed; `cortex source list` shows what there is")
    return {external_id: SetDocument(title, text) for external_id, title, text in rows}


async def drafted(name: str, corpus: Mapping[str, SetDocument], drafting: Drafting, *, most: int) -> RetrievalSet:
    """With a question about each of the first `most` documents. Raises Invalid where the engine drafts none."""
    questions: dict[str, str] = {}
    failure: CortexError | None = None
    for external_id, document in list(corpus.items())[:most]:
        try:
            text, _ = await written(drafting, prompt(document))
        except CortexError as error:
            failure = error
            continue
        if (question := question_of(text)) is not None:
            questions[external_id] = question
    if not questions:
        raise Invalid(f"the engine drafted no question: {failure or 'what it wrote is none'}")
    grades = {external_id: {external_id: 1} for external_id in questions}
    return RetrievalSet(name, corpus, questions, grades)


def prompt(document: SetDocument) -> Sequence[Message]:
    return (
        Message("system", INSTRUCTIONS),
        Message("user", f"{document.title}\n\n{document.text[:PASSAGE_CHARACTERS]}"),
    )


def question_of(written: str) -> str | None:
    """The first line that asks something, without what stands around it."""
    for line in written.splitlines():
        text = line.strip().strip("*\"'“”").removeprefix("Question:").strip()
        if text.endswith(("?", "？")) and 8 <= len(text) <= 400:
            return text
    return None
