import * as Type from 'typebox';

/** The response of `GET /`. */
export type Overview = Type.Static<typeof OVERVIEW>;

/** The definition of {@link Overview}. */
export const OVERVIEW = Type.Object(
  {
    version: Type.String(),
    startedAt: Type.String({ format: 'date-time', description: 'The time of the start.' }),
    url: Type.String({ format: 'uri', description: 'Base URL of the service.' }),
    certificate: Type.Object({
      expiresAt: Type.String({ format: 'date-time', description: 'The end of its validity.' }),
      names: Type.Array(Type.String(), {
        description: 'The host names and addresses that it is valid for.',
      }),
      file: Type.Union([Type.String(), Type.Null()], {
        description: 'The path of the file to trust. null if the certificate is in memory only.',
      }),
    }),
    settings: Type.Array(
      Type.Object({
        name: Type.String(),
        value: Type.Union([Type.String(), Type.Null()], {
          description: 'null if it has none. Secrets are [redacted].',
        }),
      }),
    ),
  },
  {
    description: 'The mock, its certificate and its settings.',
    examples: [
      {
        version: '0.1.0',
        startedAt: '2026-11-22T12:00:00.000Z',
        url: 'https://localhost:8443',
        certificate: {
          expiresAt: '2027-01-31T00:00:00.000Z',
          names: ['localhost', '127.0.0.1', '::1'],
          file: '/app/certs/momo-mock.pem',
        },
        settings: [{ name: 'MOMO_MOCK_PORT', value: '8443' }],
      },
    ],
  },
);
