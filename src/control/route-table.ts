import type { RouteOptions } from 'fastify';
import { type Refusal, refusal } from './refusal.ts';

/** The routes that there are, for those who ask for another. */
export class RouteTable {
  readonly #methods = new Map<string, string[]>();

  /** Takes a route into the table. */
  add({ method, url }: Pick<RouteOptions, 'method' | 'url'>): void {
    this.#methods.set(url, [...this.allowed(url), ...[method].flat()]);
  }

  /** The methods of a path, of the URL as it came. */
  allowed(url: string): readonly string[] {
    return this.#methods.get(url.replace(/[?#].*$/s, '')) ?? [];
  }

  /** What is said where no route answers to a method and URL. */
  refuse(url: string): Refusal {
    const allowed = this.allowed(url);
    if (allowed.length > 0) {
      const text = `Failed to answer: the path is there, but not for this method. Use one of ${allowed.join(', ')}.`;
      return refusal('MOMO_MOCK_METHOD', text);
    }
    const all = [...this.#methods].flatMap(([path, methods]) =>
      methods.filter((method) => method !== 'HEAD').map((method) => `${method} ${path}`),
    );
    const text = `Failed to find anything at this path and method. There is: ${all.join(', ')}.`;
    return refusal('MOMO_MOCK_NOT_FOUND', text);
  }
}
