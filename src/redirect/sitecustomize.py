"""Redirects hosts in the Python processes of `momo-mock run --redirect`, of any version.

A redirected name resolves to an address of its own, and a connection to it goes to the mock.
"""

import json
import os
import sys


def load_the_users_own():
    """Python loads only the first sitecustomize on its path, so this one loads the next."""
    folder = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != folder]
    this = sys.modules.pop(__name__)
    try:
        import sitecustomize  # noqa: F401
    except ImportError as error:
        if getattr(error, "name", __name__) != __name__:
            raise
    finally:
        # Python fails if there is none.
        sys.modules.setdefault(__name__, this)


def redirect(redirects):
    import _socket
    import socket

    mocks = {}
    addresses = {}
    for one in redirects:
        target = one["target"]
        for host in one["hosts"]:
            # The innermost run comes first.
            if host in addresses:
                continue
            addresses[host] = "127.77.%d.%d" % divmod(len(addresses) + 1, 256)
            mocks[host] = mocks[addresses[host]] = (target["host"], target["port"])

    def resolving(resolve):
        def replacement(host, *rest, **named):
            return resolve(addresses.get(plain_name(host), host), *rest, **named)

        return replacement

    def connecting(connect):
        def replacement(self, address):
            name = plain_name(address[0]) if isinstance(address, tuple) and address else None
            return connect(self, mocks.get(name, address))

        return replacement

    for name in ("getaddrinfo", "gethostbyname", "gethostbyname_ex"):
        # Libraries take them from both modules.
        for module in (_socket, socket):
            setattr(module, name, resolving(getattr(module, name)))
    for name in ("connect", "connect_ex"):
        setattr(socket.socket, name, connecting(getattr(socket.socket, name)))


def plain_name(host):
    if isinstance(host, (bytes, bytearray)):
        host = bytes(host).decode("latin-1")
    if not isinstance(host, str):
        return None
    try:
        host = host.encode("idna").decode("ascii")
    except UnicodeError:
        pass
    return host.lower().rstrip(".")


try:
    load_the_users_own()
finally:
    instructions = os.environ.get("MOMO_MOCK_REDIRECT")
    if instructions and sys.version_info >= (3,):
        redirect(json.loads(instructions)["redirects"])
