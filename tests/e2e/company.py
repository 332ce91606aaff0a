"""A tenant of one test's own: its people, what is pushed into it, and what each of them gets to see."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import httpx

from cortex.adapters.local_tokens import LocalClaims
from cortex.cli.gateway import mint
from cortex.domain.credential import Role
from cortex.domain.identity import SourceId, TenantId, document_id, source_id, tenant_id
from tests.e2e.running import Platform
from tests.e2e.waiting import eventually

TIMEOUT_S = 60.0
HOUR = timedelta(hours=1)
PUSHED = "notes"
"""The push source that tests use where its name does not matter."""
EVERYONE = {"public": "tenant"}


@dataclass(frozen=True, slots=True)
class Event:
    id: int
    type: str
    data: Any


class Someone:
    """One person with a token of one role."""

    def __init__(self, url: str, token: str, email: str) -> None:
        self.email = email
        self.token = token
        self.authorization = {"Authorization": f"Bearer {token}"}
        self._client = httpx.Client(base_url=url, headers=self.authorization, timeout=TIMEOUT_S, trust_env=False)

    def close(self) -> None:
        self._client.close()

    def request(self, method: str, path: str, **more: Any) -> httpx.Response:
        return self._client.request(method, path, **more)

    def get(self, path: str, **query: Any) -> httpx.Response:
        return self._client.get(path, params=query)

    def put(self, path: str, body: object, **query: Any) -> httpx.Response:
        return self._client.put(path, json=body, params=query)

    def post(self, path: str, body: object = None, **headers: str) -> httpx.Response:
        return self._client.post(path, json=body, headers=headers)

    def delete(self, path: str, **query: Any) -> httpx.Response:
        return self._client.delete(path, params=query)

    def search(self, query: str, **more: Any) -> dict[str, Any]:
        return whole(self.post("/v1/search", {"query": query, **more}))

    def found(self, query: str, **more: Any) -> list[str]:
        """Ids of what a search shows."""
        return [result["document_id"] for result in self.search(query, **more)["results"]]

    def opens(self, document: str) -> bool:
        return self.get(f"/v1/documents/{document}").status_code == 200

    def ask(self, question: str) -> dict[str, Any]:
        return whole(self.post("/v1/chat", {"question": question}, Accept="application/json"))

    @contextmanager
    def stream(self, method: str, path: str, **more: Any) -> Iterator[Iterator[Event]]:
        """The events of a response, as they come. Leaving the block closes the connection."""
        with self._client.stream(method, path, **more) as response:
            if response.status_code != 200:
                response.read()
            assert response.status_code == 200, response.text
            assert response.headers["content-type"].startswith("text/event-stream")
            assert response.headers["x-accel-buffering"] == "no"
            yield _events(response.iter_lines())

    def events(self, question: str) -> list[Event]:
        with self.stream("POST", "/v1/chat", json={"question": question}) as events:
            return list(events)

    def replayed(self, answer: str, *, after: int = 0) -> list[Event]:
        headers = {"Last-Event-ID": str(after)}
        with self.stream("GET", f"/v1/answers/{answer}/stream", headers=headers) as events:
            return list(events)


class Company:
    """`admin` administers and pushes; `person` is anyone else, made known at their first request."""

    def __init__(self, platform: Platform, name: str) -> None:
        self.platform = platform
        self.name = name
        self.tenant: TenantId = tenant_id(name)
        self._people: dict[tuple[str, Role], Someone] = {}

    def close(self) -> None:
        for person in self._people.values():
            person.close()

    @property
    def admin(self) -> Someone:
        return self.person("admin", role=Role.ADMIN)

    def person(self, name: str, *, role: Role = Role.MEMBER) -> Someone:
        """`ann` is ann@acme.example; a whole address is itself."""
        email = name if "@" in name else f"{name}@acme.example"
        if (email, role) not in self._people:
            self._people[email, role] = Someone(self.platform.url, self.token(email, role=role), email)
        return self._people[email, role]

    def token(self, email: str, *, role: Role = Role.MEMBER, ttl: timedelta = HOUR) -> str:
        return mint(self.platform.data, LocalClaims(self.name, email, role), ttl)

    def make_guest(self, name: str) -> Someone:
        person = self.person(name)
        done(self.admin.put(f"/admin/v1/people/{person.email}", {"name": name, "guest": True}))
        return person

    def group(self, name: str, *members: str) -> None:
        """A group of the push source, which ACLs call `group:notes/NAME`."""
        body = {"members": [f"user:{member}@acme.example" for member in members]}
        done(self.admin.put(f"/v1/sources/{PUSHED}/groups/{name}", body))

    def folder(self, name: str, *, source: str = PUSHED, **body: Any) -> None:
        done(self.admin.put(f"/v1/sources/{source}/containers/{name}", body))

    def push(self, external: str, content: str, *, source: str = PUSHED, **body: Any) -> str:
        """The id of the document; visible to everyone in the tenant unless an ACL or a container says otherwise."""
        body = {"content": content, **({} if body.keys() & {"acl", "container"} else {"acl": EVERYONE}), **body}
        return str(done(self.admin.put(f"/v1/sources/{source}/documents/{external}", body)).json()["document_id"])

    def pushed(self, external: str, content: str, *, source: str = PUSHED, **body: Any) -> str:
        """The same, indexed."""
        document = self.push(external, content, source=source, **body)
        self.indexed(source)
        return document

    def indexed(self, source: str = PUSHED) -> dict[str, Any]:
        """The source's details once nothing of it waits."""

        def nothing_waits() -> dict[str, Any]:
            detail = whole(self.admin.get(f"/admin/v1/sources/{source}"))
            assert detail["documents"]["waiting"] == 0
            return detail

        return eventually(nothing_waits)

    def source_id(self, source: str = PUSHED) -> SourceId:
        return source_id(self.tenant, source)

    def document_id(self, external: str, *, source: str = PUSHED) -> str:
        return str(document_id(self.tenant, self.source_id(source), external))

    def add_files(self, name: str, config: Mapping[str, object]) -> None:
        done(self.admin.post("/admin/v1/sources", {"name": name, "type": "files", "config": dict(config)}))

    def synced(self, name: str, *, full: bool = False) -> dict[str, Any]:
        """The details of a source once a new run of it has ended and nothing of it waits."""
        run = self.start_sync(name, full=full)
        self.ended(name, run)
        return self.indexed(name)

    def start_sync(self, name: str, *, full: bool = False) -> str:
        return str(whole(self.admin.post(f"/admin/v1/sources/{name}/sync", {"full": full}))["run_id"])

    def removed(self, name: str) -> None:
        def gone() -> None:
            assert self.admin.get(f"/admin/v1/sources/{name}").status_code == 404

        eventually(gone)

    def ended(self, name: str, run: str) -> dict[str, Any]:
        def over() -> dict[str, Any]:
            response = self.admin.get(f"/admin/v1/sources/{name}/runs/{run}")
            assert response.status_code == 200
            found: dict[str, Any] = response.json()
            assert found["state"] != "running"
            return found

        return eventually(over)


def done(response: httpx.Response) -> httpx.Response:
    assert response.is_success, f"{response.status_code} {response.text}"
    return response


def whole(response: httpx.Response) -> dict[str, Any]:
    found: dict[str, Any] = done(response).json()
    return found


def _events(lines: Iterator[str]) -> Iterator[Event]:
    fields: dict[str, str] = {}
    for line in lines:
        if line.startswith(":"):
            continue
        if line:
            name, _, value = line.partition(": ")
            fields[name] = value
        elif fields:
            yield Event(int(fields["id"]), fields["event"], json.loads(fields["data"]))
            fields = {}
