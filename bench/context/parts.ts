/** Moves that several policies make. */
import {
  type Block,
  type Facts,
  type Item,
  itemTokens,
  type MadeItem,
  type Maker,
  type StepItem,
  tailStart,
} from './policy.ts';
import { writeSummary } from './retention/extract.ts';
import { CALL_TOKENS } from './trace/types.ts';

/** Replaces the results of a step by one-line pointers. */
export function maskStep(item: StepItem, stubTokens: number, make: Maker, trimArguments = false): StepItem {
  const results = item.results.map((block, call) =>
    block.tokens <= stubTokens ? block : make.block(stubTokens, () => `[${outcomeLine(item, call)}]`),
  );
  const { step, event } = item;
  const trimmed = step.proseTokens + step.calls.length * TRIMMED_CALL;
  const reply =
    trimArguments && trimmed < item.reply.tokens
      ? make.block(trimmed, () => `${trimmedReply(item)} [arguments: Recall #${event}]`)
      : item.reply;
  return { ...item, reply, results, isMasked: true };
}

/** Name, path and pointer of a call whose arguments are left out. */
const TRIMMED_CALL = CALL_TOKENS + 20;

/** What a call came to, in a line: where to find the whole, and the first error when it failed. */
export function outcomeLine({ event, step, results }: StepItem, call: number): string {
  const { tool, title, failed } = step.calls[call] ?? { tool: 'read', title: '', failed: false };
  const error = failed ? firstError(results[call]) : '';
  return `#${event} ${tool} ${title}: ${failed ? `failed ${error}` : 'ok'}`;
}

function firstError(block: Block | undefined): string {
  const line =
    block
      ?.text()
      .split('\n')
      .find((one) => /error|fail/i.test(one)) ?? '';
  return line.trim().slice(0, 100);
}

function trimmedReply({ step, reply }: StepItem): string {
  const titles = step.calls.map(({ title }) => title).join(', ');
  return `${reply.text().split('\n', 1)[0] ?? ''} ${titles}`;
}

/** The results of a step, each cut to its first tokens, with nothing to find the rest by. */
export function cutResults(item: Item, tokens: number, make: Maker): Item {
  if (item.kind !== 'step' || item.results.every((block) => block.tokens <= tokens)) return item;
  const results = item.results.map((block) =>
    block.tokens <= tokens
      ? block
      : make.block(tokens, () =>
          block.text().slice(0, Math.floor((block.text().length * tokens) / block.tokens)),
        ),
  );
  return { ...item, results };
}

/** A summary of `items` in at most `tokens`; `known` is what a program writes behind it, on top of that. */
export function summarize(
  items: readonly Item[],
  tokens: number,
  make: Maker,
  known?: { readonly facts?: Facts; readonly text: () => string; readonly tokens: number },
): MadeItem {
  const covers = items.reduce((sum, item) => sum + stepsIn(item), 0);
  const size = Math.min(tokens, Math.max(200, sizeOf(items)));
  const told = (): string => writeSummary(items.flatMap(textsOf), size, make.count);
  const text = lazily(() => (known === undefined ? told() : `${told()}\n${known.text()}`));
  const block = make.block(size + (known?.tokens ?? 0), text);
  return { kind: 'summary', covers, block, ...(known?.facts === undefined ? {} : { facts: known.facts }) };
}

function stepsIn(item: Item): number {
  if (item.kind === 'step') return 1;
  return item.kind === 'prompt' ? 0 : item.covers;
}

/** The newest items that fit. */
export function tail(items: readonly Item[], tokens: number): readonly Item[] {
  return items.slice(tailStart(items, tokens));
}

export function sizeOf(items: readonly Item[]): number {
  return items.reduce((sum, item) => sum + itemTokens(item), 0);
}

function textsOf(item: Item): string[] {
  return item.kind === 'step'
    ? [item.reply.text(), ...item.results.map((block) => block.text())]
    : [item.block.text()];
}

/** Written at most once. */
export function lazily(text: () => string): () => string {
  let written: string | undefined;
  return () => {
    written ??= text();
    return written;
  };
}
