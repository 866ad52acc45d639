<?php

class NoBalance extends RuntimeException
{
}

function balanceByCurl(string $url, string $apikey): array
{
    $curl = curl_init("$url/momo/balance?" . http_build_query(['apikey' => $apikey]));
    curl_setopt_array($curl, [CURLOPT_RETURNTRANSFER => true, CURLOPT_FAILONERROR => true]);
    $body = curl_exec($curl);
    if ($body === false) {
        throw new NoBalance(curl_error($curl));
    }
    return json_decode($body, true)['balance'];
}

function balanceByStream(string $url, string $apikey): array
{
    $body = @file_get_contents("$url/momo/balance?" . http_build_query(['apikey' => $apikey]));
    if ($body === false) {
        throw new NoBalance(error_get_last()['message']);
    }
    return json_decode($body, true)['balance'];
}
