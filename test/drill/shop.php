<?php

// A small shop without a server: each call is a process. It keeps its orders in the folder ORDERS.
//
//   php shop.php pay ORDER AMOUNT CURRENCY PHONE
//   php shop.php state ORDER
//   php shop.php cron

const API = 'https://apis.chipdeals.me/momo';

function ask(string $path, ?array $body = null): ?array
{
    $http = ['timeout' => 1, 'ignore_errors' => true, 'header' => 'content-type: application/json'];
    if ($body !== null) {
        $http += ['method' => 'POST', 'content' => json_encode($body)];
    }
    $options = stream_context_get_options(stream_context_get_default());
    $context = stream_context_create(array_replace_recursive($options, ['http' => $http]));
    $key = getenv('MOMO_MOCK_APIKEY');
    return json_decode((string) @file_get_contents(API . "/$path?apikey=$key", false, $context), true);
}

function fileOf(string $order): string
{
    return getenv('ORDERS') . "/$order.json";
}

function save(array $order): void
{
    $file = fileOf($order['id']);
    file_put_contents("$file.new", json_encode($order));
    rename("$file.new", $file);
}

function pay(string $id, string $amount, string $currency, string $phone): void
{
    // Only the first call for an order creates its file.
    if (!@fopen(fileOf($id), 'x')) {
        return;
    }
    $order = ['id' => $id, 'status' => 'pending'];
    save($order);
    $body = ['merchantOrderId' => $id, 'amount' => $amount, 'currency' => $currency, 'senderPhoneNumber' => $phone];
    for ($attempt = 0; $attempt < 3; $attempt++) {
        $response = ask('requestPayment', $body);
        $reference = $response['payment']['reference'] ?? null;
        if ($reference !== null) {
            save($order + ['reference' => $reference]);
            return;
        }
        if (isset($response['errorCode'])) {
            return;
        }
        usleep(300_000);
    }
}

function cron(): void
{
    foreach (glob(getenv('ORDERS') . '/*.json') as $file) {
        $order = json_decode((string) file_get_contents($file), true);
        if (($order['status'] ?? '') !== 'pending' || !isset($order['reference'])) {
            continue;
        }
        $state = ask("status/{$order['reference']}")['transaction']['status'] ?? 'pending';
        save(['status' => ['success' => 'paid', 'error' => 'refused'][$state] ?? 'pending'] + $order);
    }
}

[, $what] = $argv;
match ($what) {
    'pay' => pay(...array_slice($argv, 2)),
    'cron' => cron(),
    'state' => print("The state of an order:\n" . (json_decode((string) @file_get_contents(fileOf($argv[2])), true)['status'] ?? 'pending') . "\n"),
};
