"""Questions to a gateway: pages as deep as wanted, and once more where a part was late."""

from collections.abc import Mapping

from cortex.cli.gateway import Gateway
from eval.retrieval.ask import TRIES, ask
from eval.retrieval.ingest import Ingested

NAMES = {f"id-{n}": f"d{n}" for n in range(120)}
INGESTED = Ingested("s", NAMES, 120, 120, 1.0)


class Pages(Gateway):
    """Every document in order, and a part missing from the first `late` answers."""

    def __init__(self, *, late: int = 0) -> None:
        self.late = late
        self.bodies: list[Mapping[str, object]] = []

    def post(self, path: str, body: Mapping[str, object]) -> dict[str, object]:
        self.bodies.append(body)
        degraded = ["rerank"] if len(self.bodies) <= self.late else []
        start, limit = int(str(body.get("cursor", 0))), int(str(body["limit"]))
        rows = [{"document_id": name, "score": 1.0, "scores": {"bm25": 2.0}} for name in list(NAMES)[start:][:limit]]
        end = start + limit
        return {"results": rows, "next_cursor": str(end) if end < len(NAMES) else None, "degraded": degraded}


def test_pages_follow_cursors_down_to_the_depth() -> None:
    pages = Pages()
    asked = ask(pages, {"q": "x" * 3_000}, INGESTED, mode="dense", depth=70)
    assert asked.rankings == {"q": [f"d{n}" for n in range(70)]}
    assert [(body["limit"], body.get("cursor")) for body in pages.bodies] == [(50, None), (20, "50")]
    assert {(body["mode"], len(str(body["query"]))) for body in pages.bodies} == {("dense", 2_000)}
    assert pages.bodies[0]["filters"] == {"source_ids": ["s"]}


def test_it_ends_with_the_last_page() -> None:
    assert len(ask(Pages(), {"q": "all"}, INGESTED, depth=500).rankings["q"]) == len(NAMES)


def test_a_question_is_asked_again_until_nothing_is_missing() -> None:
    pages = Pages(late=2)
    asked = ask(pages, {"q": "text"}, INGESTED, depth=10)
    assert (len(pages.bodies), asked.degraded) == (3, {})


def test_what_stays_away_is_counted() -> None:
    asked = ask(Pages(late=TRIES * 2), {"q": "text", "r": "more"}, INGESTED, depth=10)
    assert asked.degraded == {"rerank": 2}
    assert len(asked.spent_ms) == 2


def test_several_askers_keep_answers_with_their_questions() -> None:
    questions = {f"q{n}": "text" for n in range(20)}
    assert list(ask(Pages(), questions, INGESTED, depth=5, askers=4).rankings) == list(questions)
