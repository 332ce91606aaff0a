"""Loads the demo company through the administration's routes, as any company would be."""

import contextlib

from rich.progress import Progress

from cortex.cli.demo.company import DemoCompany
from cortex.cli.gateway import Gateway, segment
from cortex.cli.source import integer, mapping, start_sync, wait_until_indexed
from cortex.domain.errors import Conflict


def load_company(gateway: Gateway, company: DemoCompany, *, bar: Progress) -> None:
    """Idempotent: what is there already is not embedded again."""
    people = bar.add_task("people and groups", total=len(company.people) + len(company.groups))
    for person in company.people:
        body = {"name": person.name, "guest": person.guest}
        gateway.put(f"/admin/v1/people/{segment(person.email)}", body)
        bar.advance(people)
    for group in company.groups:
        gateway.put(f"/admin/v1/groups/{segment(group.id)}", {"name": group.name, "members": list(group.members)})
        bar.advance(people)
    runs = {source.name: _start(gateway, source.name, str(source.folder)) for source in company.sources}
    for name, run_id in runs.items():
        wait_until_indexed(gateway, name, run_id, bar=bar)


def counts(gateway: Gateway, company: DemoCompany) -> tuple[int, int]:
    """Documents that are indexed, and their chunks."""
    documents = chunks = 0
    for source in company.sources:
        found = mapping(gateway.get(f"/admin/v1/sources/{segment(source.name)}")["documents"])
        documents += integer(found["indexed"])
        chunks += integer(found["chunks"])
    return documents, chunks


def _start(gateway: Gateway, name: str, folder: str) -> str:
    body = {"name": name, "type": "files", "config": {"path": folder, "url_prefix": f"https://{name}.kelvane.example/"}}
    with contextlib.suppress(Conflict):  # an earlier demo on the same data made it
        gateway.post("/admin/v1/sources", body)
    return start_sync(gateway, name)
