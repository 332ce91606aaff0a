"""Asks an engine for vectors: questions at once, passages in batches, again where that may help."""

import asyncio
import json
import math
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx

from cortex.adapters.egress import EgressPolicy
from cortex.adapters.embedding.shapes import Shape, other_shape, unit_vectors
from cortex.adapters.openai_http import CONNECT_S_MAX, engine_client
from cortex.domain.embedding_engine import EmbeddingEngine
from cortex.domain.encoding import ModelCard, PassageEncoding, QueryEncoding, StoredTokens
from cortex.domain.errors import CortexError, Denied, Exhausted, Invalid, NotFound, Transient
from cortex.ports.token_counter import TokenCounter

ANSWER_BYTES_MAX = 32 * 1024 * 1024
BACKOFF_S = 0.5
PAUSE_S_MAX = 30.0
RETRY_AFTER_S_MAX = 600.0
GIVE_WAY_S_MAX = 0.2
PROBE = "ready"
SHORTER = (2, 4, 8)
NO_TOKENS = StoredTokens(b"", ())

Pause = Callable[[float], Awaitable[None]]


class HttpEmbedder:
    """Implements Embedder, without token vectors. Equal texts give what the engine gives: near enough, not to the bit.

    What only the operator can mend (a key, a name, the dimensions) is Transient here: it is no document's fault,
    and passes once it is mended. `check` names it. An engine's own words stay out of every error: they may quote texts.
    """

    def __init__(
        self,
        engine: EmbeddingEngine,
        shape: Shape,
        *,
        client: httpx.AsyncClient,
        counter: TokenCounter,
        pause: Pause = asyncio.sleep,
    ) -> None:
        self.model: ModelCard = engine.card
        self._engine = engine
        self._shape = shape
        self._client = client
        self._counter = counter
        self._pause = pause
        self._batches = asyncio.Semaphore(engine.batches)
        self._passages = self._queries = 0
        self._no_question = asyncio.Event()
        self._no_question.set()

    async def check(self) -> None:
        """One real answer. Invalid says what to set otherwise; Transient: the engine does not answer now."""
        try:
            await self._ask([self._engine.declared.query_prefix + PROBE])
        except (Denied, NotFound, Exhausted, Invalid) as error:
            raise Invalid(f"CORTEX_EMBEDDER: {error}") from error

    async def encode_query(self, text: str) -> QueryEncoding:
        """One request: whoever asks waits for no second try."""
        cut, _ = self._cut(self._engine.declared.query_prefix, text)
        if self._queries >= self._engine.queries_waiting_max:
            raise Transient("too many questions wait for the embedding engine", retry_after_s=BACKOFF_S)
        self._queries += 1
        self._no_question.clear()
        try:
            (dense,) = await self._ask([cut])
        except (Denied, NotFound, Invalid) as error:
            raise _for_the_operator(error) from error
        finally:
            self._queries -= 1
            if not self._queries:
                self._no_question.set()
        return QueryEncoding(dense, b"", ())

    async def encode_passages(self, texts: Sequence[str]) -> list[PassageEncoding]:
        engine = self._engine
        with self._admitted(len(texts)):
            prefix = engine.declared.passage_prefix
            cuts = await asyncio.to_thread(lambda: [self._cut(prefix, text) for text in texts])
            batches = [cuts[start : start + engine.batch] for start in range(0, len(cuts), engine.batch)]
            vectors = [await self._in_turn([text for text, _ in batch]) for batch in batches]
        return [
            PassageEncoding(dense, NO_TOKENS, truncated or shortened)
            for (dense, shortened), (_, truncated) in zip(
                (one for batch in vectors for one in batch), cuts, strict=True
            )
        ]

    @contextmanager
    def _admitted(self, texts: int) -> Iterator[None]:
        most = self._engine.passages_waiting_max
        if texts > most:
            raise Exhausted(f"{texts} passages at once: at most {most} may wait")
        if self._passages + texts > most:
            raise Transient("too many passages wait for the embedding engine", retry_after_s=BACKOFF_S)
        self._passages += texts
        try:
            yield
        finally:
            self._passages -= texts

    def _cut(self, prefix: str, text: str) -> tuple[str, bool]:
        """With its prefix, and without what is beyond the model's window."""
        if not text.strip():
            raise Invalid("text to encode: empty")
        room = self.model.tokens_max - self._counter.special_tokens - self._counter.count(prefix)
        offsets = self._counter.offsets(text)
        if len(offsets) <= room:
            return prefix + text, False
        return prefix + text[: offsets[room - 1][1]], True

    async def _in_turn(self, texts: Sequence[str]) -> list[tuple[bytes, bool]]:
        """Not before questions that are under way, unless those never end."""
        async with self._batches:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._no_question.wait(), GIVE_WAY_S_MAX)
            try:
                return await self._taken(texts)
            except (Denied, NotFound, Invalid) as error:
                raise _for_the_operator(error) from error

    async def _taken(self, texts: Sequence[str]) -> list[tuple[bytes, bool]]:
        """Vectors, and whether a text was shortened for it. What an engine refuses as a whole is halved."""
        try:
            return [(vector, False) for vector in await self._patiently(texts)]
        except Exhausted:
            if len(texts) == 1:
                await self._check_a_short_one()
                return [(await self._shortened(texts[0]), True)]
        half = len(texts) // 2
        return await self._taken(texts[:half]) + await self._taken(texts[half:])

    async def _shortened(self, text: str) -> bytes:
        """Another tokenizer than the model's may count too few: half the text, or half of that, fits."""
        for divisor in SHORTER:
            try:
                (vector,) = await self._patiently([text[: max(1, len(text) // divisor)]])
            except Exhausted:
                continue
            return vector
        raise Exhausted("the embedding engine refuses a passage however short it is cut")

    async def _patiently(self, texts: Sequence[str]) -> list[bytes]:
        for tried in range(self._engine.tries - 1):
            try:
                return await self._ask(texts)
            except Transient as error:
                wanted_s = max(BACKOFF_S * 2**tried, error.retry_after_s or 0.0)
                if wanted_s > PAUSE_S_MAX:
                    raise
                await self._pause(wanted_s)
        return await self._ask(texts)

    async def _check_a_short_one(self) -> None:
        """Raises where the engine refuses everything: that is no passage's fault."""
        try:
            await self._ask([self._engine.declared.passage_prefix + PROBE])
        except Exhausted as error:
            raise _for_the_operator(error) from error

    async def _ask(self, texts: Sequence[str]) -> list[bytes]:
        engine = self._engine
        headers = {"Authorization": f"Bearer {engine.key}"} if engine.key else {}
        request = self._client.build_request(
            "POST",
            f"{engine.url.rstrip('/')}/{self._shape.path}",
            json=self._shape.body(engine.declared.model, texts),
            headers=headers,
            timeout=httpx.Timeout(None, connect=CONNECT_S_MAX),
        )
        try:
            async with asyncio.timeout(engine.timeout_s):
                answer = await self._answer(request)
        except TimeoutError as error:
            raise Transient("the embedding engine does not answer in time") from error
        except httpx.HTTPError as error:
            raise Transient(f"the embedding engine does not answer ({type(error).__name__})") from error
        return unit_vectors(answer, self._shape, texts=len(texts), dimensions=engine.declared.dimensions)

    async def _answer(self, request: httpx.Request) -> object:
        response = await self._client.send(request, stream=True)
        try:
            if response.status_code != 200:
                raise _refusal(response.status_code, _retry_after_s(response.headers.get("Retry-After")))
            body = bytearray()
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) > ANSWER_BYTES_MAX:
                    raise Transient("the embedding engine answered with more than vectors")
        finally:
            await response.aclose()
        try:
            return json.loads(body)
        except ValueError as error:
            raise other_shape() from error


@asynccontextmanager
async def connected(
    engine: EmbeddingEngine, shape: Shape, *, counter: TokenCounter, egress_allowed: Sequence[str] = ()
) -> AsyncIterator[HttpEmbedder]:
    """Whoever configures the platform names its engine: it may stand anywhere, and nothing else is reached."""
    async with engine_client(EgressPolicy.parsed(egress_allowed).naming(engine.host)) as client:
        yield HttpEmbedder(engine, shape, client=client, counter=counter)


def _refusal(status: int, retry_after_s: float | None) -> CortexError:
    if status in (401, 403):
        return Denied(f"the embedding engine refuses the key (status {status}); see CORTEX_EMBEDDER_KEY")
    if status == 404:
        return NotFound("the embedding engine has no such model, or its address is another (status 404)")
    if status in (400, 413, 422):
        return Exhausted(f"the embedding engine refuses the texts (status {status})")
    if status in (408, 409, 424, 425, 429) or status >= 500:
        return Transient(f"the embedding engine is busy or down (status {status})", retry_after_s=retry_after_s)
    return Invalid(f"what answers is no embedding engine (status {status}); see CORTEX_EMBEDDER_URL")


def _for_the_operator(error: CortexError) -> Transient:
    return Transient(str(error), retry_after_s=PAUSE_S_MAX)


def _retry_after_s(header: str | None) -> float | None:
    """Seconds, or a date; nothing where it is neither."""
    if not header:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            date = parsedate_to_datetime(header)
        except ValueError:
            return None
        seconds = (date.replace(tzinfo=date.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    return min(max(seconds, 0.0), RETRY_AFTER_S_MAX) if math.isfinite(seconds) else None
