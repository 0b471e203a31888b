"""Clicks through the site of `shrinkwarp serve` and checks what is shown: serve.py ADDRESS DRIVER_PORT FOLDER.

The store must hold one workload with the scheme `none` and at least two others, `none` with a time series, and as its
oldest run one with the scheme `latte l1.phase_accesses=16` and a time series.
"""

import sys

from webdriver import Browser

# Columns of the list of runs.
SCHEME, CYCLES, SERIES = 3, 5, 10


def check(claim, what):
    if not claim:
        raise SystemExit(f"serve: {what}")
    print(f"  {what}")


def rows(browser):
    return browser.all("#runs tbody tr")


def cells(browser, scheme):
    """The cells of the row of a scheme."""
    for row in browser.script(
        "return [...document.querySelectorAll('#runs tbody tr')].map(r => [...r.cells].map(c => c.innerText))"
    ):
        if row[SCHEME] == scheme:
            return row
    raise SystemExit(f"serve: no row of the scheme {scheme}")


def overview(browser, address):
    browser.open(address)
    check(browser.title() == "Runs", "the list of runs is shown")
    count = len(rows(browser))
    check(count >= 3, f"the table has {count} runs")
    check(browser.texts("figure svg .title") == ["Speedup over no compression"], "speedups are charted")

    (bar, *_) = browser.all("figure svg rect[data-tip]")
    browser.point_at(bar)
    browser.wait(lambda: browser.texts("#tip") != [""], "no tip appears")
    check("×" in browser.texts("#tip")[0], "a bar that is pointed at says its value")
    visible = "return [...document.querySelectorAll('figure svg rect.s0')].filter(r => r.style.display !== 'none').length"
    before = browser.script(visible)
    browser.click("figure svg .entry:first-of-type")
    check(browser.script(visible) < before, "a click on a name hides its series")
    return count


def filtered(browser, count):
    browser.script(
        "const s = document.querySelector('select[name=scheme]'); s.value = 'none'; s.dispatchEvent(new Event('change'))"
    )
    browser.wait(lambda: "scheme=none" in browser.address(), "the filter is not applied")
    browser.wait(lambda: 0 < len(rows(browser)) < count, "the filter shows all runs")
    check({cells(browser, "none")[SCHEME]} == {"none"}, "the filter leaves the runs of one scheme")


def compared(browser, address):
    browser.open(address)
    button = "return document.querySelector('[data-choose] button').disabled"
    chosen = "return document.querySelectorAll('[data-choose] input:checked').length"
    check(browser.script(button), "nothing is compared before two runs are chosen")
    boxes = browser.script("return [...document.querySelectorAll('[data-choose] input')].map(b => b.value)")
    for box in boxes[:3]:
        browser.click(f'input[value="{box}"]')
    check(browser.script(chosen) == 2 and not browser.script(button), "two runs are chosen, never three")
    table = {row[SCHEME]: row for row in browser.script(
        "return [...document.querySelectorAll('#runs tbody tr')].filter(r => r.querySelector('input:checked'))"
        ".map(r => [...r.cells].map(c => c.innerText))"
    )}
    browser.click("[data-choose] button")
    browser.wait(lambda: " against " in browser.title(), "the comparison is not shown")
    second, first = browser.title().split(" against ")
    speedup = int(table[first][CYCLES]) / int(table[second][CYCLES])
    shown = float(browser.texts(".card strong")[0].rstrip("×"))
    check(abs(shown - speedup) < 0.001 * speedup, f"the speedup is that of the cycles in the list: {shown}×")
    titles = browser.texts("figure svg .title")
    check(titles[:2] == [f"{second} relative to {first}", "Where the energy goes"], "ratios and energy are charted")


def open_sampled(browser, address, scheme):
    """Opens the page of the run of a scheme that has a time series, and gives the titles of its charts."""
    browser.open(address)
    identity = browser.script(
        "return [...document.querySelectorAll('#runs tbody tr')]"
        ".find(r => r.cells[arguments[1]].innerText === 'yes' && r.cells[arguments[2]].innerText === arguments[0])"
        ".querySelector('a').pathname",
        scheme,
        SERIES,
        SCHEME,
    )
    browser.click(f'#runs a[href="{identity}"]')
    browser.wait(lambda: identity in browser.address(), "the run is not opened")
    return browser.texts("figure svg .title")


def single(browser, address):
    titles = open_sampled(browser, address, "none")
    for title in ["Instructions", "Cache hits", "DRAM bursts", "Launches in order", "Where the energy goes"]:
        check(title in titles, f"the page of a run charts: {title}")
    check("Mode of the L1" not in titles, "a plain cache decides nothing")
    points = browser.script("return document.querySelector('figure svg polyline').points.length")
    check(points >= 2, f"the timeline has {points} samples")
    browser.click("figure:first-of-type .data summary")
    numbers = browser.script("return document.querySelectorAll('figure .data[open] tbody tr').length")
    check(numbers >= points, "the numbers behind a chart can be opened")


def decisions(browser, address):
    titles = open_sampled(browser, address, "latte l1.phase_accesses=16")
    for title in [
        "Mode of the L1", "Average memory access time by mode", "Latency that the schedulers hide",
        "Time from access to fill", "Effective capacity",
    ]:
        check(title in titles, f"the page of an adaptive run charts: {title}")
    chart = "svg[aria-label='Mode of the L1']"
    modes = browser.texts(f"{chart} .entry")
    check({"none", "bdi"} <= set(modes), f"the cache was in several modes: {', '.join(modes)}")
    steps = browser.all(f"{chart} rect[data-tip^='mode,']")
    check(len(steps) >= 3, f"the strip has {len(steps)} steps")
    browser.point_at(steps[0])
    browser.wait(lambda: "core cycles" in browser.texts("#tip")[0], "no tip appears")
    check(browser.texts("#tip")[0].rsplit(": ")[-1] in modes, "a step that is pointed at says its mode")
    lines = browser.script(
        "return [...document.querySelectorAll(arguments[0])].map(line => line.points.length)",
        "svg[aria-label='Average memory access time by mode'] polyline",
    )
    check(len(lines) == 3 and min(lines) >= 2, f"each mode has its estimates: {lines}")


def main(address, port, folder):
    with Browser(int(port), folder + "/profile") as browser:
        count = overview(browser, address)
        filtered(browser, count)
        compared(browser, address)
        single(browser, address)
        decisions(browser, address)
        complaints = browser.complaints()
        check(not complaints, f"the browser has nothing to complain about {complaints or ''}")


main(*sys.argv[1:])
