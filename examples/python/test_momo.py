import os

import pytest
import requests

from momo import NoBalance, balance_by_requests, balance_by_urllib

URL = os.environ["MOMO_MOCK_URL"]
CONTROL = os.environ["MOMO_MOCK_CONTROL_URL"]


@pytest.fixture
def apikey():
    """A key for one test, so tests can run concurrently (pytest-xdist)."""
    key = requests.post(f"{CONTROL}/accounts").json()["apiKey"]
    yield key
    requests.delete(f"{CONTROL}/accounts", headers={"apikey": key})


@pytest.fixture(params=[balance_by_requests, balance_by_urllib])
def balance(request):
    return request.param


def configure(apikey, path, body):
    requests.put(CONTROL + path, json=body, headers={"apikey": apikey}).raise_for_status()


def verify(apikey, expected):
    response = requests.post(f"{CONTROL}/verify", json=expected, headers={"apikey": apikey})
    assert response.ok, response.json()["error"]["message"]


def test_reads_the_balance(balance, apikey):
    configure(apikey, "/balance", {"balance": [{"amount": 500, "currency": "XOF"}]})
    assert balance(URL, apikey) == [{"amount": 500, "currency": "XOF"}]
    verify(apikey, {"path": "/momo/balance", "times": 1})


def test_has_no_balance_while_the_service_is_down(balance, apikey):
    configure(apikey, "/responses", {"status": 503})
    with pytest.raises(NoBalance, match="503"):
        balance(URL, apikey)


def test_has_no_balance_when_the_connection_breaks(balance, apikey):
    configure(apikey, "/responses", {"fault": "reset"})
    with pytest.raises(NoBalance, match="closed|reset"):
        balance(URL, apikey)


def test_has_no_balance_for_a_wrong_key(balance):
    with pytest.raises(NoBalance, match="401"):
        balance(URL, "wrong")
