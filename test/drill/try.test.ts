import { appendFileSync } from 'node:fs';
import { it } from 'vitest';
import { drills } from '../support/momo-mock.ts';
import { type Faults, openApplication } from './application.ts';

const list = (process.env.FAULTS ?? 'none').split(',');
const out = process.env.OUT ?? '/tmp/w-drill-out.txt';
it.each(list)(
  'try %s',
  async (fault) => {
    const limit = Number(process.env.LIMIT ?? 4000);
    const app = await openApplication({ [fault]: true } as Faults);
    const { close, ...application } = app;
    const began = Date.now();
    const all = drills({
      preset: 'chipdeals',
      ...application,
      limit,
      ...(process.env.ONLY && { only: process.env.ONLY.split(',') }),
    });
    const verbose = process.env.VERBOSE;
    appendFileSync(out, `== ${fault}\n`);
    await Promise.all(
      [...all].map(async ({ name, run }) => {
        try {
          const r = await run();
          if (verbose)
            appendFileSync(
              out,
              `${Date.now() - began} ${name} ${r.verdict} ${r.duration} ${r.sentence}\n`,
            );
        } catch (e) {
          if (!/^Not run/.test((e as Error).message))
            appendFileSync(out, `   ${name}: ${(e as Error).message.replace('\n', ' // ')}\n`);
        }
      }),
    );
    appendFileSync(out, `   took ${Date.now() - began}\n`);
    await all.close();
    await close();
  },
  300000,
);
