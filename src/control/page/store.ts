import { useEffect, useState } from 'preact/hooks';

/** Holds a state, and tells when it changes. */
export class Store<State extends object> {
  #state: State;
  readonly #listeners = new Set<() => void>();

  constructor(state: State) {
    this.#state = state;
  }

  /** The state. It is replaced, never changed in place. */
  get state(): State {
    return this.#state;
  }

  /** Replaces fields of the state. */
  set(change: Partial<State>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }

  /** Calls a listener after each change, until the returned function is called. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** The state of a store, for a component, which is rendered again when it changes. */
export function useStore<State extends object>(store: Store<State>): State {
  const [, setState] = useState(store.state);
  useEffect(() => {
    const update = () => setState(store.state);
    update();
    return store.subscribe(update);
  }, [store]);
  return store.state;
}
