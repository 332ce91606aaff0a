"""Bodies of the administration's routes, and answers to them. Unknown fields are refused."""

import base64
from datetime import datetime
from pathlib import PurePosixPath
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, StrictBool, StrictInt

from cortex.domain.acl import Acl, PrincipalRef, parse_acl, parse_principal
from cortex.domain.change import ContainerState, DocumentState
from cortex.domain.errors import Invalid
from cortex.ports.source_writer import GroupPage
from cortex.runtime.edge.fields import Moment, Storable
from services.control_plane.checked import checked_acl, checked_document_acl, checked_file, checked_principal

EXTENSIONS = {
    "text/markdown": ".md",
    "text/plain": ".txt",
    "text/html": ".html",
    "text/csv": ".csv",
    "application/pdf": ".pdf",
    "application/json": ".json",
    "message/rfc822": ".eml",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
}
VERSION_MAX = 2**62
PAGE_MAX = 10_000


Principal = Annotated[str, AfterValidator(checked_principal)]
Version = Annotated[StrictInt, Field(ge=0, le=VERSION_MAX)]
VersionQuery = Annotated[int, Field(ge=0, le=VERSION_MAX)]
Text = Annotated[Storable, Field(min_length=1, max_length=1_000)]


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class PersonBody(Body):
    name: Text
    guest: StrictBool = False


class GroupBody(Body):
    """`members` are principals: user:EMAIL or group:ID."""

    name: Text
    members: Annotated[list[Principal], Field(max_length=100_000)]

    def references(self) -> list[PrincipalRef]:
        return [parse_principal(member, place=f"members[{n}]") for n, member in enumerate(self.members)]


class SourceBody(Body):
    name: Text
    type: Text
    config: dict[str, JsonValue] = Field(default_factory=dict)


class SyncBody(Body):
    full: StrictBool = False


class DocumentBody(Body):
    """`content` is text, `file` is base64; exactly one of them."""

    title: Annotated[Storable, Field(min_length=1, max_length=2_000)] | None = None
    content: str | None = None
    file: Annotated[str | None, AfterValidator(checked_file), Field(validate_default=True)] = None
    mime: Annotated[Storable, Field(max_length=200)] | None = None
    url: Annotated[Storable, Field(max_length=4_000)] | None = None
    author: Annotated[Storable, Field(max_length=300)] | None = None
    created_at: Moment | None = None
    updated_at: Moment | None = None
    version: Version | None = None
    container: Text | None = None
    # After `container`, which it looks at.
    acl: Annotated[JsonValue, AfterValidator(checked_document_acl), Field(validate_default=True)] = None

    def state(self, external: str) -> DocumentState:
        mime = self.mime or "text/markdown"
        name = PurePosixPath(external).name or external
        if not PurePosixPath(name).suffix:
            name += EXTENSIONS.get(mime, "")
        return DocumentState(
            external_id=external,
            data=self._data(),
            name=name,
            mime=mime,
            title=self.title,
            url=self.url,
            author=self.author,
            created_at=self.created_at,
            updated_at=self.updated_at,
            container=self.container,
            acl=_acl(self.acl),
            version=self.version,
        )

    def _data(self) -> bytes:
        if self.content is not None:
            return self.content.encode("utf-8", errors="replace")
        return base64.b64decode(self.file or "", validate=True)


class ContainerBody(Body):
    parent: Text | None = None
    acl: Annotated[JsonValue, AfterValidator(checked_acl)] = None
    version: Version | None = None

    def state(self, external: str) -> ContainerState:
        return ContainerState(external, self.parent, _acl(self.acl), self.version)


class SourceGroupBody(Body):
    """All members, or with `generation` a page of them: the group is theirs once the page with `last` has come."""

    members: Annotated[list[Principal], Field(max_length=100_000)]
    version: Version | None = None
    generation: Version | None = None
    last: StrictBool | None = None

    def references(self) -> list[PrincipalRef]:
        return principals(self.members, place="members")

    def page(self) -> GroupPage | None:
        """None where all of them are here. Raises Invalid."""
        if self.generation is None:
            if self.last is not None:
                raise Invalid("belongs to a page; send generation as well", place="last")
            return None
        if len(self.members) > PAGE_MAX:
            raise Invalid(f"{len(self.members)} in one page; at most {PAGE_MAX}", place="members")
        return GroupPage(self.generation, bool(self.last), self.version)


class GroupChangeBody(Body):
    add: Annotated[list[Principal], Field(max_length=10_000)] = []
    remove: Annotated[list[Principal], Field(max_length=10_000)] = []


def principals(names: list[str], *, place: str) -> list[PrincipalRef]:
    return [parse_principal(name, place=f"{place}[{n}]") for n, name in enumerate(names)]


class PushedDocument(BaseModel):
    document_id: str
    revision: int


class PersonView(BaseModel):
    id: str
    email: str
    name: str
    guest: bool


class RunView(BaseModel):
    id: str
    kind: str
    state: Literal["running", "done", "failed"]
    started_at: datetime
    finished_at: datetime | None
    seen: int
    changed: int
    deleted: int
    failed: int
    containers: int
    error: str | None


class FailureView(BaseModel):
    external_id: str
    place: str
    message: str


class SourceView(BaseModel):
    id: str
    name: str
    type: str
    state: str
    created_at: datetime
    documents: dict[str, int]
    last_run: RunView | None


class SourceDetail(SourceView):
    runs: list[RunView]
    failures: list[FailureView]


class SourceList(BaseModel):
    items: list[SourceView]
    next_cursor: str | None = None


class AddedSource(BaseModel):
    id: str
    name: str
    warnings: list[str]


class StartedRun(BaseModel):
    run_id: str


def _acl(value: JsonValue) -> Acl | None:
    return None if value is None else parse_acl(value)
