import { MAX_RATE, MAX_RATE_WINDOW_MS } from '../mock/limits.ts';
import { SETTINGS, type Setting, type SettingName } from '../settings/settings.ts';

export interface Option extends Pick<Setting, 'schema' | 'allowed' | 'secret'> {
  readonly setting?: SettingName;
}

const SWITCH = { schema: { type: 'boolean' }, allowed: 'true or false' } as const;

const RATE_LIMIT = {
  type: 'object',
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: MAX_RATE },
    window: { type: 'integer', minimum: 1, maximum: MAX_RATE_WINDOW_MS },
  },
  required: ['limit', 'window'],
  additionalProperties: false,
} as const;

/** `CERTS_DIR` becomes `certsDir`, and `CONTROL_TOKEN` becomes `token` in `control`. */
export const OPTIONS: Record<string, Option> = {
  control: {
    ...SWITCH,
    allowed: 'true, false, or an object of host, port and token',
    secret: true,
  },
  watch: SWITCH,
  redirect: {
    schema: {
      anyOf: [
        { type: 'string', format: 'host' },
        { type: 'array', items: { type: 'string', format: 'host' } },
      ],
    },
    allowed: 'a host name, or an array of them',
  },
  trust: SWITCH,
};
export const CONTROL_OPTIONS: Record<string, Option> = {};
for (const [name, setting] of Object.entries<Setting>(SETTINGS)) {
  const [, control, baseName = ''] = /^(CONTROL_)?(.*)$/.exec(name) ?? [];
  const option = baseName
    .toLowerCase()
    .replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const { allowed, allowedOption = allowed } = setting;
  const read = { ...setting, allowed: allowedOption, setting: name as SettingName };
  if (!setting.forCommands) (control ? CONTROL_OPTIONS : OPTIONS)[option] = read;
}
OPTIONS.rateLimit = {
  schema: { anyOf: [SETTINGS.RATE_LIMIT.schema, RATE_LIMIT] },
  allowed: `${SETTINGS.RATE_LIMIT.allowed}, or an object of limit and window`,
  setting: 'RATE_LIMIT',
};
// `off` is not allowed here, because `control: false` turns the control API off.
CONTROL_OPTIONS.port = { ...SETTINGS.PORT, setting: 'CONTROL_PORT' };
