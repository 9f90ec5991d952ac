import type { Loss } from '../../protocol/contextReport.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { foldText } from '../facts/constraints.ts';
import { knownFacts } from '../facts/knownFacts.ts';
import { runAtOnce } from '../facts/slices.ts';
import { failingTests } from '../facts/testOutcomes.ts';
import { Occurrences } from './occurrences.ts';

const MAX_LOSSES = 50;
/** Of one kind that are looked for; what is asked for by the dozen must not push out the rest. */
const MAX_OF_KIND = 400;

/**
 * What the dropped entries knew and neither the summary (with the facts behind it) nor what stays verbatim says:
 * the user's constraints, files changed, tests that fail, decisions, errors; in this order, of each kind the
 * strongest and newest first, at most 50.
 */
export function lossesOf(summaryText: string, keptText: string, dropped: readonly JSONLEntry[]): Loss[] {
  const candidates = candidatesOf(dropped);
  const texts = [summaryText, keptText];
  const seen = new Occurrences(candidates.flatMap(({ forms }) => forms));
  for (const text of texts) runAtOnce(seen.read(text));
  const folded = texts.map(foldText);
  const isThere = ({ loss, forms }: Candidate): boolean =>
    loss.kind === 'constraint'
      ? folded.some((text) => text.includes(forms[0] ?? ''))
      : forms.some((form) => seen.has(form));
  return candidates
    .filter((candidate) => !isThere(candidate))
    .slice(0, MAX_LOSSES)
    .map(({ loss }) => loss);
}

interface Candidate {
  readonly loss: Loss;
  /** Any of these in the text, and nothing is lost. */
  readonly forms: readonly string[];
}

function candidatesOf(dropped: readonly JSONLEntry[]): Candidate[] {
  const { constraints, files, commands, decisions, errors } = knownFacts(dropped);
  const root = dropped[0]?.cwd ?? '';
  const one = (
    kind: Loss['kind'],
    text: string,
    seq: number,
    forms: readonly string[] = [text],
  ): Candidate => ({
    loss: { kind, text, seq },
    forms,
  });
  const newest = <T>(list: readonly T[]): T[] => [...list].reverse().slice(0, MAX_OF_KIND);
  const byStrength = [...constraints].reverse().sort((a, b) => b.strength - a.strength);
  return [
    ...byStrength
      .slice(0, MAX_OF_KIND)
      .map(({ text, seq }) => one('constraint', text, seq, [foldText(text)])),
    ...newest(files).map(({ path, seq }) => one('path', path, seq, formsOf(path, root))),
    ...newest(failingTests(commands)).map(({ name, seq }) => one('failing_test', name, seq)),
    ...newest(decisions).map(({ text, seq }) => one('decision', text, seq)),
    ...newest(errors).map(({ text, seq }) => one('error', text, seq)),
  ];
}

function formsOf(path: string, root: string): string[] {
  return root !== '' && path.startsWith(`${root}/`) ? [path, path.slice(root.length + 1)] : [path];
}
