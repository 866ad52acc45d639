import { createContext } from 'preact';
import { useContext, useRef, useState } from 'preact/hooks';
import type { ControlCall } from './control-client.ts';
import type { PageModel } from './page-model.ts';
import type { PageState } from './page-state.ts';
import { useStore } from './store.ts';

/** The model of the page, for all components. */
export const Model = createContext<PageModel | null>(null);

/** The model of the page. */
export function useModel(): PageModel {
  const model = useContext(Model);
  if (model === null) throw new Error('There is no model around this component.');
  return model;
}

/** The model of the page and its state. */
export function usePage(): { model: PageModel; state: PageState } {
  const model = useModel();
  return { model, state: useStore(model.store) };
}

/** What a component can do, and what came of it. */
export interface Action {
  /** Does it. Returns the body of the response; `undefined` if it was refused. */
  run(call: ControlCall, done: string | ((text: string) => string)): Promise<string | undefined>;
  /** Why it was refused last; empty if it was not. */
  readonly problem: string;
  readonly isBusy: boolean;
  /** Forgets the problem. */
  forget(): void;
}

/** For a component that changes something in the mock. */
export function useAction(): Action {
  const model = useModel();
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  const latest = useRef(0);
  return {
    problem,
    isBusy,
    forget: () => setProblem(''),
    async run(call, done) {
      latest.current++;
      const mine = latest.current;
      setBusy(true);
      try {
        const text = await model.act(call, done);
        setProblem('');
        return text;
      } catch (error) {
        setProblem((error as Error).message);
        return undefined;
      } finally {
        if (mine === latest.current) setBusy(false);
      }
    },
  };
}

/** The account of a scope as the field of a call. */
export function forScope(scope: string | null): { account?: string } {
  return scope === null ? {} : { account: scope };
}

/** A scope in words. */
export function scopeWords(scope: string | null): string {
  return scope ?? 'all accounts';
}
