import type { RequestListener, Server, ServerResponse } from 'node:http';

/** Handles requests with an `Expect` header like all others, after a 100 Continue if they expect it. */
export function handleExpectations(server: Server, handle: RequestListener): void {
  server.on('checkExpectation', handle);
  server.on('checkContinue', (request, response) => {
    if (response.socket === null) continueLater(response);
    else if (response.socket.writable) response.writeContinue();
    handle(request, response);
  });
}

/**
 * Sends 100 Continue after the earlier responses have been sent. Node would send it after the
 * headers of this response, where the client reads it as a part of the body.
 */
function continueLater(response: ServerResponse): void {
  response.once('socket', () => {
    if (!response.headersSent) response.writeContinue();
  });
  // Without 100 Continue, Node would close the connection after this response, and later requests
  // would get none.
  if (response.shouldKeepAlive) response.setHeader('connection', 'keep-alive');
}
