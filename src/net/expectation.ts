import type { RequestListener, Server, ServerResponse } from 'node:http';

/**
 * Handles the requests that have an `Expect` header as all others. Those that expect 100-continue
 * get it, unless their response is ready by then.
 */
export function handleExpectations(server: Server, handle: RequestListener): void {
  server.on('checkExpectation', handle);
  server.on('checkContinue', (request, response) => {
    if (response.socket === null) continueLater(response);
    else response.writeContinue();
    handle(request, response);
  });
}

/**
 * Sends 100 Continue when the responses before this one have left. Node would write it behind the
 * headers of this one, where the client takes it for a part of the body.
 */
function continueLater(response: ServerResponse): void {
  response.once('socket', () => {
    if (!response.headersSent) response.writeContinue();
  });
  // Without 100 Continue, Node would close the connection behind this response, and the requests
  // that came behind it would get none.
  if (response.shouldKeepAlive) response.setHeader('connection', 'keep-alive');
}
