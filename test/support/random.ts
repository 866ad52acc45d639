/** Random choices, the same for the same seed. */
export interface Random {
  /** A whole number from 0, below another one. */
  below(most: number): number;
  /** One of several things. */
  of<const Items extends readonly unknown[]>(...items: Items): Items[number];
  /** One of several things, each as often as its weight says. */
  weighted<Item>(items: readonly (readonly [weight: number, item: Item])[]): Item;
}

export function random(seed: number): Random {
  let state = seed | 1;
  const below = (most: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return (state >> 8) % most;
  };
  return {
    below,
    of: (...items) => items[below(items.length)],
    weighted: (items) => {
      let left = below(items.reduce((sum, [weight]) => sum + weight, 0));
      for (const [weight, item] of items) {
        left -= weight;
        if (left < 0) return item;
      }
      throw new Error('nothing to choose from');
    },
  };
}
