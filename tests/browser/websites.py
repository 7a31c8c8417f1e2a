"""Websites of other people that embed a widget: another origin than the desk's."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit


@contextmanager
def websites(desk_url: str) -> Iterator[str]:
    """Serves `/?key=…&locale=…`: a page with the loader and these settings."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(desk_url))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        # Another site for the browser, not only another port of the same.
        yield f"http://localhost:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def _handler(desk_url: str) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            settings = parse_qsl(urlsplit(self.path).query)
            data = " ".join(f'data-{name}="{escape(value)}"' for name, value in settings)
            page = (
                '<!doctype html><html lang="en"><title>A shop</title>'
                '<link rel="icon" href="data:,">'
                f'<script src="{desk_url}/widget/loader.js" {data}></script>'
                "<main><h1>A shop</h1></main></html>"
            ).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            # As strict as a website may be that embeds the widget.
            self.send_header(
                "Content-Security-Policy",
                f"default-src 'none'; script-src {desk_url}; frame-src {desk_url}; img-src data:",
            )
            self.end_headers()
            self.wfile.write(page)

        def log_message(self, *_: object) -> None:
            """Silent."""

    return Handler
