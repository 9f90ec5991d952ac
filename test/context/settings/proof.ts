/**
 * Proves two things about a setting: spelling out its default changes nothing, and another value changes the behavior.
 */
import { expect } from 'vitest';
import { contextSettingsSchema } from '../../../src/protocol/settings/contextSettings.ts';
import { createTestHome, type TestHome } from '../harness.ts';

export interface Proof {
  /** The key in `config.json`, without `context.`. */
  readonly setting: string;
  run(): Promise<void>;
}

interface Given<T> {
  readonly to: unknown;
  /** Other settings that this one needs in order to have an effect. */
  readonly settings?: object;
  readonly windowTokens?: number;
  /** The observed behavior, as plain and reproducible data. */
  readonly see: (home: TestHome) => Promise<T>;
  /** Checks what the other value changes. */
  readonly changes: (changed: T, byDefault: T) => void;
}

export function proof<T>(setting: string, given: Given<T>): Proof {
  const { to, settings = {}, windowTokens = 20_000, see, changes } = given;
  const seen = async (more: object): Promise<T> =>
    see(await createTestHome({ windowTokens, settings: more }));
  return {
    setting,
    async run() {
      const byDefault = await seen(settings);
      expect(await seen(withValue(settings, setting, defaultOf(setting))), 'the default').toEqual(byDefault);
      const changed = await seen(withValue(settings, setting, to));
      expect(changed, 'another value').not.toEqual(byDefault);
      changes(changed, byDefault);
    },
  };
}

/** Every setting in the schema, dotted. */
export function allSettings(): readonly string[] {
  return leaves(contextSettingsSchema.parse({}), '');
}

function leaves(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, path === '' ? key : `${path}.${key}`));
}

export function defaultOf(setting: string): unknown {
  return setting
    .split('.')
    .reduce<unknown>(
      (value, key) => (value as Record<string, unknown>)[key],
      contextSettingsSchema.parse({}),
    );
}

function withValue(settings: object, setting: string, value: unknown): object {
  const [key = '', ...rest] = setting.split('.');
  const inner = (settings as Record<string, object>)[key] ?? {};
  return { ...settings, [key]: rest.length === 0 ? value : withValue(inner, rest.join('.'), value) };
}
