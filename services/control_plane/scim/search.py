"""Lists of resources: pages, filters and what of each is shown (RFC 7644, section 3.4.2)."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any, Protocol, TypeVar

from scim2_models import Context, ListResponse, Resource, ScimFilter, SearchRequest, TooManyException
from scim2_models.path import CompareOperator, Comparison, FilterNode, LogicalExpr, LogicalOperator

from cortex.domain.identity import TenantId

PAGE_DEFAULT = 100
PAGE_MAX = 1_000
BATCH = 100
T = TypeVar("T")
SCANNED_MAX = 50_000
"""How many a filter that nothing narrows may have to look at."""


class Listed(Protocol):
    """One type of resource, in a fixed order."""

    @property
    def model(self) -> type[Resource[Any]]: ...

    async def count(self, tenant: TenantId) -> int: ...

    async def some(
        self, tenant: TenantId, *, narrowed: tuple[str, str] | None, offset: int, limit: int
    ) -> Sequence[Resource[Any]]: ...

    def narrows(self, attribute: str) -> str | None:
        """The name of the look-up that finds everyone whose attribute (`emails.value`) equals a text."""
        ...


@dataclass(frozen=True, slots=True)
class Page:
    total: int
    start: int
    resources: Sequence[Resource[Any]]


def one_of(kinds: Sequence[Listed]) -> object:
    """The model of whatever may be found."""
    return reduce(or_, (kind.model for kind in kinds))


def parameterised(message: type[T], model: object) -> type[T]:
    """A message of SCIM for the model of what it is about, which is known at run time alone."""
    made: type[T] = message[model]  # type: ignore[index]
    return made


async def search(kinds: Sequence[Listed], tenant: TenantId, request: SearchRequest[Any]) -> Page:
    start = request.start_index or 1
    limit = min(PAGE_DEFAULT if request.count is None else request.count, PAGE_MAX)
    if request.filter is None:
        return await _unfiltered(kinds, tenant, start=start, limit=limit)
    total, shown = 0, list[Resource[Any]]()
    async for resource in _matching(kinds, tenant, request.filter):
        total += 1
        if start <= total < start + limit:
            shown.append(resource)
    return Page(total, start, shown)


def list_json(page: Page, model: object, request: SearchRequest[Any]) -> str:
    listed = parameterised(ListResponse, model)(
        total_results=page.total, start_index=page.start, items_per_page=len(page.resources), resources=page.resources
    )
    body: str = listed.model_dump_json(scim_ctx=Context.RESOURCE_QUERY_RESPONSE, response_parameters=request)
    return body


async def _unfiltered(kinds: Sequence[Listed], tenant: TenantId, *, start: int, limit: int) -> Page:
    total, shown, offset = 0, list[Resource[Any]](), start - 1
    for kind in kinds:
        count = await kind.count(tenant)
        total += count
        if len(shown) < limit and offset < count:
            shown += await kind.some(tenant, narrowed=None, offset=offset, limit=limit - len(shown))
        offset = max(0, offset - count)
    return Page(total, start, shown)


async def _matching(kinds: Sequence[Listed], tenant: TenantId, wanted: ScimFilter[Any]) -> AsyncIterator[Resource[Any]]:
    for kind in kinds:
        bound = parameterised(ScimFilter, kind.model)(wanted)
        narrowed, offset = _narrowed(kind, bound.ast), 0
        while found := await kind.some(tenant, narrowed=narrowed, offset=offset, limit=BATCH):
            for resource in found:
                if bound.match(resource):
                    yield resource
            offset += len(found)
            if offset >= SCANNED_MAX:
                raise TooManyException(detail=f"more than {SCANNED_MAX} to look at; filter by userName or id")


def _narrowed(kind: Listed, node: FilterNode) -> tuple[str, str] | None:
    """A look-up that finds all that the filter lets through, and perhaps more."""
    if isinstance(node, LogicalExpr) and node.op is LogicalOperator.and_:
        return next((found for term in node.terms if (found := _narrowed(kind, term))), None)
    if isinstance(node, Comparison) and node.op is CompareOperator.eq and isinstance(node.value, str):
        path = node.attr_path
        attribute = ".".join(filter(None, (path.attr, path.sub_attr))).lower()
        key = kind.narrows(attribute)
        return None if key is None else (key, node.value)
    return None
