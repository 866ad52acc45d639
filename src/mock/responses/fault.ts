import * as Type from 'typebox';
import { closedObject, define, withRule } from '../json/define.ts';
import type { Definition } from '../json/definition.ts';
import { FAULTS, type FaultOption, optionsOf, type ResponseFaultType } from './faults.ts';

type OptionsOf<Type> = Type extends { readonly options: infer Options } ? Options : unknown;
type OptionName = {
  [Name in ResponseFaultType]: keyof OptionsOf<(typeof FAULTS)[Name]>;
}[ResponseFaultType];
type FaultWith<Name, Options> = { readonly type: Name } & {
  readonly [Option in keyof Options]?: number;
} & { readonly [Option in Exclude<OptionName, keyof Options>]?: never };

/** A fault type, or an object with the type and its options. */
export type ResponseFault =
  | ResponseFaultType
  | {
      [Name in ResponseFaultType]: FaultWith<Name, OptionsOf<(typeof FAULTS)[Name]>>;
    }[ResponseFaultType];

export const FAULT_TYPES = Object.keys(FAULTS) as ResponseFaultType[];

const OPTIONS = Object.entries<FaultOption>(Object.assign({}, ...FAULT_TYPES.map(optionsOf))).map(
  ([name, option]) => {
    const types = FAULT_TYPES.filter((type) => name in optionsOf(type));
    return { ...option, name, types, typeNames: types.join(', ') };
  },
);

const SCHEMAS = OPTIONS.map(({ name, typeNames, about, minimum, maximum, default: fallback }) => {
  const description = `Only for ${typeNames}: ${about}. The default is ${fallback}.`;
  return [name, Type.Optional(Type.Number({ description, minimum, maximum }))] as const;
});

/** The rule of {@link FAULT}, for openapi.json. */
const RULES = OPTIONS.map(({ name, types }) => [name, Type.Object({ type: Type.Enum(types) })]);

export const FAULT: Definition<ResponseFault> = define(
  Type.Unsafe<ResponseFault>(
    Type.Union(
      [
        Type.Enum(FAULT_TYPES),
        withRule(
          closedObject(
            { type: Type.Enum(FAULT_TYPES), ...Object.fromEntries(SCHEMAS) },
            { dependentSchemas: Object.fromEntries(RULES) },
          ),
          ({ type, ...given }: { type: ResponseFaultType } & Record<string, unknown>) => {
            const wrong = OPTIONS.find(
              (option) => given[option.name] !== undefined && !option.types.includes(type),
            );
            return wrong && [wrong.name, `must be left out, except for ${wrong.typeNames}`];
          },
        ),
      ],
      { description: 'How to break the response on the wire.' },
    ),
  ),
);

export interface PreparedFault {
  readonly type: ResponseFaultType;
  readonly options: Readonly<Record<string, number>>;
}

export function prepareFault(fault: ResponseFault): PreparedFault {
  const { type, ...given } = typeof fault === 'string' ? { type: fault } : fault;
  const defaults = Object.entries(optionsOf(type)).map(([name, option]) => [name, option.default]);
  return { type, options: { ...Object.fromEntries(defaults), ...given } };
}
