import type { OutgoingHttpHeaders } from 'node:http';
import { logBug } from '../log/logger.ts';
import type { RequestReason } from '../mock/requests/reason.ts';
import type { RequestViolation } from '../mock/requests/request-schema.ts';
import type { PreparedFault } from '../mock/responses/fault.ts';
import { FAULTS, type FaultDefinition, type Wire } from '../mock/responses/faults.ts';
import { errorResponse, type HttpResponse, withHeaders } from '../mock/responses/http-response.ts';
import { corsHeaders } from './cors.ts';
import type { ServiceRequest, ServiceResponse } from './request.ts';

/** Rejects a request with the response of `errors/<status>`. */
export function rejection(
  { service }: ServiceRequest,
  status: number,
  reason: RequestReason,
  headers?: HttpResponse['headers'],
  problems: readonly RequestViolation[] = [],
): ServiceResponse {
  const error = errorResponse(service.tree.errors, status);
  const http = headers === undefined ? error : withHeaders(error, headers);
  return { http, source: 'error', isError: true, reason, problems };
}

/** Sends a response, or breaks it on the wire if there is a fault. */
export function send(request: ServiceRequest, { http, fault }: ServiceResponse): void {
  if (fault === undefined) write(request, http);
  else injectFault(request, http, fault);
}

/** Ends a request whose response cannot be sent because of a bug, with a 500 if possible. */
export function sendBug(request: ServiceRequest, error: unknown): void {
  const { logger, tree } = request.service;
  logBug(logger, error, 'Failed to respond to a request: a bug in momo-mock');
  if (request.response.headersSent) {
    request.response.destroy();
    return;
  }
  Object.assign(request.record, { source: 'error', file: null, variant: null, fault: null });
  write(request, errorResponse(tree.errors, 500));
}

function write(request: ServiceRequest, http: HttpResponse): void {
  request.writeHead(http.status, responseHeaders(request, http));
  request.response.end(http.body);
}

/** CORS headers replace the headers of the response. */
function responseHeaders(
  { raw, service }: ServiceRequest,
  http: HttpResponse,
): OutgoingHttpHeaders {
  const { corsOrigin, headersCache } = service;
  const cached = headersCache.get(http);
  if (cached !== undefined) return cached;
  const { status, headers, body } = http;
  const allHeaders: OutgoingHttpHeaders = {
    ...(headers as OutgoingHttpHeaders),
    ...corsHeaders(corsOrigin, raw.headers, Object.keys(headers)),
    ...lengthOf(status, body.length),
  };
  // With a list of origins, the headers differ between pages.
  if (typeof corsOrigin === 'string') headersCache.set(http, allHeaders);
  return allHeaders;
}

function lengthOf(status: number, length: number): OutgoingHttpHeaders {
  return status === 204 || status === 304 ? {} : { 'content-length': length };
}

function injectFault(
  request: ServiceRequest,
  http: HttpResponse,
  { type, options }: PreparedFault,
): void {
  const { response, connection, raw } = request;
  const { status, body } = http;
  const wire: Wire = {
    reset: () => connection?.raw.resetAndDestroy(),
    close: () => raw.socket.destroy(),
    hang: () => {
      connection?.hold(response);
      request.early?.leave();
    },
    head: (length) => {
      request.writeHead(status, { ...responseHeaders(request, http), ...lengthOf(status, length) });
      response.flushHeaders();
    },
    write: (part, onSent) => response.write(part, onSent),
    end: (part) => response.end(part),
    after: (ms, act) => request.delay(ms, act),
  };
  const fault: FaultDefinition = FAULTS[type];
  fault.inject(wire, body, options);
}
