"""What a tenant starts with, until a calibration of its own is fitted (`cortex eval calibrate`)."""

from cortex.domain.calibration import Calibration

SHIPPED = Calibration(
    intercept=-8.493,
    threshold=0.3877,
    coefficients={
        "coverage": 3.9087,
        "known": -3.2401,
        "length": 2.3892,
        "maxsim": 7.4706,
        "names": 1.1932,
        "numbers": 1.0416,
        "years": 3.318,
    },
)
"""Fitted by `python -m eval.fit_shipped --models DIR`."""
