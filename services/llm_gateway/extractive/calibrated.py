"""What a tenant starts with, until a calibration of its own is fitted (`cortex eval calibrate`)."""

from cortex.domain.calibration import Calibration

SHIPPED = Calibration(
    intercept=-10.1343,
    threshold=0.3112,
    coefficients={
        "coverage": 4.6389,
        "elsewhere": -4.1847,
        "known": -3.5491,
        "length": 4.3452,
        "maxsim": 7.8146,
        "names": 0.5415,
        "numbers": 1.1186,
        "years": 4.2747,
    },
)
"""Fitted by `python -m eval.fit_shipped --models DIR`."""
