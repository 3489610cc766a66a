"""Charts of results: variants of a metric as bars, series as lines, kernels under the roof of a roofline.

Altair and pandas take half a second each on first use: only pages that draw import this package.
"""

import gc

from app_pages.charts.bars import variants
from app_pages.charts.drawn import Drawn, show
from app_pages.charts.kept import once
from app_pages.charts.series import in_order, series_chart

__all__ = ["Drawn", "in_order", "once", "series_chart", "show", "variants"]

gc.freeze()  # the modules just loaded stay: collections needn't look through them while cards are graded
