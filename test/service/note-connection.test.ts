import { expect, it, vi } from 'vitest';
import { NO_LOG } from '../../src/logger.ts';
import { Journal } from '../../src/mock/journal.ts';
import { Secrets } from '../../src/mock/secrets.ts';
import { noteConnection } from '../../src/service/note-connection.ts';

it('a connection that never became a request is over once it is written down', () => {
  const journal = new Journal(1, new Secrets(() => []));
  const open = vi.spyOn(journal, 'open');
  noteConnection(journal, NO_LOG, { reason: 'tls-handshake' });
  expect(open.mock.results[0]?.value).toMatchObject({ reason: 'tls-handshake', isOver: true });
});
