import { useSignal } from '@preact/signals';
import type { Callback } from '../mock/callbacks/callback.ts';
import type { ScriptedCallback } from '../mock/callbacks/callback-script.ts';
import { parseExact } from '../mock/json/exact-json.ts';
import { CallForm } from './call-form.tsx';
import { ActButton } from './controls.tsx';
import { showAttempt } from './journals.ts';
import { isJson } from './json.ts';
import { mock } from './mock.ts';
import { scopeWords } from './words.ts';

const SCRIPTS: readonly (readonly [name: string, script: ScriptedCallback])[] = [
  ['Lost', { lose: true }],
  ['Twice', { repeat: 2 }],
  ['Wrong signature', { forge: 'signature' }],
  ['Old timestamp', { forge: 'timestamp' }],
  ['Changed body', { forge: 'body' }],
  ['No signature', { forge: 'missing' }],
];

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

function callbackOf(form: HTMLFormElement): Callback {
  const fields = new FormData(form);
  const text = `${fields.get('body')}`;
  const body = isJson(text) ? parseExact(text) : text;
  return { url: `${fields.get('url')}`, ...(text !== '' && { body }) };
}

function CallbackForm({ onClose }: { onClose: () => void }) {
  const callback = useSignal<Callback>({ url: '' });
  const { scope: account } = mock.value;
  const call = { method: 'POST', path: '/callbacks', body: callback.value, account } as const;
  return (
    <CallForm
      aria-label="Send a webhook"
      call={call}
      done="The webhook was sent. Its row shows the result."
      verb="Send"
      onClose={onClose}
      bodyPlaceholder='{"status":"SUCCESS"}'
      onInput={({ currentTarget }) => {
        callback.value = callbackOf(currentTarget);
      }}
      onDone={showAttempt}
    >
      <label class="field">
        <span>URL</span>
        <input type="text" name="url" placeholder="http://localhost:3000/webhooks" />
      </label>
    </CallForm>
  );
}
