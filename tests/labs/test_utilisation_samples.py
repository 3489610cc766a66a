"""NVML's utilisation where there is no NVIDIA driver."""

from __future__ import annotations

import pytest
import torch

from labs.kit.utilisation_samples import NoUtilisation, UtilisationWatch


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU whose utilisation can be read")
def test_without_a_driver_it_says_why_there_is_nothing_to_sample() -> None:
    with pytest.raises(NoUtilisation, match=r"driver|package"):
        UtilisationWatch.open()
