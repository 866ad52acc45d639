import { useSignal } from '@preact/signals';
import { parseExact } from '../mock/json/exact-json.ts';
import type { Webhook } from '../mock/webhooks/webhook.ts';
import type { ScriptedWebhook } from '../mock/webhooks/webhook-script.ts';
import { CallForm } from './call-form.tsx';
import { ActButton } from './controls.tsx';
import { showAttempt } from './journals.ts';
import { isJson } from './json.ts';
import { mock } from './mock.ts';
import { scopeWords } from './words.ts';

/** The scripts for the next webhook, and the texts of their buttons. */
const SCRIPTS: readonly (readonly [name: string, script: ScriptedWebhook])[] = [
  ['Lost', { lose: true }],
  ['Twice', { repeat: 2 }],
  ['Wrong signature', { forge: 'signature' }],
  ['Old timestamp', { forge: 'timestamp' }],
  ['Changed body', { forge: 'body' }],
  ['No signature', { forge: 'missing' }],
];

export function SendWebhook() {
  const isOpen = useSignal(false);
  const { scope: account } = mock.value;
  const toggle = () => {
    isOpen.value = !isOpen.value;
  };
  return (
    <div class="send-webhook">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form */}
      <div class="buttons" role="group" aria-label="Next webhook">
        <span>Next webhook:</span>
        {SCRIPTS.map(([name, script]) => (
          <ActButton
            key={name}
            call={{ method: 'PUT', path: '/webhooks/script', body: [script], account }}
            done={`The next webhook of ${scopeWords(account)}: ${name.toLowerCase()}.`}
          >
            {name}
          </ActButton>
        ))}
        <button
          type="button"
          aria-expanded={isOpen.value}
          aria-controls="webhook-form"
          onClick={toggle}
        >
          Send webhook…
        </button>
      </div>
      <div id="webhook-form">{isOpen.value && <WebhookForm onClose={toggle} />}</div>
    </div>
  );
}

function webhookOf(form: HTMLFormElement): Webhook {
  const fields = new FormData(form);
  const text = `${fields.get('body')}`;
  const body = isJson(text) ? parseExact(text) : text;
  return { url: `${fields.get('url')}`, ...(text !== '' && { body }) };
}

function WebhookForm({ onClose }: { onClose: () => void }) {
  const webhook = useSignal<Webhook>({ url: '' });
  const { scope: account } = mock.value;
  const call = { method: 'POST', path: '/webhooks', body: webhook.value, account } as const;
  return (
    <CallForm
      aria-label="Send a webhook"
      call={call}
      done="The webhook was sent. Its row shows the result."
      verb="Send"
      onClose={onClose}
      bodyPlaceholder='{"status":"SUCCESS"}'
      onInput={({ currentTarget }) => {
        webhook.value = webhookOf(currentTarget);
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
