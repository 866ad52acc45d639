import { expect, it } from 'vitest';
import { serviceUrl } from '../../src/library/connect-momo-mock.ts';

it.each<[reported: string, control: string, reached: string]>([
  ['https://localhost:8443', 'http://localhost:8480', 'https://localhost:8443'],
  ['https://localhost:8443', 'http://127.0.0.1:8480', 'https://localhost:8443'],
  ['https://localhost:8443', 'http://[::1]:8480', 'https://localhost:8443'],
  ['https://localhost:8443', 'http://momo-mock:8480', 'https://momo-mock:8443'],
  ['https://127.0.0.1:8443', 'http://momo-mock:8480', 'https://momo-mock:8443'],
  ['https://[::1]:8443', 'http://192.168.1.2:8480', 'https://192.168.1.2:8443'],
  ['https://momo.test:8443', 'http://momo-mock:8480', 'https://momo.test:8443'],
  ['https://db.127.test:8443', 'http://momo-mock:8480', 'https://db.127.test:8443'],
])('%s, reported by %s, is reached at %s', (reported, control, reached) => {
  expect(serviceUrl(reported, new URL(control))).toBe(reached);
});
