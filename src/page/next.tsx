import { useSignal } from '@preact/signals';
import { BalanceRow } from './balance.tsx';
import { ActButton, ActSelect, CopyLine, command, Select } from './controls.tsx';
import { choose, mock } from './mock.ts';
import { ScriptedRow, ScriptRow } from './script-response.tsx';
import { limitWords, scopeWords } from './words.ts';

export function NextPanel() {
  return (
    <section class="next" aria-labelledby="next-title">
      <h2 id="next-title" class="hidden">
        What happens next
      </h2>
      <AccountRow />
      {mock.value.hasBalance && <BalanceRow />}
      <ScriptRow />
      <ScriptedRow />
      <RateLimitRow />
      <CommandRow />
    </section>
  );
}

function AccountRow() {
  const { accounts, scope } = mock.value;
  const created = useSignal({ id: '', apiKey: '' });
  const select = (text: string) => {
    created.value = JSON.parse(text);
    choose(created.value.id);
  };
  return (
    <div class="row">
      <label class="name" for="scope">
        Account
      </label>
      <div class="buttons">
        <Select
          id="scope"
          value={scope ?? ''}
          choices={[['', 'all accounts'], ...accounts.map(({ id }) => [id, id] as const)]}
          onChoose={(id) => choose(id || null)}
        />
        <ActButton
          call={{ method: 'POST', path: '/accounts' }}
          done="Account created."
          onDone={select}
        >
          New account
        </ActButton>
      </div>
      <div role="status">
        {created.value.id === scope && (
          <div class="notice">
            <p>The key of the new account. Copy it now: it is not shown again.</p>
            <CopyLine text={created.value.apiKey} label="Copy the key of the new account" />
          </div>
        )}
      </div>
    </div>
  );
}

/** Each is a number of requests and a window in ms. */
const LIMITS = ['1/1000', '5/60000', '100/60000'];

function RateLimitRow() {
  const { scope: account, accountConfig, allConfig } = mock.value;
  const { limit, window } = (accountConfig ?? allConfig).rateLimit;
  const value = limit === null ? '' : `${limit}/${window}`;
  const choices = [...new Set([...LIMITS, value])].filter(Boolean);
  return (
    <div class="row">
      <label class="name" for="rate-limit">
        Rate limit
      </label>
      <div class="buttons">
        <ActSelect
          id="rate-limit"
          value={value}
          choices={[
            ['', 'not set'],
            ...choices.map((limit) => [limit, limitWords(limit)] as const),
          ]}
          call={(chosen) => {
            const [requests, time] = chosen.split('/').map(Number);
            const to = { path: '/rate-limit', account } as const;
            if (chosen === '') return { ...to, method: 'DELETE' };
            return { ...to, method: 'PUT', body: { limit: requests, window: time } };
          }}
          done={(chosen) =>
            chosen === ''
              ? `No rate limit is set for ${scopeWords(account)}.`
              : `Each account may make ${limitWords(chosen)}: ${scopeWords(account)}.`
          }
        />
      </div>
    </div>
  );
}

function CommandRow() {
  const last = command.value;
  return (
    <div class="row command">
      <h3 class="name">As a command</h3>
      <div role="status">
        {last === null ? (
          <p class="quiet">What you do on this page appears here as a curl line.</p>
        ) : (
          <>
            <CopyLine text={last.line} label="Copy the command" />
            <p class={last.hasFailed ? 'problem' : 'quiet'}>{last.outcome}</p>
          </>
        )}
      </div>
    </div>
  );
}
