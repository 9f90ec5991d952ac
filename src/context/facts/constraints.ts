/** What the user said that must hold on: quoted as it was said, with its place in the log. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { headOf } from '../tokens/wellFormed.ts';
import { type CueTable, LATIN_CUES, OTHER_CUES, type Strength } from './constraintCues.ts';
import { promptText } from './entryText.ts';
import { sentencesOf } from './sentences.ts';

export interface Constraint {
  /** The user's words; longer ones are cut at `MAX_QUOTE` characters. */
  readonly text: string;
  readonly seq: number;
  readonly strength: Strength;
}

const MAX_QUOTE = 300;
/** Of one prompt: more of them is a pasted document, which is in the log and can be recalled. */
const MAX_PER_PROMPT = 200;
/** Characters of one prompt that are looked through, from its beginning and from its end. */
const MAX_PROMPT = 60_000;

/** In log order, behind those that are known of earlier entries. Said twice, it stands where it was said last. */
export function userConstraints(
  entries: readonly JSONLEntry[],
  before: readonly Constraint[] = [],
): Constraint[] {
  const found = new Map(before.map((one) => [foldText(one.text), one]));
  for (const entry of entries) {
    for (const one of constraintsOf(entry)) {
      const key = foldText(one.text);
      found.delete(key);
      found.set(key, one);
    }
  }
  return [...found.values()];
}

/** Strongest first, of equals the newest, as far as `maxCharacters` goes; in log order. */
export function chooseConstraints(constraints: readonly Constraint[], maxCharacters: number): Constraint[] {
  const ranked = [...constraints].sort((a, b) => b.strength - a.strength || b.seq - a.seq);
  const chosen = new Set<Constraint>();
  let left = maxCharacters;
  for (const one of ranked) {
    if (one.text.length > left) continue;
    left -= one.text.length;
    chosen.add(one);
  }
  return constraints.filter((one) => chosen.has(one));
}

/** For comparing what was said with what is quoted: blanks, quotation marks, case and the last stop aside. */
export function foldText(text: string): string {
  const folded = text.replace(/[\s"'`“”‘’„«»*_]+/g, ' ');
  // By hand: an expression for "the stops at the end" is quadratic on runs of stops in the middle.
  let end = folded.length;
  while (end > 0 && STOPS.has(folded.charAt(end - 1))) end--;
  return folded.slice(0, end).trim().toLowerCase();
}

const STOPS: ReadonlySet<string> = new Set([' ', '.', '!', '。', '！', '…']);

/** Entries never change, so each is read once in its life. */
const known = new WeakMap<JSONLEntry, readonly Constraint[]>();

function constraintsOf(entry: JSONLEntry): readonly Constraint[] {
  const text = promptText(entry);
  if (text === undefined) return [];
  const before = known.get(entry);
  if (before !== undefined) return before;
  const found: Constraint[] = [];
  const read = text.length <= 2 * MAX_PROMPT ? [text] : [text.slice(0, MAX_PROMPT), text.slice(-MAX_PROMPT)];
  for (const part of read) {
    for (const sentence of sentencesOf(part)) {
      if (found.length >= MAX_PER_PROMPT) break;
      const strength = strengthOf(sentence);
      if (strength !== undefined) found.push({ text: quoteOf(sentence), seq: entry.seq, strength });
    }
  }
  known.set(entry, found);
  return found;
}

/** How much a sentence binds; undefined for the ordinary ones: questions, reports, data. */
export function strengthOf(sentence: string): Strength | undefined {
  if (sentence.length < 4 || looksLikeData(sentence)) return undefined;
  const other = OTHER_CUES.find(([script]) => script.test(sentence));
  const tables: readonly CueTable[] =
    other === undefined ? LATIN_CUES : [other[1], ...LATIN_CUES.slice(0, 1)];
  let best: Strength | undefined;
  for (const table of tables) {
    const clause = table.hint.test(sentence) ? bindingPart(sentence, table) : undefined;
    if (clause === undefined) continue;
    for (const [strength, pattern] of table.cues) {
      if ((best === undefined || strength > best) && pattern.test(clause)) best = strength;
    }
  }
  // A request in the form of a question binds only by its strongest words: "could you never …?"
  return best !== undefined && /[?？]\s*$/.test(sentence) && best < 3 ? undefined : best;
}

const MAX_CLAUSES = 4;
const CLAUSE = /[,，;；]|\s(?:but|aber|pero|mais|но)\s|但是?|が、/iu;

/** "I do not know why it fails, but never …": the report is passed over, what comes behind it is not. */
function bindingPart(sentence: string, { not }: CueTable): string | undefined {
  let rest = sentence;
  for (let count = 0; count < MAX_CLAUSES; count++) {
    if (!not.test(rest)) return rest;
    const next = CLAUSE.exec(rest);
    if (next === null) return undefined;
    rest = rest.slice(next.index + next[0].length).trim();
  }
  return undefined;
}

/** Code, logs and tables have more signs than speech has. */
function looksLikeData(sentence: string): boolean {
  const signs = sentence.match(/[{}<>[\]=|\\^$#%~;]/g)?.length ?? 0;
  return signs > 4 && signs > sentence.length / 12;
}

function quoteOf(sentence: string): string {
  return sentence.length <= MAX_QUOTE ? sentence : `${headOf(sentence, MAX_QUOTE - 1)}…`;
}
