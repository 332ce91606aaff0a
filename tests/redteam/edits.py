"""The breaches: what each does, and the edits of the source that do it."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Edit:
    """Of one file: `old`, which must be there once, becomes `new`."""

    path: str
    old: str
    new: str

    def applied(self, text: str) -> str:
        """Raises LookupError where the source has moved on, and the breach must be written anew."""
        if text.count(self.old) != 1:
            raise LookupError(f"{self.path}: {text.count(self.old)} times instead of once: {self.old.strip()}")
        return text.replace(self.old, self.new)


@dataclass(frozen=True, slots=True)
class Breach:
    """`first` is the module of tests that should notice; it is run before the others, to save time."""

    name: str
    what: str
    edits: tuple[Edit, ...]
    first: str = ""

    def apply(self, tree: Path) -> None:
        for edit in self.edits:
            place = tree / edit.path
            place.write_text(edit.applied(place.read_text(encoding="utf-8")), encoding="utf-8")


UNALTERED = Breach("as it is", "nothing is changed", ())

_GATEWAY = "services/query_gateway"
_READER = "cortex/adapters/qdrant/reader.py"
_TENANT_ALONE = "filters.tenant_filter(asker.tenant_id)"

BREACHES = (
    Breach(
        "sparse-arm-unfiltered",
        "the lexical arm searches the tenant and not what the asker may find",
        (
            Edit(
                _READER,
                "made[payload.SPARSE] = _sparse_query(asker.tenant_id, request.sparse, matching=matching,",
                f"made[payload.SPARSE] = _sparse_query(asker.tenant_id, request.sparse, matching={_TENANT_ALONE},",
            ),
        ),
        first="test_arms",
    ),
    Breach(
        "dense-arm-unfiltered",
        "the dense arm searches the tenant and not what the asker may find",
        (
            Edit(
                _READER,
                "            filter=matching,\n            params=_DENSE,\n",
                f"            filter={_TENANT_ALONE},\n            params=_DENSE,\n",
            ),
        ),
        first="test_arms",
    ),
    Breach(
        "no-recheck",
        "search trusts the index, and asks the permission engine nothing",
        (
            Edit(
                f"{_GATEWAY}/admission.py",
                "allowed = await self._visibility.permitted(self._reader, present, token=self._token)",
                "allowed = set(present)",
            ),
        ),
        first="test_surfaces",
    ),
    Breach(
        "tenant-from-the-request",
        "a header names the tenant, where the credential should",
        (
            Edit(
                "cortex/ports/authenticator.py",
                "    authorization: str | None = field(default=None, repr=False)\n",
                "    authorization: str | None = field(default=None, repr=False)\n    tenant: str | None = None\n",
            ),
            Edit(
                "cortex/ports/authenticator.py",
                '            authorization=headers.get("authorization"),\n',
                '            authorization=headers.get("authorization"),\n'
                '            tenant=headers.get("x-tenant-id"),\n',
            ),
            Edit(
                "cortex/adapters/local_tokens.py",
                "        claims = self._tokens.verify(token)\n",
                "        claims = self._tokens.verify(token)\n"
                "        claims = LocalClaims(presented.tenant or claims.tenant, claims.email, claims.role)\n",
            ),
        ),
        first="test_routes",
    ),
    Breach(
        "answers-kept-by-question",
        "a question that was answered before is answered the same, whoever asks",
        (
            Edit(
                f"{_GATEWAY}/chat.py", "\n\nclass Chat:\n", "\n\n_ANSWERED: dict[str, object] = {}\n\n\nclass Chat:\n"
            ),
            Edit(
                f"{_GATEWAY}/chat.py",
                'return JSONResponse(answer.model_dump(mode="json"))',
                'return JSONResponse(_ANSWERED.setdefault(body.question, answer.model_dump(mode="json")))',
            ),
        ),
        first="test_answers",
    ),
    Breach(
        "stored-answers-unchecked",
        "an answer that was given once is shown again, whatever was revoked since",
        (Edit(f"{_GATEWAY}/answers.py", "self._visibility.visible(reader,", "self._visibility.live(reader,"),),
        first="test_answers",
    ),
    Breach(
        "stored-revision-unchecked",
        "an answer that was given once is shown again, whatever was taken out of its documents since",
        (
            Edit(
                f"{_GATEWAY}/standing.py",
                "return live is not None and citation.anchor.revision == live.indexed_revision",
                "return live is not None",
            ),
        ),
        first="test_removed",
    ),
    Breach(
        "forbidden-is-not-absent",
        "403 for a document that is there, 404 for one that is not",
        (
            Edit(
                f"{_GATEWAY}/documents.py",
                "        if live is None or live.indexed_revision < 1:\n            raise NotFound\n",
                "        if live is None and await self._visibility.live(reader, [document]):\n"
                "            raise Denied('not for you')\n"
                "        if live is None or live.indexed_revision < 1:\n            raise NotFound\n",
            ),
            Edit(
                f"{_GATEWAY}/documents.py",
                "from cortex.domain.errors import NotFound",
                "from cortex.domain.errors import Denied, NotFound",
            ),
        ),
        first="test_routes",
    ),
    Breach(
        "absent-answers-sooner",
        "what is not there is not asked about, so that the time tells it from what is hidden",
        (
            Edit(
                f"{_GATEWAY}/visibility.py",
                "        live, token = await self.live(reader, asked), await self.token(reader)\n",
                "        live, token = await self.live(reader, asked), await self.token(reader)\n"
                "        asked = [document for document in asked if document in live]\n",
            ),
        ),
        first="test_work",
    ),
    Breach(
        "facets-before-the-recheck",
        "facets say of how many the index found, and not of how many the asker may see",
        (
            Edit(
                "cortex/domain/query.py",
                "    degraded: tuple[str, ...]\n    language: Language\n",
                "    degraded: tuple[str, ...]\n    language: Language\n    looked_at: int = 0\n",
            ),
            Edit(
                f"{_GATEWAY}/retrieve.py",
                "tuple(sorted(degraded)), encoded.language)",
                "tuple(sorted(degraded)), encoded.language, len(admission.decided))",
            ),
            Edit(
                f"{_GATEWAY}/search.py",
                "_facets(body, counted)\n",
                "_facets(body, counted, retrieval.looked_at)\n",
            ),
            Edit(
                f"{_GATEWAY}/search.py",
                "def _facets(body: SearchRequest, found: tuple[Found, ...])",
                "def _facets(body: SearchRequest, found: tuple[Found, ...], looked_at: int)",
            ),
            Edit(f"{_GATEWAY}/search.py", "of_top=len(found)\n", "of_top=looked_at\n"),
        ),
        first="test_surfaces",
    ),
    Breach(
        "closed-folders-named",
        "facets name every folder above what may be seen, whether that may be seen or not",
        (
            Edit(
                f"{_GATEWAY}/folders.py",
                "for folder in one.container_ids if folder in allowed)",
                "for folder in one.container_ids if allowed is not None)",
            ),
        ),
        first="test_surfaces",
    ),
    Breach(
        "an-error-lets-in",
        "while the permission engine is out of reach, everybody may see everything",
        (
            Edit(
                f"{_GATEWAY}/visibility.py",
                "            return await self._permissions.check(\n"
                "                reader.tenant_id, reader.credential.person_id, checks, at_least_as_fresh=token\n"
                "            )\n",
                "            try:\n"
                "                return await self._permissions.check(\n"
                "                    reader.tenant_id, reader.credential.person_id, checks, at_least_as_fresh=token\n"
                "                )\n"
                "            except Transient:\n"
                "                return [True] * len(checks)\n",
            ),
            Edit(
                f"{_GATEWAY}/visibility.py",
                "from cortex.domain.identity import ContainerId, DocumentId\n",
                "from cortex.domain.errors import Transient\n"
                "from cortex.domain.identity import ContainerId, DocumentId\n",
            ),
        ),
        first="test_outage",
    ),
    Breach(
        "stale-token",
        "the re-check need only be as fresh as it was when the tenant was first asked about",
        (
            Edit(
                f"{_GATEWAY}/visibility.py",
                "        self._batch = batch\n",
                "        self._batch = batch\n        self._kept: dict[object, str | None] = {}\n",
            ),
            Edit(
                f"{_GATEWAY}/visibility.py",
                "            return await self._documents.permission_token(reader.tenant_id,",
                "            if reader.tenant_id in self._kept:\n"
                "                return self._kept[reader.tenant_id]\n"
                "            self._kept[reader.tenant_id] = await self._documents.permission_token(\n"
                "                reader.tenant_id, reader.credential.person_id\n            )\n"
                "            return await self._documents.permission_token(reader.tenant_id,",
            ),
        ),
        first="test_racing",
    ),
    Breach(
        "guests-are-members",
        "what is shared with the tenant is shared with its guests",
        (
            Edit(
                "cortex/adapters/postgres/directory.py",
                "frozenset() if guest else frozenset([membership_relation(tenant, identifier)])",
                "frozenset([membership_relation(tenant, identifier)])",
            ),
        ),
        first="test_surfaces",
    ),
    Breach(
        "groups-without-nesting",
        "whoever is in a group of a group is not in it, and does not find what they may see",
        (
            Edit(
                "cortex/adapters/postgres/expansion.py",
                "m.member_kind = 'group' AND m.member_id = inside.id",
                "m.member_kind = 'nobody' AND m.member_id = inside.id",
            ),
        ),
        first="test_surfaces",
    ),
)
