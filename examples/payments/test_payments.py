import os

import pytest
import requests

URL = os.environ["MOMO_MOCK_URL"]
CONTROL = os.environ["MOMO_MOCK_CONTROL_URL"]
ORDER = {"orderId": "A1", "phone": "22990000000", "amount": 500}


class Account:
    """An account for one test, with its own state, clock and callbacks."""

    def __init__(self):
        self.key = requests.post(f"{CONTROL}/accounts").json()["apikey"]

    def call(self, method, path, json=None):
        return requests.request(method, URL + path, params={"apikey": self.key}, json=json)

    def control(self, method, path, json=None):
        headers = {"apikey": self.key}
        response = requests.request(method, CONTROL + path, json=json, headers=headers)
        assert response.ok, response.text
        return response.json() if response.content else None

    def advance(self, ms):
        self.control("POST", "/clock", {"advance": ms})

    def collect(self, **order):
        return self.call("POST", "/momo/collect", {**ORDER, **order})

    def payout(self, **order):
        return self.call("POST", "/momo/payout", {**ORDER, **order})

    def status(self, response):
        reference = response.json()["payment"]["reference"]
        return self.call("GET", f"/momo/status/{reference}").json()["payment"]["status"]

    def balance(self):
        return self.call("GET", "/momo/balance").json()["balance"][0]["amount"]


@pytest.fixture
def momo():
    account = Account()
    account.control("POST", "/clock", {"freeze": True})
    yield account
    account.control("DELETE", "/accounts")


def test_collects_after_a_while(momo):
    payment = momo.collect()
    assert payment.status_code == 201
    momo.advance(4999)
    assert momo.status(payment) == "PENDING"
    momo.advance(1)
    assert momo.status(payment) == "SUCCESS"
    assert momo.balance() == 100_500


def test_calls_back_with_retries(momo):
    # Nothing listens on port 9, so each attempt is refused.
    momo.collect(callbackUrl="http://localhost:9/payments")
    momo.advance("idle")
    callbacks = momo.control("GET", "/callbacks?waitFor=4")["callbacks"]
    assert [entry["attempt"] for entry in callbacks] == [1, 2, 3, 4]
    assert all(entry["status"] is None for entry in callbacks)
    assert '"status":"SUCCESS"' in callbacks[0]["body"]


@pytest.mark.parametrize("phone", ["22990000001", "22990000002", "22990000003"])
def test_does_not_collect_from_some_numbers(momo, phone):
    payment = momo.collect(phone=phone)
    momo.advance("idle")
    assert momo.status(payment) == "FAILED"
    assert momo.balance() == 100_000


def test_asks_some_numbers_for_an_otp(momo):
    assert momo.collect(phone="22990000004").json()["code"] == "OTP_REQUIRED"
    assert momo.collect(phone="22990000004", otp="1234").status_code == 201


def test_pays_out_what_is_there(momo):
    assert momo.payout(amount=100_001).json()["code"] == "BALANCE_TOO_LOW"
    payment = momo.payout(phone="22990000001")
    assert momo.balance() == 99_500
    momo.advance("idle")
    assert momo.status(payment) == "FAILED"
    assert momo.balance() == 100_000


def test_pays_an_order_once(momo):
    assert [momo.payout().status_code for _ in range(3)] == [201, 200, 200]
    assert momo.payout(amount=1).status_code == 409
    assert momo.balance() == 99_500


def test_names_the_field_that_is_wrong(momo):
    response = momo.collect(amount=0)
    assert response.status_code == 400
    assert response.json()["field"] == "amount"


def test_pays_out_from_the_balance_that_a_test_sets(momo):
    momo.control("PUT", "/state/balance", 10)
    assert momo.payout(amount=11).status_code == 422
    assert momo.control("GET", "/state/balance") == 10
