import tls from 'node:tls';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { trustInProcess } from '../../src/library/trust.ts';

const pem = (text: string) => `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----`;
const OWN = pem('own');

/** What this process trusts, in place of what `node:tls` has from Node 22.19 on. */
let trusted: readonly string[];

beforeEach(() => {
  trusted = [OWN];
  const standIns = {
    getCACertificates: (type: string) => (type === 'default' ? trusted : []),
    setDefaultCACertificates: (certificates: readonly string[]) => {
      // Node writes each certificate anew, with other white space.
      trusted = certificates.map((one) => `${one.replaceAll('\n', '\r\n')}\n`);
    },
  };
  const names = Object.keys(standIns) as (keyof typeof standIns)[];
  const before = names.map((name) => [name, (tls as Partial<typeof standIns>)[name]]);
  Object.assign(tls, standIns);
  onTestFinished(() => void Object.assign(tls, Object.fromEntries(before)));
});

const bodies = () => trusted.map((one) => one.split(/\s+/)[2]);

it('adds each certificate of a mock to those that there are, and takes out no other', () => {
  const end = trustInProcess(`${pem('one')}\n${pem('two')}\n`);
  expect(bodies()).toEqual(['own', 'one', 'two']);
  end();
  expect(bodies()).toEqual(['own']);
});

it('trusts a certificate that mocks share until the last of them ends', () => {
  const ends = [pem('shared'), `${pem('shared')}\n${pem('more')}`].map(trustInProcess);
  ends[1]?.();
  expect(bodies()).toContain('shared');
  expect(bodies()).not.toContain('more');
  ends[0]?.();
  expect(bodies()).toEqual(['own']);
});

it('counts anew after the last one has ended', () => {
  trustInProcess(pem('one'))();
  const ends = ['one', 'one'].map((text) => trustInProcess(pem(text)));
  ends[0]?.();
  expect(bodies()).toContain('one');
  ends[1]?.();
  expect(bodies()).toEqual(['own']);
});
