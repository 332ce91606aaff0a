"""What a tenant starts with, until a calibration of its own is fitted (`cortex eval calibrate`)."""

from cortex.domain.calibration import Calibration

SHIPPED = Calibration(
    intercept=-9.8248,
    threshold=0.3062,
    coefficients={
        "coverage": 4.6907,
        "elsewhere": -4.1863,
        "known": -3.5548,
        "length": 4.3798,
        "maxsim": 7.7987,
        "names": 0.5241,
        "numbers": 1.1134,
        "years": 3.947,
    },
)
"""Fitted by `python -m eval.fit_shipped --models DIR`."""
