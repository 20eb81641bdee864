"""A real browser with the page in it, and a server: a real one, or one that says what a test wants."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browsers import chromium
from real_servers import RealServer

BUILT = Path(__file__).parents[2] / "web" / "built"
ADDRESS = "http://localhost:1/"  # nobody is there: the test answers
POLICY = {"Content-Security-Policy": "default-src 'self'"}
KINDS = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".json": "application/json",
    ".css": "text/css",
    ".svg": "image/svg+xml",
}
RUN_NPM = ("test_documentation.py", "test_package.py", "test_sources.py", "test_vscode.py")
PATIENCE = 60_000  # milliseconds


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    """Shared by all tests of the page. It ends with them, since no test that has a loop can run beside it."""
    with chromium() as browser:
        yield browser


@pytest.fixture
def new_page(browser: Any) -> Iterator[Callable[..., Any]]:
    """Makes new windows, which note what goes wrong in them as `mistakes`."""
    contexts = []

    def make(**options: Any) -> Any:
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.mistakes = []
        page.on("console", lambda said: page.mistakes.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: page.mistakes.append(str(error)))
        return page

    yield make
    for context in contexts:
        context.close()


@pytest.fixture
def start_browser(browser: Any, tmp_path: Path) -> Iterator[Callable[[], Any]]:
    """Starts a browser of its own, each time with the same profile."""
    started = []

    def start() -> Any:
        chromium = shutil.which("chromium")
        context = browser.browser_type.launch_persistent_context(
            tmp_path / "profile", executable_path=chromium, args=["--no-sandbox"]
        )
        started.append(context)
        return context

    yield start
    for context in started:
        context.close()


@pytest.fixture
def kill_browser() -> Callable[[Path], None]:
    """Kills the main process of the browser with a profile; its children go with it."""

    def kill(profile: Path) -> None:
        lock = os.readlink(profile / "SingletonLock")
        os.kill(int(lock.rpartition("-")[2]), signal.SIGKILL)

    return kill


@pytest.fixture
def open_page(new_page: Callable[..., Any]) -> Callable[..., Any]:
    """Opens the page in a new window, with a session of its own behind it, after a script of the test's."""

    def open_with(session: Any, script: str = "", address: str = ADDRESS, **options: Any) -> Any:
        page = new_page(**options)
        page.add_init_script(script)
        page.route(f"{address}**", lambda route: answer(route, address))
        page.route_web_socket(address.replace("http", "ws"), session.join)
        return visited(page, address)

    return open_with


@pytest.fixture
def open_real_page(new_page: Callable[..., Any]) -> Callable[..., Any]:
    """Opens the page of a real server in a new window."""
    return lambda server, **options: visited(new_page(**options), server.address)


@pytest.fixture(scope="session")
def real_server(model_file: Callable[..., Path]) -> Iterator[RealServer]:
    """A server with a tiny model, for all tests that leave it as it is."""
    with RealServer(model_file()) as server:
        yield server


@pytest.fixture(scope="session")
def crossing_server(model_file: Callable[..., Path]) -> Iterator[RealServer]:
    """A server whose trees may have edges that cross."""
    with RealServer(model_file(), "--trees", "mh4") as server:
        yield server


@pytest.fixture(scope="session")
def english_server() -> Iterator[RealServer]:
    """A server with the English model that comes with treewhile."""
    with RealServer("en") as server:
        server.wait_until_ready()
        yield server


@pytest.fixture
def mortal_server(model_file: Callable[..., Path]) -> Iterator[RealServer]:
    """A server that a test may kill."""
    with RealServer(model_file()) as server:
        yield server


def visited(page: Any, address: str) -> Any:
    page.goto(address)
    page.locator("#connection.open").wait_for()
    return page


def answer(route: Any, address: str) -> None:
    """A file of the page, under a policy that allows nothing inline and no other host."""
    path = BUILT / (route.request.url.removeprefix(address).partition("?")[0] or "index.html")
    route.fulfill(body=path.read_bytes(), headers={"Content-Type": KINDS[path.suffix], **POLICY})


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave what drives a browser to the whole run, where one worker has them all, with one browser.

    The same worker has those that run npm, since each builds the same folders.
    """
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("slow")
            item.add_marker(pytest.mark.xdist_group("browser"))
        elif item.path.name in RUN_NPM:
            item.add_marker(pytest.mark.xdist_group("browser"))
