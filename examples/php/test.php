<?php

require 'momo.php';

$url = getenv('MOMO_MOCK_URL');

/** Sends a request to the control API for a key's account. */
function control(string $method, string $path, ?array $body, string $apikey = ''): ?array
{
    $header = ['content-type: application/json', ...($apikey ? ["apikey: $apikey"] : [])];
    $http = [
        'method' => $method,
        'header' => $header,
        'content' => $body ? json_encode($body) : '',
        'ignore_errors' => true, // Without it, file_get_contents drops the message of an error.
    ];
    $context = stream_context_create(['http' => $http]);
    $response = json_decode(file_get_contents(getenv('MOMO_MOCK_CONTROL_URL') . $path, false, $context), true);
    if (isset($response['error'])) {
        throw new RuntimeException($response['error']['message']);
    }
    return $response;
}

function check(string $what, bool $holds): void
{
    echo $holds ? 'ok' : 'FAILED', " - $what\n";
    $holds || exit(1);
}

function problem(callable $balance, string $url, string $apikey): string
{
    try {
        $balance($url, $apikey);
        return '';
    } catch (NoBalance $problem) {
        return $problem->getMessage();
    }
}

foreach (['balanceByCurl', 'balanceByStream'] as $balance) {
    $apikey = control('POST', '/accounts', null)['apiKey'];

    control('PUT', '/balance', ['balance' => [['amount' => 500, 'currency' => 'XOF']]], $apikey);
    check("$balance reads the balance", $balance($url, $apikey) === [['amount' => 500, 'currency' => 'XOF']]);
    $verified = control('POST', '/verify', ['path' => '/momo/balance', 'times' => 1], $apikey);
    check("$balance sends one request", $verified === ['verified' => true]);

    control('PUT', '/responses', ['status' => 503], $apikey);
    check("$balance reports that the service is down", str_contains(problem($balance, $url, $apikey), '503'));

    control('PUT', '/responses', ['fault' => 'reset'], $apikey);
    check("$balance reports that the connection broke", problem($balance, $url, $apikey) !== '');

    check("$balance reports that the key is wrong", str_contains(problem($balance, $url, 'wrong'), '401'));

    control('DELETE', '/accounts', null, $apikey);
}
