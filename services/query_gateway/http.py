"""The gateway's application, made of ports. Whoever composes the process may add routers of other services."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from fastapi import APIRouter, FastAPI
from prometheus_client import CollectorRegistry

from cortex.ports import synonyms as synonym_port
from cortex.ports.answer_store import AnswerStore
from cortex.ports.audit_log import AuditLog
from cortex.ports.authenticator import Authenticator
from cortex.ports.clock import Clock
from cortex.ports.conversation_store import ConversationStore, ShareStore
from cortex.ports.directory import Directory
from cortex.ports.document_reader import DocumentReader
from cortex.ports.feedback_store import FeedbackStore
from cortex.ports.generator import Generator
from cortex.ports.language_detector import LanguageDetector
from cortex.ports.limits import PrincipalLimits
from cortex.ports.narrowing_store import NarrowingStore
from cortex.ports.object_store import ObjectStore
from cortex.ports.permission_engine import PermissionEngine
from cortex.ports.profiles import Profiles
from cortex.ports.query_models import QueryModels
from cortex.ports.sparse_encoder import SparseEncoder
from cortex.ports.suggestion_store import SuggestionStore
from cortex.ports.tracer import Tracer
from cortex.ports.vector_index import VectorReader
from cortex.runtime.edge.application import application
from cortex.runtime.edge.untraced import Untraced
from services.query_gateway import (
    answers,
    chat,
    completions,
    conversations,
    documents,
    explain,
    feedback,
    health,
    me,
    search,
    shares,
    suggest,
    web,
)
from services.query_gateway.answering import Answering
from services.query_gateway.encode import QueryEncoder
from services.query_gateway.following import Following
from services.query_gateway.health import Probe
from services.query_gateway.history import History
from services.query_gateway.identify import Identify, Operator
from services.query_gateway.metrics import Metrics
from services.query_gateway.narrowing import Operators
from services.query_gateway.retrieve import Retriever
from services.query_gateway.settings import Settings
from services.query_gateway.synonyms import Synonyms
from services.query_gateway.unlimited import Unlimited
from services.query_gateway.visibility import Visibility

App = FastAPI


@dataclass(frozen=True, slots=True)
class Ports:
    """Everything that the gateway asks of the world."""

    authenticator: Authenticator
    directory: Directory
    models: QueryModels
    terms: SparseEncoder
    languages: LanguageDetector
    index: VectorReader
    documents: DocumentReader
    permissions: PermissionEngine
    objects: ObjectStore
    answers: AnswerStore
    conversations: ConversationStore
    shares: ShareStore
    feedback: FeedbackStore
    suggestions: SuggestionStore
    narrowing: NarrowingStore
    synonyms: synonym_port.Synonyms
    profiles: Profiles
    audit: AuditLog
    generator: Generator
    clock: Clock
    registry: CollectorRegistry
    probes: Mapping[str, Probe] = field(default_factory=dict)
    tracer: Tracer = field(default_factory=Untraced)
    limits: PrincipalLimits = field(default_factory=Unlimited)


def create_app(ports: Ports, settings: Settings, *, routers: Sequence[APIRouter] = ()) -> FastAPI:
    """`routers` are served beside the gateway's own, under the same middleware and with the same problems."""
    metrics = Metrics(ports.registry)
    answering = Answering(generator=ports.generator, store=ports.answers, metrics=metrics, settings=settings.answer)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        async with answering:
            yield

    app = application(
        [*_own(ports, settings, metrics, answering), *routers],
        settings,
        tracer=ports.tracer,
        requests=metrics,
        lifespan=lifespan,
    )
    if settings.web_folder is not None:
        web.install(app, settings.web_folder)
    return app


def _health(ports: Ports, settings: Settings) -> APIRouter:
    operator = Operator(ports.authenticator)
    return health.router(
        probes=ports.probes, registry=ports.registry, operator=operator, timeout_s=settings.probe_timeout_s
    )


def _own(ports: Ports, settings: Settings, metrics: Metrics, answering: Answering) -> list[APIRouter]:
    bounds = settings.retrieval
    visibility = Visibility(
        documents=ports.documents,
        permissions=ports.permissions,
        metrics=metrics,
        timeout_s=bounds.permission_timeout_s,
        batch=bounds.batch,
    )
    identify = Identify(
        authenticator=ports.authenticator,
        directory=ports.directory,
        metrics=metrics,
        tracer=ports.tracer,
        timeout_s=bounds.permission_timeout_s,
    )
    encoder = _encoder(ports, settings)
    retriever = _retriever(ports, settings, metrics, visibility, encoder)
    operators = Operators(ports.narrowing, visibility, timeout_s=bounds.search_timeout_s)
    looking = search.Search(retriever=retriever, operators=operators, visibility=visibility, clock=ports.clock)
    records = answers.Records(store=ports.answers, visibility=visibility)
    following = Following(
        answering=answering,
        store=ports.answers,
        visibility=visibility,
        clock=ports.clock,
        metrics=metrics,
        settings=settings.answer,
    )
    talk = chat.Chat(
        retriever=retriever,
        operators=operators,
        answering=answering,
        following=following,
        records=records,
        history=History(conversations=ports.conversations, records=records),
        limits=ports.limits,
        settings=settings.answer,
    )
    openai = completions.Completions(
        chat=talk, answering=answering, following=following, clock=ports.clock, settings=settings.answer
    )
    return [
        _health(ports, settings),
        search.router(identify=identify, search=looking),
        chat.router(identify=identify, chat=talk),
        completions.router(identify=identify, completions=openai, clock=ports.clock),
        answers.router(
            identify=identify, records=records, following=following, answering=answering, settings=settings.answer
        ),
        documents.router(identify=identify, documents=_documents(ports, settings, visibility)),
        *_of_answers(ports, settings, metrics, identify=identify, records=records, answering=answering),
        *_of_the_asker(ports, settings, identify=identify, visibility=visibility, encoder=encoder),
    ]


def _documents(ports: Ports, settings: Settings, visibility: Visibility) -> documents.Documents:
    return documents.Documents(
        documents=ports.documents,
        objects=ports.objects,
        audit=ports.audit,
        visibility=visibility,
        timeout_s=settings.retrieval.search_timeout_s,
    )


def _encoder(ports: Ports, settings: Settings) -> QueryEncoder:
    return QueryEncoder(
        models=ports.models,
        terms=ports.terms,
        languages=ports.languages,
        synonyms=Synonyms(ports.synonyms, ports.clock),
        timeout_s=settings.retrieval.encode_timeout_s,
    )


def _of_answers(
    ports: Ports,
    settings: Settings,
    metrics: Metrics,
    *,
    identify: Identify,
    records: answers.Records,
    answering: Answering,
) -> list[APIRouter]:
    kept = conversations.Conversations(
        store=ports.conversations,
        records=records,
        answering=answering,
        share_url=lambda token: f"{settings.public_url}/shares/{token}",
    )
    shown = shares.Shares(store=ports.shares, conversations=ports.conversations, records=records, clock=ports.clock)
    explaining = explain.Explaining(records=records)
    return [
        conversations.router(identify=identify, conversations=kept),
        shares.router(identify=identify, shares=shown, conversations=kept),
        feedback.router(identify=identify, feedback=ports.feedback, metrics=metrics),
        explain.router(identify=identify, explaining=explaining),
    ]


def _of_the_asker(
    ports: Ports, settings: Settings, *, identify: Identify, visibility: Visibility, encoder: QueryEncoder
) -> list[APIRouter]:
    sources = me.VisibleSources(
        encoder=encoder,
        index=ports.index,
        documents=ports.documents,
        visibility=visibility,
        settings=settings.retrieval,
    )
    suggesting = suggest.Suggesting(store=ports.suggestions, visibility=visibility)
    return [
        suggest.router(identify=identify, suggesting=suggesting),
        me.router(identify=identify, profiles=ports.profiles, sources=sources),
    ]


def _retriever(
    ports: Ports, settings: Settings, metrics: Metrics, visibility: Visibility, encoder: QueryEncoder
) -> Retriever:
    return Retriever(
        encoder=encoder,
        models=ports.models,
        index=ports.index,
        documents=ports.documents,
        visibility=visibility,
        metrics=metrics,
        settings=settings.retrieval,
    )
