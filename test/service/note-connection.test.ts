import { expect, it, vi } from 'vitest';
import { Journal } from '../../src/core/journal.ts';
import { Secrets } from '../../src/core/secrets.ts';
import { NO_LOG } from '../../src/logger.ts';
import { noteConnection } from '../../src/service/note-connection.ts';

it('a connection that never became a request is over once it is written down', () => {
  const journal = new Journal(1, new Secrets(() => []));
  const open = vi.spyOn(journal, 'open');
  noteConnection(journal, NO_LOG, { reason: 'tls-handshake' });
  expect(open.mock.results[0]?.value).toMatchObject({ reason: 'tls-handshake', isOver: true });
});
