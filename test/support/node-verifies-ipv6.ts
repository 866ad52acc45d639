import { checkServerIdentity, type PeerCertificate } from 'node:tls';

const names = { subject: {}, subjectaltname: 'IP Address:0:0:0:0:0:0:0:1' } as PeerCertificate;

/** Whether this Node's clients take any certificate for ::1. Seen in Node 22.23: they do not. */
export const NODE_VERIFIES_IPV6 = checkServerIdentity('::1', names) === undefined;
