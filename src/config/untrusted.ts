/** Parts the settings of a folder into what counts at once and what waits for the user's word. Pure. */
import { effectOf, partition } from './grants.ts';
import type { Grant, UntrustedSetting, Values } from './types.ts';

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
  const settings = new Map<string, { readonly first: Grant; readonly texts: string[] }>();
  for (const grant of grants) {
    const id = JSON.stringify([grant.source, grant.kind]);
    const before = settings.get(id);
    if (before === undefined) settings.set(id, { first: grant, texts: [grant.text] });
    else before.texts.push(grant.text);
  }
  return [...settings.values()].map(({ first: { kind, source }, texts }) => ({
    ...{ file: source, key: kind, value: shown(texts) },
    effect: effectOf(kind) || `Changes ${kind}.`,
    count: texts.length,
  }));
}

/** Long enough for what is honest: what the user agrees to must not hide behind an ellipsis. */
const LONGEST = 2000;

/** What is left out is counted. */
function shown(texts: readonly string[]): string {
  let length = 0;
  const fitting = texts.findIndex((text) => {
    length += text.length + 2;
    return length > LONGEST + 2;
  });
  if (fitting === -1) return texts.join(', ');
  const kept = fitting === 0 ? [ends(texts[0] ?? '')] : texts.slice(0, fitting);
  const left = texts.length - kept.length;
  return `${kept.join(', ')}${left === 0 ? '' : `, … and ${left} more`}`;
}

/** Both ends of a text. */
function ends(text: string): string {
  if (text.length <= LONGEST) return text;
  const half = LONGEST / 2;
  const left = text.length - LONGEST;
  return `${text.slice(0, half).toWellFormed()} … ${left} characters left out … ${text.slice(-half).toWellFormed()}`;
}
