"""What a tenant starts with, until a calibration of its own is fitted (`cortex eval calibrate`)."""

from cortex.domain.calibration import Calibration

SHIPPED = Calibration(
    intercept=-10.1701,
    threshold=0.3046,
    coefficients={
        "coverage": 4.7245,
        "elsewhere": -4.2008,
        "known": -3.511,
        "length": 4.3861,
        "maxsim": 7.6967,
        "names": 0.5247,
        "numbers": 1.1078,
        "years": 4.2808,
    },
)
"""Fitted by `python -m eval.fit_shipped --models DIR`."""
