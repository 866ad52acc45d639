import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { parseExact } from '../mock/json/exact-json.ts';
import type { Webhook } from '../mock/webhooks/webhook.ts';
import { CallForm, Problem, Select } from './controls.tsx';
import { attempts, contents, readAttempt, showAttempt } from './journals.ts';
import { isJson, prettyJson } from './json.ts';
import { mock } from './mock.ts';
import { attemptWords, timeOfDay } from './words.ts';

/** How many of the newest webhooks can be repeated with changes. */
const MAX_LIKE = 20;

const BLANK = { url: '', headers: '', body: '' };

/** Without the fields that are empty, or that are those of another webhook. */
function webhookOf({ url, headers, body }: typeof BLANK, like: typeof BLANK): Partial<Webhook> {
  const lines = headers.split('\n').flatMap((line) => {
    const [, name = '', value = ''] = /^\s*([^:]*?)\s*(?::\s*(.*?)\s*)?$/.exec(line) ?? [];
    return name === '' ? [] : [[name, value]];
  });
  return {
    ...((url !== like.url || like === BLANK) && { url }),
    ...(lines.length > 0 && { headers: Object.fromEntries(lines) }),
    ...(body !== like.body && { body: isJson(body) ? parseExact(body) : body }),
  };
}

/** A form for a webhook, a new one or one like a webhook of the journal. */
export function SendWebhook({ onClose }: { onClose: () => void }) {
  const { scope: account } = mock.value;
  const sent = attempts.list.value
    .filter((attempt) => account === null || attempt.account === account)
    .slice(-MAX_LIKE)
    .reverse();
  const chosen = useSignal(sent[0]?.id);
  const like = useSignal(BLANK);
  const fields = useSignal(BLANK);
  const problem = useSignal('');
  const start = (shown: typeof BLANK, message = '') => {
    like.value = shown;
    fields.value = shown;
    problem.value = message;
  };
  useEffect(() => {
    const id = chosen.value;
    if (id === undefined) return;
    readAttempt(id).then(
      ({ url, body }) => chosen.value === id && start({ url, headers: '', body: prettyJson(body) }),
      ({ message }) => chosen.value === id && start(BLANK, message),
    );
  }, [chosen.value]);
  const isLike = like.value !== BLANK;
  const path = isLike ? `/webhooks/${chosen.value}/send` : '/webhooks';
  const body = webhookOf(fields.value, like.value);
  return (
    <CallForm
      aria-label="Send a webhook"
      call={{
        ...{ method: 'POST', path, account },
        ...((!isLike || Object.keys(body).length > 0) && { body }),
      }}
      done="The webhook was sent. Its row shows the result."
      verb="Send"
      onClose={onClose}
      bodyPlaceholder='{"status":"SUCCESS"}'
      body={fields.value.body}
      onInput={({ currentTarget }) => {
        const given = new FormData(currentTarget);
        const text = (name: string) => `${given.get(name)}`;
        fields.value = { url: text('url'), headers: text('headers'), body: text('body') };
      }}
      onDone={showAttempt}
    >
      <label class="field">
        <span>Signature and headers</span>
        <Select
          value={`${chosen.value ?? ''}`}
          choices={[
            ['', 'none: a new webhook'],
            ...sent.map((attempt) => {
              const { content, what } = attemptWords(
                attempt,
                contents.value.get(attempt.id)?.words,
              );
              return [
                `${attempt.id}`,
                `like ${content || what}, at ${timeOfDay(attempt.time).slice(0, 8)}`,
              ] as const;
            }),
          ]}
          onChoose={(id) => {
            chosen.value = id === '' ? undefined : Number(id);
            if (id === '') start(BLANK);
          }}
        />
      </label>
      <Problem text={problem.value} />
      <label class="field">
        <span>URL</span>
        <input
          type="text"
          name="url"
          placeholder="http://localhost:3000/webhooks"
          value={fields.value.url}
        />
      </label>
      <label class="field">
        <span>{isLike ? 'Other headers, one in a line' : 'Headers, one in a line'}</span>
        <textarea
          name="headers"
          rows={2}
          spellcheck={false}
          placeholder="x-event: payment"
          value={fields.value.headers}
        />
      </label>
    </CallForm>
  );
}
