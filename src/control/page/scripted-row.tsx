import type { ScriptedResponse } from '../../mock/scripted-response.ts';
import { forScope, scopeWords, useAction, usePage } from './action.ts';
import { responseWords, timesWords } from './answer-fields.ts';
import { BALANCE } from './page-state.ts';
import { Problem } from './problem.tsx';

/** The number of scripted responses that are shown. */
const MOST = 50;

/** What is scripted, and how much of it is left. */
export function ScriptedRow() {
  const { state } = usePage();
  const { own, service, scope } = state;
  const lists = [
    ...(own === null || scope === null ? [] : [{ scope, responses: own.responses }]),
    { scope: null, responses: service.responses },
  ].filter(({ responses }) => responses.length > 0);
  return (
    <div class="row">
      <h3 class="name">Scripted</h3>
      {lists.length === 0 && <p class="quiet">Nothing. The next answers are the normal ones.</p>}
      {lists.map((list) => (
        <ScriptedList key={list.scope ?? ''} {...list} />
      ))}
    </div>
  );
}

interface ListProps {
  readonly scope: string | null;
  readonly responses: readonly ScriptedResponse[];
}

function ScriptedList({ scope, responses }: ListProps) {
  const action = useAction();
  const more = responses.length - MOST;
  const removeAll = () => {
    const call = { method: 'DELETE', path: '/responses', ...forScope(scope) } as const;
    void action.run(call, `Nothing is scripted for ${scopeWords(scope)}.`);
  };
  const remove = (position: number, words: string) => {
    const path = `/responses/${position}`;
    const call = { method: 'DELETE', path, ...forScope(scope) } as const;
    void action.run(call, `Removed ${words}, which was scripted for ${scopeWords(scope)}.`);
  };
  return (
    <div class="scripted">
      <ol aria-label={`Scripted for ${scopeWords(scope)}`}>
        {responses.slice(0, MOST).map((response, position) => {
          const { operation = BALANCE } = response;
          const words = responseWords(response);
          return (
            <li key={position}>
              <code>
                <bdi>{operation}</bdi>
              </code>
              <strong>
                <bdi>{words}</bdi>
              </strong>
              <span class="quiet">{timesWords(response)}</span>
              <span class="quiet">{scopeWords(scope)}</span>
              <button
                type="button"
                aria-label={`Remove ${words} for ${operation}`}
                onClick={() => remove(position, words)}
              >
                Remove
              </button>
            </li>
          );
        })}
      </ol>
      <div class="buttons">
        {more > 0 && <span class="quiet">and {more} more</span>}
        {responses.length > 1 && (
          <button type="button" onClick={removeAll}>
            Remove these {responses.length}
          </button>
        )}
      </div>
      <Problem text={action.problem} />
    </div>
  );
}
