/** One reduction of the log in one line, for whoever prints it as it happens: what was done, tokens, what to do. */
import * as z from 'zod';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { grouped } from '../../protocol/grouped.ts';
import { shortTokens } from '../../protocol/scaled.ts';

/** The part of a reduction entry's data that is shown; whatever else it holds is not looked at. */
const shown = z.looseObject({
  kind: z.string(),
  reason: z.string(),
  preTokens: z.number(),
  postTokens: z.number().optional(),
  replacements: z.array(z.unknown()).default([]),
  removed: z.array(z.unknown()).default([]),
  windowTokens: z.number().optional(),
  model: z.string().optional(),
});
type Shown = z.infer<typeof shown>;

/** `undefined` for an entry that records none, one of a newer program, or a part of a compaction, which says it all. */
export function reductionText(entry: JSONLEntry): string | undefined {
  if (entry.subtype !== 'reduction') return undefined;
  const { data } = shown.safeParse(entry.data);
  if (data === undefined || data.reason === 'compaction') return undefined;
  const text = sentence(data);
  return text === undefined ? undefined : [`${text}${sizes(data)}`, ...remarks(data)].join(' · ');
}

/** Why a summary could not be had; `undefined` for an entry that does not say so. */
export function failedSummaryText({ subtype, data, message }: JSONLEntry): string | undefined {
  if (subtype !== 'summary_failed') return undefined;
  const said = [data?.reason, message.content].find((one) => typeof one === 'string' && one !== '');
  return `Summary failed: ${said ?? 'no reason was given'}`;
}

function sentence({ kind, replacements, removed, model = 'this model', windowTokens }: Shown) {
  const results = replacements.length;
  const steps = removed.length;
  switch (kind) {
    case 'mask': {
      const what = [
        ...(steps > 0 ? [many(steps, 'earlier step')] : []),
        ...(results > 0 ? [many(results, 'earlier tool result')] : []),
      ];
      return `Shortened ${what.join(' and ') || 'earlier steps'}`;
    }
    case 'clip':
      return `Shortened ${many(results, 'large tool result')}`;
    case 'remove':
      return `Left out ${many(steps, 'older message')}`;
    case 'drop':
      return `Left out ${many(steps, 'item')} as you asked`;
    case 'restore':
      return 'Restored an item at your request';
    case 'window':
      return windowTokens === undefined
        ? undefined
        : `The server's error sets the window of ${model} to ${grouped(windowTokens)} tokens`;
    default:
      return undefined;
  }
}

function sizes({ kind, preTokens, postTokens }: Shown): string {
  if (kind === 'window' || postTokens === undefined) return '';
  return ` (${shortTokens(preTokens)} → ${shortTokens(postTokens)} tokens)`;
}

/** Why it happened, or how it is undone; what happens by design needs no reason. */
function remarks({ kind, reason }: Shown): readonly string[] {
  const why = reason.replace(/\s+/g, ' ').trim();
  switch (kind) {
    case 'mask':
    case 'clip':
    case 'remove':
      return why === '' || DESIGNED.has(why) ? [] : [why];
    case 'drop':
      return ['/context items restores it'];
    default:
      return [];
  }
}

const DESIGNED: ReadonlySet<string> = new Set(['earlier turns', 'old results', 'old steps']);

function many(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}
