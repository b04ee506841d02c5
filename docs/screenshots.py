"""Takes the README's pictures of a run's report in headless Chromium: ``python docs/screenshots.py RUN``."""

from __future__ import annotations

import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

IMAGES = Path(__file__).parent / "images"
CHROMIUM = "/usr/bin/chromium"
VIEWS = {
    "overview": ("", "light", 1180, 980),
    "overview-dark": ("", "dark", 1180, 980),
    "trace": ("#trace=humber", "light", 1180, 980),
    "trace-phone": ("#trace=humber", "light", 390, 844),
}


def main() -> None:
    """Write one picture a view."""
    report = Path(sys.argv[1]).resolve() / "report.html"
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        for name, (view, scheme, width, height) in VIEWS.items():
            page = browser.new_page(
                viewport={"width": width, "height": height}, color_scheme=scheme, device_scale_factor=1
            )
            page.goto(report.as_uri() + view)
            page.wait_for_timeout(300)
            page.screenshot(path=IMAGES / f"{name}.png")
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
