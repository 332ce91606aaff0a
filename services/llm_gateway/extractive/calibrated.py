"""What a tenant starts with, until a calibration of its own is fitted (`cortex eval calibrate`)."""

from cortex.domain.calibration import Calibration

SHIPPED = Calibration(
    intercept=-8.489,
    threshold=0.3898,
    coefficients={
        "coverage": 3.8776,
        "known": -3.3261,
        "length": 2.3949,
        "maxsim": 7.6729,
        "names": 1.1888,
        "numbers": 1.0435,
        "years": 3.3223,
    },
)
"""Fitted by `python -m eval.fit_shipped --models DIR`."""
