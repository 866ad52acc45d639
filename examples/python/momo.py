import json
from urllib.error import URLError
from urllib.request import urlopen

import requests


class NoBalance(Exception):
    pass


def balance_by_requests(url, apikey):
    try:
        response = requests.get(f"{url}/momo/balance", params={"apikey": apikey}, timeout=30)
        response.raise_for_status()
    except requests.RequestException as error:
        raise NoBalance(error) from error
    return response.json()["balance"]


def balance_by_urllib(url, apikey):
    try:
        with urlopen(f"{url}/momo/balance?apikey={apikey}", timeout=30) as response:
            return json.load(response)["balance"]
    except (URLError, ConnectionError) as error:
        raise NoBalance(error) from error
