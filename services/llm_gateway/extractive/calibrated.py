"""What a tenant starts with, until a calibration of its own is fitted (`cortex eval calibrate`)."""

from cortex.domain.calibration import Calibration

SHIPPED = Calibration(
    intercept=-8.2196,
    threshold=0.3117,
    coefficients={
        "coverage": 4.3932,
        "elsewhere": -1.3624,
        "known": -2.6777,
        "length": 3.7987,
        "maxsim": 5.9596,
        "numbers": 0.9617,
        "years": 3.3594,
    },
)
"""Fitted by `python -m eval.fit_shipped --models DIR`."""
