# A small shop that survives the drill. It knows only the real provider: `drill` redirects its requests.
# With FAULT=retry, it pays again under another id when a request fails.
import json, os, sys, threading, time, urllib.error, urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

API = "https://apis.chipdeals.me/momo"
KEY = os.environ["MOMO_MOCK_APIKEY"]
HOOK, SECRET = os.environ["HOOK"], os.environ["HOOK_SECRET"]
FAULT = os.environ.get("FAULT")
orders, lock = {}, threading.Lock()


def ask(path, body=None):
    data = body and json.dumps(body).encode()
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(f"{API}/{path}?apikey={KEY}", data, headers)
    with urllib.request.urlopen(request, timeout=1) as response:
        return json.load(response)


def pay(order):
    body = {"amount": order["amount"], "currency": order["currency"], "webhookUrl": HOOK}
    body |= {"senderPhoneNumber": order["phone"], "merchantOrderId": order["id"]}
    for attempt in range(4):
        if FAULT == "retry" and attempt > 0:
            body["merchantOrderId"] = f"{order['id']}-{attempt}"
        try:
            order["reference"] = ask("requestPayment", body)["payment"]["reference"]
            return
        except urllib.error.HTTPError as error:
            if error.code == 429:
                time.sleep(int(error.headers["retry-after"]))
            elif error.code < 500:
                # The id was used: an attempt before this one has arrived.
                refused = b"400-119" not in error.read()
                if refused:
                    order["status"] = "failed"
                return
        except (OSError, ValueError, KeyError, urllib.error.URLError):
            pass
        except Exception:  # a response that breaks off
            pass
        time.sleep(0.3 * 2**attempt)


def learn(transaction):
    """Believes a transaction of the provider."""
    with lock:
        order = orders.get(transaction["merchantOrderId"]) or next(
            (o for o in orders.values() if o.get("reference") == transaction["reference"]), None
        )
        if not order or order["status"] != "pending":
            return
        if transaction["status"] == "error":
            order["status"] = "failed"
        whole = transaction["originalAmount"] >= order["amount"]
        if transaction["status"] == "success" and whole:
            order["status"] = "paid"
            order["shipments"] += 1


def ask_for_all():
    for order in list(orders.values()):
        if order["status"] == "pending" and order.get("reference"):
            try:
                learn(ask(f"status/{order['reference']}")["transaction"])
            except Exception:
                pass


class Shop(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or "{}")
        if self.path == "/orders":
            with lock:
                isNew = body["id"] not in orders
                order = orders.setdefault(body["id"], body | {"status": "pending", "shipments": 0})
            if isNew:
                pay(order)
        elif self.path == "/webhooks":
            if self.headers.get("verif-hash") != SECRET:
                return self.reply(403, {})
            learn(body["data"])
        elif self.path == "/cron":
            ask_for_all()
        self.reply(200, {})

    def do_GET(self):
        order = orders.get(self.path.removeprefix("/orders/"))
        self.reply(200 if order or self.path == "/health" else 404, order or {})

    def reply(self, status, body):
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Shop).serve_forever()
