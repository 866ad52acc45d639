import { useState } from 'preact/hooks';
import { AccountRow } from './account-row.tsx';
import { forScope, scopeWords, useAction, usePage } from './action.ts';
import { PRESETS, type Preset } from './answer-fields.ts';
import { AnswerForm } from './answer-form.tsx';
import { BalanceRow } from './balance-row.tsx';
import { CopyLine } from './copy-button.tsx';
import { BALANCE } from './page-state.ts';
import { Problem } from './problem.tsx';
import { ScriptedRow } from './scripted-row.tsx';

/** What happens next: the controls of the mock. */
export function NextPanel() {
  return (
    <section class="next" aria-labelledby="next-title">
      <h2 id="next-title" class="hidden">
        What happens next
      </h2>
      <AccountRow />
      <BalanceRow />
      <AnswerRow />
      <ScriptedRow />
      <CommandRow />
    </section>
  );
}

/** Buttons for the usual answers, and the form for the others. */
function AnswerRow() {
  const { state } = usePage();
  const { scope } = state;
  const action = useAction();
  const [isOpen, setOpen] = useState(false);
  const script = ({ response, words }: Preset) => {
    const body = JSON.stringify(response);
    const call = { method: 'POST', path: '/responses', body, ...forScope(scope) } as const;
    void action.run(call, `Next for ${BALANCE}, ${scopeWords(scope)}: ${words}.`);
  };
  return (
    <fieldset class="row">
      <legend class="name">Next answer</legend>
      <div class="buttons">
        {PRESETS.map((preset) => (
          <button type="button" key={preset.name} onClick={() => script(preset)}>
            {preset.name}
          </button>
        ))}
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls="answer-form"
          onClick={() => setOpen(!isOpen)}
        >
          Other…
        </button>
      </div>
      <Problem text={action.problem} />
      <div id="answer-form">{isOpen && <AnswerForm onClose={() => setOpen(false)} />}</div>
    </fieldset>
  );
}

/** The last thing that the page did, as the line for a shell that does the same. */
function CommandRow() {
  const { state } = usePage();
  const { command } = state;
  return (
    <div class="row command">
      <h3 class="name">As a command</h3>
      <div role="status">
        {command === null ? (
          <p class="quiet">What you do on this page appears here as a curl line.</p>
        ) : (
          <>
            <CopyLine line={command.line} label="Copy the command" />
            <p class={command.hasFailed ? 'problem' : 'quiet'}>{command.outcome}</p>
          </>
        )}
      </div>
    </div>
  );
}
