import { expect, it } from 'vitest';
import { call, callbackOf, generate, push, query, resultOf, sent, startAccount, PHONE } from '../presets/mpesa-daraja.ts';
it('smoke', async () => {
  const momo = await startAccount();
  const t = await generate(momo);
  console.log(t.status, t.text);
  const w = await generate(momo, 'wrong');
  console.log(w.status, JSON.stringify(w.text), w.headers);
  const id = await push(momo);
  console.log(id, await query(momo, id));
  console.log(JSON.stringify(await callbackOf(momo)), await query(momo, id));
  await call(momo, 'register'); await call(momo, 'simulate');
  for (const n of ['b2c','b2c3','b2b','balance','status','reversal'] as const) { const r = await call(momo, n); console.log(n, r.status, r.text); }
  await momo.advance('idle');
  for (const w of await momo.webhooks()) console.log(w.url, w.body);
  console.log(JSON.stringify(await momo.state.list()));
});
