"""What a tenant starts with, until a calibration of its own is fitted (`cortex eval calibrate`)."""

from cortex.domain.calibration import Calibration

SHIPPED = Calibration(
    intercept=-8.2168,
    threshold=0.3106,
    coefficients={
        "coverage": 4.3875,
        "elsewhere": -1.3582,
        "known": -2.6784,
        "length": 3.8065,
        "maxsim": 5.9543,
        "numbers": 0.9592,
        "years": 3.3573,
    },
)
"""Fitted by `python -m eval.fit_shipped --models DIR`."""
