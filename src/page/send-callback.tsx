import { useSignal } from '@preact/signals';
import type { Callback } from '../mock/callbacks/callback.ts';
import type { ScriptedCallback } from '../mock/callbacks/callback-script.ts';
import { commandOf } from './client.ts';
import { ActButton, ActForm, CopyLine } from './controls.tsx';
import { attempts } from './journals.ts';
import { isJson } from './json.ts';
import { mock } from './mock.ts';
import { scopeWords } from './words.ts';

/** What can happen to the next callback, and what its button says. */
const SCRIPTS: readonly (readonly [name: string, script: ScriptedCallback])[] = [
  ['Lost', { lose: true }],
  ['Twice', { repeat: 2 }],
  ['Wrong signature', { forge: 'signature' }],
  ['Old timestamp', { forge: 'timestamp' }],
  ['Changed body', { forge: 'body' }],
  ['No signature', { forge: 'missing' }],
];

/** Scripts the next callback, and sends one. */
export function SendCallback() {
  const isOpen = useSignal(false);
  const { scope: account } = mock.value;
  const toggle = () => {
    isOpen.value = !isOpen.value;
  };
  return (
    <div class="send-callback">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form */}
      <div class="buttons" role="group" aria-label="Next callback">
        <span>Next callback:</span>
        {SCRIPTS.map(([name, script]) => (
          <ActButton
            key={name}
            call={{ method: 'PUT', path: '/callbacks/script', body: [script], account }}
            done={`The next callback of ${scopeWords(account)}: ${name.toLowerCase()}.`}
          >
            {name}
          </ActButton>
        ))}
        <button
          type="button"
          aria-expanded={isOpen.value}
          aria-controls="callback-form"
          onClick={toggle}
        >
          Send webhook…
        </button>
      </div>
      <div id="callback-form">{isOpen.value && <CallbackForm onClose={toggle} />}</div>
    </div>
  );
}

/** The callback that the fields of a form describe. */
function callbackOf(form: HTMLFormElement): Callback {
  const fields = new FormData(form);
  const text = `${fields.get('body')}`;
  const body = isJson(text) ? JSON.parse(text) : text;
  return { url: `${fields.get('url')}`, ...(text !== '' && { body }) };
}

function CallbackForm({ onClose }: { onClose: () => void }) {
  const callback = useSignal<Callback>({ url: '' });
  const { scope: account } = mock.value;
  const call = { method: 'POST', path: '/callbacks', body: callback.value, account } as const;
  return (
    <ActForm
      aria-label="Send a webhook"
      call={call}
      done="The webhook was sent. Its row says what came of it."
      onInput={({ currentTarget }) => {
        callback.value = callbackOf(currentTarget);
      }}
      onDone={(sent) => {
        attempts.add([JSON.parse(sent)]);
        attempts.showNew();
      }}
    >
      <label class="field">
        <span>URL</span>
        <input type="text" name="url" placeholder="http://localhost:3000/webhooks" />
      </label>
      <label class="field">
        <span>Body, as JSON or text</span>
        <textarea name="body" rows={3} spellcheck={false} placeholder='{"status":"SUCCESS"}' />
      </label>
      <CopyLine text={commandOf(call)} label="Copy the command of this form" />
      <div class="buttons">
        <button type="submit" class="primary">
          Send for {scopeWords(account)}
        </button>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </ActForm>
  );
}
