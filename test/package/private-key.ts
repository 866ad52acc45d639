/** A private key in PEM, with some of its content. */
export const PRIVATE_KEY = /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----\s+[A-Za-z0-9+/]{20}/;
