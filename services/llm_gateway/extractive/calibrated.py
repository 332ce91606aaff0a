"""What a tenant starts with, until a calibration of its own is fitted (`cortex eval calibrate`)."""

from cortex.domain.calibration import Calibration

SHIPPED = Calibration(
    intercept=-8.1699,
    threshold=0.4232,
    coefficients={
        "coverage": 3.3439,
        "known": -3.4427,
        "length": 2.7065,
        "maxsim": 7.8911,
        "names": 1.0216,
        "numbers": 1.1542,
        "years": 3.3702,
    },
)
"""Fitted by `python -m eval.fit_shipped --models DIR`."""
