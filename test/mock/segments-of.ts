import type { Segment } from '../../src/mock/operation.ts';

/** The segments of a template such as `/momo/status/:reference`. */
export function segmentsOf(template: string): Segment[] {
  const texts = template.slice(1).split('/');
  return texts.map((text) =>
    text.startsWith(':') ? { parameter: text.slice(1) } : { literal: text },
  );
}
