/** Parts the settings of a folder into what counts at once and what waits for the user's word. Pure. */
import { effectOf, type Grant, partition } from './grants.ts';
import type { UntrustedSetting, Values } from './types.ts';

/** The values that count, and those that wait, each setting once. `isGranted`: what the user has agreed to already. */
export function holdBack(
  values: Values,
  file: string,
  isGranted: (grant: Grant) => boolean = () => false,
): { kept: Values; held: UntrustedSetting[] } {
  const { kept, held } = partition(values, file, isGranted);
  return { kept, held: asSettings(held) };
}

/** The same grants setting by setting, as a question lists them. */
export function asSettings(grants: readonly Grant[]): UntrustedSetting[] {
  const settings = new Map<string, UntrustedSetting>();
  for (const { kind, text, source } of grants) {
    const id = JSON.stringify([source, kind]);
    const before = settings.get(id);
    const value = before === undefined ? text : `${before.value}, ${text}`;
    settings.set(id, { file: source, key: kind, value, effect: effectOf(kind) });
  }
  return [...settings.values()].map((setting) => ({ ...setting, value: shortened(setting.value) }));
}

/** Long enough for what is honest: what the user agrees to must not hide behind an ellipsis. */
const LONGEST = 2000;

function shortened(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST).toWellFormed()}…`;
}
