"""Ids that are real, and not the asker's: of another tenant, of another person, of what is deleted."""

from dataclasses import dataclass

from tests.e2e.company import EVERYONE, PUSHED, Company, Someone, done, whole
from tests.redteam.looking import QUESTION

ONLY_THEIRS = "only-theirs"
"""What the other tenant calls a source, a document, a container, a group and a person, and the asker's does not."""


@dataclass(frozen=True, slots=True)
class Foreign:
    """By kind; `closed` are of the asker's own tenant, and closed to the asker."""

    theirs: dict[str, str]
    closed: dict[str, list[str]]


def make_foreign(ours: Company, theirs: Company) -> Foreign:
    return Foreign(_theirs(theirs), _closed(ours))


def _theirs(company: Company) -> dict[str, str]:
    address = f"{ONLY_THEIRS}@acme.example"
    person = company.person(address)
    admin, asked = company.admin, person.ask(QUESTION)
    company.push(ONLY_THEIRS, _text("alpha"), source=ONLY_THEIRS, acl=EVERYONE)
    done(admin.put(f"/v1/sources/{ONLY_THEIRS}/containers/{ONLY_THEIRS}", {"acl": EVERYONE}))
    done(admin.put(f"/v1/sources/{ONLY_THEIRS}/groups/{ONLY_THEIRS}", {"members": [f"user:{address}"]}))
    company.push(ONLY_THEIRS, _text("beta"), acl=EVERYONE)
    done(admin.put(f"/v1/sources/{PUSHED}/groups/{ONLY_THEIRS}", {"members": []}))
    done(admin.put(f"/v1/sources/{PUSHED}/containers/{ONLY_THEIRS}", {"acl": EVERYONE}))
    company.indexed()
    erased = company.push("erased", _text("gamma"))
    ids = {found["external_id"]: found["id"] for found in whole(admin.get("/admin/v1/groups"))["items"]}
    people = {found["email"]: found["id"] for found in whole(admin.get("/admin/v1/people"))["items"]}
    return {
        "document": company.document_id(ONLY_THEIRS),
        "answer": str(asked["answer_id"]),
        "conversation": str(asked["conversation_id"]),
        "share": _share(person, str(asked["conversation_id"])),
        "key": _key(person),
        "email": address,
        "source": ONLY_THEIRS,
        "thing": ONLY_THEIRS,
        "run": "no-run-of-a-push-source",
        "group": ids[ONLY_THEIRS],
        "person": people[address],
        "erasure": str(whole(admin.post("/admin/v1/erasures", {"document": erased}))["id"]),
    }


def _closed(company: Company) -> dict[str, list[str]]:
    other = company.person("other")
    closed = company.push("closed", _text("delta"), acl={"allow": ["user:other@acme.example"]})
    gone = company.push("gone", _text("epsilon"))
    company.indexed()
    done(company.admin.delete(f"/v1/sources/{PUSHED}/documents/gone"))
    asked, deleted = other.ask(QUESTION), company.person("ann").ask(QUESTION)
    done(company.person("ann").delete(f"/v1/conversations/{deleted['conversation_id']}"))
    withdrawn = _share(other, asked["conversation_id"])
    done(other.delete(f"/v1/conversations/{asked['conversation_id']}/share"))
    return {
        "document": [closed, gone],
        "answer": [asked["answer_id"], deleted["answer_id"]],
        "conversation": [asked["conversation_id"], deleted["conversation_id"]],
        "share": [withdrawn],
        "key": [_key(other)],
    }


def _share(person: Someone, conversation: str) -> str:
    """The token of what is shared now."""
    return str(whole(person.post(f"/v1/conversations/{conversation}/share"))["url"]).rpartition("/")[2]


def _key(person: Someone) -> str:
    return str(whole(person.post("/auth/keys", {"name": "a key"}))["id"])


def _text(word: str) -> str:
    return f"# Crane {word}\n\nThe crane {word} is greased on Mondays.\n"
