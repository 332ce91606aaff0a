"""Between the parser and the store: what a source's privacy rules take out of a text is never stored."""

import asyncio
from dataclasses import dataclass
from functools import partial

from cortex.domain.document import ParsedDocument
from cortex.domain.identity import SourceId, TenantId
from cortex.domain.privacy import PrivacyRules, Screened, screened
from cortex.ports.language_detector import LanguageDetector
from cortex.ports.privacy_store import PrivacyStore
from cortex.ports.redactor import Redactor
from cortex.ports.revision_store import LatestRevision

SAMPLE_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True)
class Screening:
    """Rules are read for each document: a change of them makes every document of the source anew."""

    store: PrivacyStore
    redactor: Redactor
    languages: LanguageDetector

    async def screen(
        self,
        tenant: TenantId,
        source: SourceId,
        parsed: ParsedDocument,
        *,
        title: str,
        latest: LatestRevision,
        unread: bool,
    ) -> Screened:
        rules = await self.store.rules(tenant, source)
        if latest.released:
            rules = rules.released()
        return await asyncio.to_thread(self._screened, parsed, title=title, rules=rules, unread=unread)

    def _screened(self, parsed: ParsedDocument, *, title: str, rules: PrivacyRules, unread: bool) -> Screened:
        language = self.languages.detect(_sample(parsed)).code
        detect = partial(self.redactor.detect, language=language)
        return screened(parsed, title=title, detect=detect, rules=rules, unread=unread)


def _sample(parsed: ParsedDocument) -> str:
    text, needed = [], SAMPLE_CHARACTERS
    for block in parsed.blocks:
        text.append(block.text[:needed])
        needed -= len(block.text)
        if needed <= 0:
            break
    return "\n".join(text)
