import type { JSONLEntry } from '../../protocol/entries.ts';
import { headOf } from '../tokens/wellFormed.ts';
import { contentText } from './entryText.ts';
import { sentencesOf } from './sentences.ts';

/** A sentence of a reply or a prompt in which a choice was made. */
export interface Decision {
  readonly text: string;
  readonly seq: number;
}

const MAX_QUOTE = 240;
const MAX_PER_ENTRY = 10;
const MAX_TEXT = 100_000;

const CUES =
  /\b(?:decided|decision:|chose|chosen|opted|settled on|going with|go with|we(?:['’]ll| will) use|i(?:['’]ll| will) use|instead of|rather than|because it|trade-off|agreed (?:to|on))\b|\b(?:entschieden|entscheidung|statt|anstelle|stattdessen)\b|\b(?:decidid[oa]|decidimos|en lugar de|en vez de)\b|(?:décidé|décision|choisi|au lieu de|plutôt que)|决定|改用|选择了?|采用|而不是|ことにし|に決め|採用し|решил|вместо/iu;

/** In log order. */
export function decisionsOf(entries: readonly JSONLEntry[]): Decision[] {
  return entries.flatMap(decisionsIn);
}

const known = new WeakMap<JSONLEntry, readonly Decision[]>();

function decisionsIn(entry: JSONLEntry): readonly Decision[] {
  const isSpoken = entry.type === 'assistant' || (entry.type === 'user' && entry.subtype === 'prompt');
  if (!isSpoken || entry.isCompactSummary === true) return [];
  const before = known.get(entry);
  if (before !== undefined) return before;
  const found: Decision[] = [];
  for (const sentence of sentencesOf(contentText(entry.message.content).slice(0, MAX_TEXT))) {
    if (found.length >= MAX_PER_ENTRY) break;
    if (sentence.length < 8 || sentence.endsWith('?') || sentence.endsWith('？')) continue;
    if (CUES.test(sentence)) found.push({ text: headOf(sentence, MAX_QUOTE), seq: entry.seq });
  }
  known.set(entry, found);
  return found;
}
