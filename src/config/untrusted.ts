/** Splits the settings of a folder into those that apply at once and those that wait for the user's approval. Pure. */
import { effectOf, partition } from './grants.ts';
import type { Grant, UntrustedSetting, Values } from './types.ts';

/**
 * The values that apply, and the waiting ones, one entry per setting. `isGranted`: whether the user has already
 * approved a grant.
 */
export function holdBack(
  values: Values,
  file: string,
  isGranted: (grant: Grant) => boolean = () => false,
): { kept: Values; held: UntrustedSetting[] } {
  const { kept, held } = partition(values, file, isGranted);
  return { kept, held: asSettings(held) };
}

/** Groups grants by setting, as the approval prompt lists them. */
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

/** Long enough for any honest value: what the user approves must not be hidden behind an ellipsis. */
const LONGEST = 2000;

/** Joins the texts up to the limit and counts those left out. */
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

/** The beginning and end of a long text. */
function ends(text: string): string {
  if (text.length <= LONGEST) return text;
  const half = LONGEST / 2;
  const left = text.length - LONGEST;
  return `${text.slice(0, half).toWellFormed()} … ${left} characters left out … ${text.slice(-half).toWellFormed()}`;
}
