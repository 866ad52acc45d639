<?php

// Stands in for the API's PHP library, which is not a package: it sends what that library sends. All
// requests are GET, by file_get_contents, with the body as JSON in the query, and ask for status 200 on
// errors.
class Momo
{
    private string $apiKey = '';

    public function setApiKey(string $apiKey): void
    {
        $this->apiKey = $apiKey;
    }

    public function collect(): Request
    {
        return new Request($this, 'requestPayment', 'payment', 'sender');
    }

    public function deposit(): Request
    {
        return new Request($this, 'deposit', 'deposit', 'recipient');
    }

    public function getStatus(string $reference): Transaction
    {
        return new Transaction($this->call("status/$reference"), 'transaction');
    }

    /** @return list<array<string, mixed>> */
    public function getBalances(): array
    {
        return $this->call('balance')['balances'] ?? [];
    }

    /** @param array<string, string> $requestBody the body of a webhook */
    public function parseWebhookData(array $requestBody): Transaction
    {
        return new Transaction(['transaction' => json_decode($requestBody['transaction'], true)], 'transaction');
    }

    /** @param ?array<string, mixed> $body */
    public function call(string $path, ?array $body = null): array
    {
        $url = "https://apis.chipdeals.me/momo/$path?apikey=$this->apiKey&useOnlyStatusCode200=true";
        $url .= $body === null ? '' : '&body=' . urlencode(json_encode($body));
        return json_decode(file_get_contents($url) ?: '{"errorCode":"500-100"}', true);
    }
}

class Request
{
    private array $body = ['amount' => '', 'currency' => '', 'webhookUrl' => '', 'isWave' => false];

    public function __construct(private Momo $momo, private string $path, private string $member, private string $party)
    {
        if ($party === 'sender') {
            $names = ['senderFirstName' => 'Anonymous', 'senderLastName' => 'Anonymous'];
            $this->body += [...$names, 'fee' => false, 'merchantSupportFee' => true];
        }
    }

    public function amount(mixed $amount): self
    {
        return $this->with('amount', $amount);
    }

    public function currency(string $currency): self
    {
        return $this->with('currency', $currency);
    }

    public function from(string $phone): self
    {
        return $this->with('senderPhoneNumber', $phone);
    }

    public function to(string $phone): self
    {
        return $this->with('recipientPhoneNumber', $phone);
    }

    public function webhook(string $url): self
    {
        return $this->with('webhookUrl', $url);
    }

    public function create(): Transaction
    {
        return new Transaction($this->momo->call($this->path, $this->body), $this->member);
    }

    private function with(string $name, mixed $value): self
    {
        $this->body[$name] = $value;
        return $this;
    }
}

class Transaction
{
    public function __construct(private array $response, private string $member)
    {
    }

    public function getReference(): string
    {
        return $this->response[$this->member]['reference'] ?? '';
    }

    public function getStatus(): string
    {
        return $this->response[$this->member]['status'] ?? 'error';
    }

    public function getStatusCode(): int|string
    {
        return $this->response['errorCode'] ?? $this->response[$this->member]['statusMessageCode'];
    }
}
