import { type Shape, typesOf } from './shape.ts';
import { formatIn } from './text-format.ts';

/** Uses only the shape, so that the sample reveals nothing about the received values. */
export function sampleOf(shape: Shape): unknown {
  const types = typesOf(shape);
  const { properties = {}, additionalProperties: map, items } = shape;
  switch (types.find((type) => type !== 'null')) {
    case 'boolean':
      return true;
    case 'integer':
      return 100;
    case 'number':
      return 100.5;
    case 'string':
      return formatIn(shape)?.sample ?? 'text';
    case 'array':
      return items ? [sampleOf(items)] : [];
    case 'object': {
      const members = Object.entries(map ? { '*': map } : properties);
      return Object.fromEntries(
        members.map(([name, member]) => [map ? 'name' : name, sampleOf(member)]),
      );
    }
    default:
      return null;
  }
}
