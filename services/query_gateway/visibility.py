"""What a reader may see now: the live row and the permission engine, at least as fresh as the last permission write."""

import uuid
from collections.abc import Collection, Sequence

from cortex.domain.credential import Reader
from cortex.domain.document import Block
from cortex.domain.identity import ContainerId, DocumentId
from cortex.ports.document_reader import DocumentReader, LiveDocument, Quotation
from cortex.ports.permission_engine import Check, PermissionEngine
from services.query_gateway.deadline import within
from services.query_gateway.metrics import Metrics

VIEW = "view"
OPEN = "openable"


class Visibility:
    """Any error or delay is raised as Transient, and the caller shows nothing."""

    def __init__(
        self,
        *,
        documents: DocumentReader,
        permissions: PermissionEngine,
        metrics: Metrics,
        timeout_s: float,
        batch: int,
    ) -> None:
        self._documents = documents
        self._permissions = permissions
        self._metrics = metrics
        self._timeout_s = timeout_s
        self._batch = batch

    async def token(self, reader: Reader) -> str | None:
        async with within(self._timeout_s, "the permission store"):
            return await self._documents.permission_token(reader.tenant_id, reader.credential.person_id)

    async def live(self, reader: Reader, documents: Sequence[DocumentId]) -> dict[DocumentId, LiveDocument]:
        async with within(self._timeout_s, "the document store"):
            return await self._documents.live(reader.tenant_id, documents)

    async def permitted(
        self, reader: Reader, documents: Sequence[DocumentId], *, token: str | None, permission: str = VIEW
    ) -> set[DocumentId]:
        """Those of at most one batch that the permission engine lets through."""
        if not documents:
            return set()
        allowed = await self._let_through(reader, documents, token, permission)
        self._metrics.dropped("permission", len(documents) - len(allowed))
        return allowed

    async def containers(self, reader: Reader, containers: Collection[ContainerId]) -> frozenset[ContainerId]:
        """Those that the reader may see: a document that stands alone may lie in one that they may not."""
        if not containers:
            return frozenset()
        ordered, token = sorted(containers), await self.token(reader)
        allowed: set[ContainerId] = set()
        for at in range(0, len(ordered), self._batch):
            some = ordered[at : at + self._batch]
            answers = await self._checked(reader, [Check(one, VIEW, "container") for one in some], token)
            allowed |= {one for one, answer in zip(some, answers, strict=True) if answer is True}
        return frozenset(allowed)

    async def visible(
        self, reader: Reader, documents: Sequence[DocumentId], *, permission: str = VIEW, checks_min: int = 0
    ) -> dict[DocumentId, LiveDocument]:
        """The rows of those that the reader may see, asked afresh and in batches.

        What is asked of the stores is the same whether a document is there, is hidden or never was, since the time
        that an answer takes would tell. With fewer documents than `checks_min`, that many are asked about all the same.
        """
        asked = [*documents, *(DocumentId(uuid.uuid4()) for _ in range(checks_min - len(documents)))]
        if not asked:
            return {}
        live, token = await self.live(reader, asked), await self.token(reader)
        allowed: set[DocumentId] = set()
        for at in range(0, len(asked), self._batch):
            allowed |= await self._let_through(reader, asked[at : at + self._batch], token, permission)
        self._metrics.dropped("permission", len(live.keys() - allowed))
        return {document: live[document] for document in documents if document in live and document in allowed}

    async def _let_through(
        self, reader: Reader, documents: Sequence[DocumentId], token: str | None, permission: str
    ) -> set[DocumentId]:
        answers = await self._checked(reader, [Check(document, permission) for document in documents], token)
        return {document for document, answer in zip(documents, answers, strict=True) if answer is True}

    async def _checked(self, reader: Reader, checks: Sequence[Check], token: str | None) -> list[bool]:
        async with within(self._timeout_s, "the permission engine"):
            return await self._permissions.check(
                reader.tenant_id, reader.credential.person_id, checks, at_least_as_fresh=token
            )

    async def allowed(
        self, reader: Reader, documents: Sequence[DocumentId], *, token: str | None, permission: str = VIEW
    ) -> set[DocumentId]:
        """Those that the permission engine lets through, in batches."""
        allowed: set[DocumentId] = set()
        for at in range(0, len(documents), self._batch):
            some = documents[at : at + self._batch]
            allowed |= await self.permitted(reader, some, token=token, permission=permission)
        return allowed

    async def quoted(self, reader: Reader, quotations: Sequence[Quotation]) -> dict[DocumentId, list[Block]]:
        async with within(self._timeout_s, "the document store"):
            return await self._documents.quoted(reader.tenant_id, quotations)
