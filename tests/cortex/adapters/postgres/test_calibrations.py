"""A tenant's calibration of answers."""

import pytest

from cortex.adapters.postgres.calibrations import PostgresCalibrations
from cortex.adapters.postgres.settings import PostgresSettings
from cortex.domain.calibration import Calibration
from cortex.domain.limits import Limits
from cortex.testing.sources import FixedClock
from tests.cortex.adapters.postgres.conftest import Store

pytestmark = pytest.mark.servers

OWN = Calibration(-3.0, 0.4, {"coverage": 5.0, "years": 2.0})


async def test_it_is_the_shipped_one_until_it_is_set_and_after_it_is_taken_back(store: Store) -> None:
    calibrations = PostgresCalibrations(store.database, FixedClock())
    assert await calibrations.calibration(store.tenant) is None
    await calibrations.set_calibration(store.tenant, OWN)
    assert await calibrations.calibration(store.tenant) == OWN
    await calibrations.set_calibration(store.tenant, None)
    assert await calibrations.calibration(store.tenant) is None


async def test_the_tenants_other_settings_stay(store: Store) -> None:
    settings = PostgresSettings(store.database, FixedClock())
    await settings.set_limits(store.tenant, Limits(questions_per_day=7))
    await PostgresCalibrations(store.database, FixedClock()).set_calibration(store.tenant, OWN)
    assert (await settings.limits(store.tenant)).questions_per_day == 7
