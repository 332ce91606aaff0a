"""Events of an answer as they are taken up."""

import json

import pytest

from cortex.domain.errors import Transient
from eval.answers.asking import _Stream


def test_sentences_lose_their_numbers_and_gain_their_citations() -> None:
    stream = _Stream()
    stream.take("meta", json.dumps({"conversation_id": "c", "rewritten_question": "How many days in Berlin?"}))
    stream.take("token", json.dumps({"text": "Everyone has 30 days. [1][2]"}))
    stream.take("citation", json.dumps({"n": 1}))
    stream.take("token", json.dumps({"text": " At most five [sic]. [1]"}))
    stream.take("done", json.dumps({"abstained": False}))
    assert [text for text, _ in stream.sentences] == ["Everyone has 30 days.", "At most five [sic]."]
    assert [len(citations) for _, citations in stream.sentences] == [1, 0]
    assert (stream.conversation, stream.rewritten) == ("c", "How many days in Berlin?")


def test_an_error_ends_the_run() -> None:
    with pytest.raises(Transient, match="the engine is away"):
        _Stream().take("error", json.dumps({"problem": {"detail": "the engine is away"}}))
