"""The extractive composer behind the generator's port."""

import asyncio
import logging
from collections.abc import AsyncGenerator

from cortex.domain.answer import Sentence
from cortex.domain.calibration import Calibration
from cortex.domain.errors import Transient
from cortex.domain.identity import TenantId
from cortex.ports.calibration_store import CalibrationReader
from cortex.ports.generator import Ending, GenerationRequest
from services.llm_gateway.extractive.calibrated import SHIPPED
from services.llm_gateway.extractive.compose import compose
from services.llm_gateway.extractive.settings import ComposerSettings

log = logging.getLogger(__name__)

STORE_S_MAX = 2.0


class ExtractiveGenerator:
    """Needs no model and reads no tokens. Composing takes milliseconds, on a thread.

    `calibrations` None: the shipped calibration, for every tenant.
    """

    def __init__(self, settings: ComposerSettings, calibrations: CalibrationReader | None = None) -> None:
        self._settings = settings
        self._calibrations = calibrations

    async def generate(self, request: GenerationRequest) -> AsyncGenerator[Sentence | Ending, None]:
        calibration = await self._calibration(request.tenant)
        composed = await asyncio.to_thread(compose, request.question, request.passages, self._settings, calibration)
        for sentence in composed.sentences:
            yield sentence
        yield Ending(
            abstained=composed.abstained,
            reason=composed.reason,
            confidence=composed.confidence,
            evidence=composed.evidence,
        )

    async def _calibration(self, tenant: TenantId) -> Calibration:
        """The tenant's own; where it cannot be read, the shipped one."""
        if self._calibrations is None:
            return SHIPPED
        try:
            async with asyncio.timeout(STORE_S_MAX):
                return await self._calibrations.calibration(tenant) or SHIPPED
        except (Transient, TimeoutError):
            log.warning("the tenant's calibration cannot be read: the shipped one decides")
            return SHIPPED
