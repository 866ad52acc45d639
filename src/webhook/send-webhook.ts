import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { MAX_RESPONSE_BYTES } from '../mock/limits.ts';
import type { WebhookReason } from '../mock/requests/reason.ts';
import type {
  SendWebhook,
  WebhookAttempt,
  WebhookOutcome,
} from '../mock/webhooks/webhook-queue.ts';
import { isHttpUrl } from '../mock/webhooks/webhook-url.ts';
import { DIRECT } from '../redirect/redirect.ts';
import { clearTimeout, setTimeout } from '../timers.ts';
import { AllowedHosts, HOST_NOT_ALLOWED } from './allowed-hosts.ts';

/**
 * Each attempt uses a new connection, because the application could close an idle one just as the
 * next attempt starts. TLS is verified, and redirects are not followed.
 */
export function webhookSender(hosts: readonly string[]): SendWebhook {
  const allowed = new AllowedHosts(hosts);
  return async (attempt) => {
    if (!isHttpUrl(attempt.url)) return { reason: 'bad-url' };
    const url = new URL(attempt.url);
    const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
    if (!allowed.allows(url.hostname, port)) return { reason: 'host-not-allowed' };
    return await send(url, attempt, allowed.lookupFor(port));
  };
}

function send(
  url: URL,
  { method, headers, body, timeout, signal }: WebhookAttempt,
  lookup: LookupFunction,
): Promise<WebhookOutcome> {
  return new Promise((resolve) => {
    const open = url.protocol === 'https:' ? httpsRequest : httpRequest;
    let request: ClientRequest;
    try {
      request = open(url, { method, headers, lookup, signal, agent: false, ...DIRECT });
    } catch {
      // Node refuses a password with a broken percent escape.
      return resolve({ reason: 'bad-url' });
    }
    const end = (outcome: WebhookOutcome): void => {
      clearTimeout(timer);
      request.destroy();
      resolve(outcome);
    };
    const fail = (reason: WebhookReason): void => end({ reason });
    const timer = setTimeout(() => fail('timeout'), timeout);
    let isInHandshake = false;
    request.on('socket', (socket) => {
      socket.once('connect', () => (isInHandshake = url.protocol === 'https:'));
      socket.once('secureConnect', () => (isInHandshake = false));
    });
    request.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (signal.aborted) fail('cancelled');
      else if (code === HOST_NOT_ALLOWED) fail('host-not-allowed');
      else if (code === 'HPE_HEADER_OVERFLOW') fail('headers-too-large');
      // The codes of Node's HTTP parser.
      else if (code?.startsWith('HPE_')) fail('bad-response');
      else fail(isInHandshake ? 'tls-failed' : 'connection-failed');
    });
    request.on('close', () => fail('connection-failed'));
    request.on('response', (response) => readEnd(response, end));
    request.end(body);
  });
}

/** Reads a response to its end, or up to `MAX_RESPONSE_BYTES`. */
function readEnd(response: IncomingMessage, end: (outcome: WebhookOutcome) => void): void {
  const chunks: Buffer[] = [];
  let length = 0;
  const finish = (): void => {
    const body = Buffer.concat(chunks).subarray(0, MAX_RESPONSE_BYTES);
    end({ status: response.statusCode ?? 0, body });
  };
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_RESPONSE_BYTES) finish();
  });
  // A truncated response has no end event, but the request closes.
  response.on('end', finish);
}
