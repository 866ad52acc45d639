import { useSignal } from '@preact/signals';
import { parseExact, writeJson } from '../mock/json/exact-json.ts';
import type { ScriptedWebhook } from '../mock/webhooks/webhook-script.ts';
import { ActButton, CallForm, Select } from './controls.tsx';
import { contents } from './journals.ts';
import { isJson, prettyJson } from './json.ts';
import { mock, type Scripted } from './mock.ts';
import { SendWebhook } from './send-webhook.tsx';
import { scopeWords, webhookMatchWords, webhookScriptWords } from './words.ts';

const COMMON_SCRIPTS: readonly (readonly [name: string, script: ScriptedWebhook])[] = [
  ['Lost', { lose: true }],
  ['Late 5 s', { delay: 5000 }],
  ['Twice', { repeat: 2 }],
  ['Before response', { before: true }],
  ['Wrong signature', { forge: 'signature' }],
  ['Old timestamp', { forge: 'timestamp' }],
  ['Changed body', { forge: 'body' }],
  ['No signature', { forge: 'missing' }],
  ['Unchanged', {}],
];

/** Adds to the script, because somebody else may have scripted webhooks meanwhile. */
const scriptCall = (script: ScriptedWebhook, account: string | null) =>
  ({ method: 'POST', path: '/webhooks/script', body: [script], account }) as const;

export function ScriptWebhooks() {
  const open = useSignal<'script' | 'send' | null>(null);
  const { scope: account } = mock.value;
  const toggle = (form: 'script' | 'send') => () => {
    open.value = open.value === form ? null : form;
  };
  return (
    <div class="send-webhook">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form */}
      <div class="buttons" role="group" aria-label="Next webhook">
        <span>Next webhook:</span>
        {COMMON_SCRIPTS.map(([name, script]) => (
          <ActButton
            key={name}
            call={scriptCall(script, account)}
            done={doneWords(script, account)}
          >
            {name}
          </ActButton>
        ))}
        <button
          type="button"
          aria-expanded={open.value === 'script'}
          aria-controls="webhook-form"
          onClick={toggle('script')}
        >
          More…
        </button>
        <button
          type="button"
          aria-expanded={open.value === 'send'}
          aria-controls="webhook-form"
          onClick={toggle('send')}
        >
          Send webhook…
        </button>
      </div>
      <div id="webhook-form">
        {open.value === 'script' && <ScriptForm onClose={toggle('script')} />}
        {open.value === 'send' && <SendWebhook key={account} onClose={toggle('send')} />}
      </div>
    </div>
  );
}

function doneWords(script: ScriptedWebhook, account: string | null): string {
  return `Scripted for ${scopeWords(account)}: ${webhookMatchWords(script)}, ${webhookScriptWords(script)}.`;
}

const FORGE_CHOICES = [
  ['', 'genuine'],
  ['signature', 'wrong signature'],
  ['timestamp', 'old timestamp'],
  ['body', 'changed body'],
  ['missing', 'no signature'],
] as const;

const BEFORE_CHOICES = [
  ['', 'after its response'],
  ['true', 'before its response'],
  ['500', 'before it, which waits 0.5 s at most'],
  ['2000', 'before it, which waits 2 s at most'],
] as const;

/** The scripted webhook in a form. Empty fields are omitted. */
function scriptOf(form: HTMLFormElement): ScriptedWebhook {
  const script: Record<string, unknown> = {};
  for (const [name, value] of new FormData(form)) {
    const text = `${value}`;
    if (text === '' || name === 'said') continue;
    if (name === 'lose' || (name === 'before' && text === 'true')) script[name] = true;
    else if (name === 'body') script.match = { body: isJson(text) ? parseExact(text) : text };
    // The control API explains what is wrong with text in place of a number.
    else script[name] = Number.isNaN(Number(text)) ? text : Number(text);
  }
  return script;
}

const matchText = (match: unknown) =>
  typeof match === 'string' ? match : prettyJson(writeJson(match));

function ScriptForm({ onClose }: { onClose: () => void }) {
  const script = useSignal<ScriptedWebhook>({});
  const body = useSignal('');
  const { scope: account } = mock.value;
  const seen = new Map(
    [...contents.value.values()].flatMap((content) =>
      content === undefined ? [] : [[content.words, matchText(content.match)] as const],
    ),
  );
  return (
    <CallForm
      aria-label="Script a webhook"
      call={scriptCall(script.value, account)}
      done={doneWords(script.value, account)}
      verb="Add"
      onClose={onClose}
      bodyLabel="Only a webhook whose body has this, as JSON or text"
      bodyPlaceholder="any webhook"
      body={body.value}
      onInput={({ currentTarget: form, target }) => {
        const { name, value } = target as HTMLSelectElement;
        const text = form.elements.namedItem('body') as HTMLTextAreaElement;
        if (name === 'said') text.value = seen.get(value) ?? '';
        body.value = text.value;
        script.value = scriptOf(form);
      }}
    >
      <div class="fields">
        <label class="field">
          <span>Like a webhook that was sent</span>
          <Select
            name="said"
            choices={[
              ['', 'any webhook'],
              ...[...seen.keys()].map((words) => [words, words] as const),
            ]}
          />
        </label>
        <label class="field">
          <span>Signature</span>
          <Select name="forge" choices={FORGE_CHOICES} />
        </label>
        <label class="field">
          <span>Sent</span>
          <Select name="before" choices={BEFORE_CHOICES} />
        </label>
        <label class="field">
          <span>Delay in ms</span>
          <input type="text" name="delay" placeholder="none" />
        </label>
        <label class="field">
          <span>Times</span>
          <input type="text" name="repeat" placeholder="1" />
        </label>
      </div>
      <label class="check">
        <input type="checkbox" name="lose" />
        <span>Lose it: it is neither sent nor sent again</span>
      </label>
    </CallForm>
  );
}

/** What is left of the script. Each webhook takes the first entry that fits. */
export function ScriptedWebhooks() {
  const { scope, accountConfig, allConfig } = mock.value;
  return (
    <>
      {accountConfig !== null && <ScriptedList account={scope} scripts={accountConfig.webhooks} />}
      <ScriptedList account={null} scripts={allConfig.webhooks} />
    </>
  );
}

interface ListProps {
  readonly account: string | null;
  readonly scripts: readonly Scripted<ScriptedWebhook>[];
}

function ScriptedList({ account, scripts }: ListProps) {
  if (scripts.length === 0) return null;
  const whose = scopeWords(account);
  const removal = (path: string) => ({ method: 'DELETE', path, account }) as const;
  return (
    <div class="scripted">
      <ol aria-label={`Webhooks scripted for ${whose}`}>
        {scripts.map(({ id, given }) => {
          const words = webhookScriptWords(given);
          const which = webhookMatchWords(given);
          return (
            <li key={id}>
              <span>{which}</span>
              <strong>{words}</strong>
              <span class="quiet">{whose}</span>
              <ActButton
                call={removal(`/webhooks/script/${id}`)}
                done={`Removed for ${whose}: ${which}, ${words}.`}
                aria-label={`Remove ${words} for ${which}`}
              >
                Remove
              </ActButton>
            </li>
          );
        })}
      </ol>
      {scripts.length > 1 && (
        <ActButton call={removal('/webhooks/script')} done={`No webhook is scripted for ${whose}.`}>
          Remove these {scripts.length}
        </ActButton>
      )}
    </div>
  );
}
