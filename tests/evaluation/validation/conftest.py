from __future__ import annotations

from pathlib import Path

import pytest
from toys import anew
from toys.tampered.builds import TABLE


@pytest.fixture(scope="session")
def builds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for each config that is tampered with. Not to be changed."""
    place = tmp_path_factory.mktemp("validated")
    for config in sorted({each.config for each in TABLE.values()}):
        anew.build(place / config, config)
    return place
