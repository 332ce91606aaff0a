"""What a tenant starts with, until a calibration of its own is fitted (`cortex eval calibrate`)."""

from cortex.domain.calibration import Calibration

SHIPPED = Calibration(
    intercept=-9.8402,
    threshold=0.3046,
    coefficients={
        "coverage": 4.7218,
        "elsewhere": -4.1884,
        "known": -3.5113,
        "length": 4.3857,
        "maxsim": 7.6973,
        "names": 0.5246,
        "numbers": 1.1119,
        "years": 3.9482,
    },
)
"""Fitted by `python -m eval.fit_shipped --models DIR`."""
