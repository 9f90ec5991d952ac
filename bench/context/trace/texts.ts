/** The words of a trace. Written from the seed when asked for, so that a long trace costs no memory. */
import { chineseLines, codeLines, logLines, proseLines } from './lines.ts';
import type { Prose, Trace, TraceCall } from './types.ts';

/** Where in a trace a text stands: a prompt, the words of a reply, arguments or output of a call. */
export type Slot =
  | `prompt:${number}`
  | `prose:${number}`
  | `args:${number}:${number}`
  | `out:${number}:${number}`;

export interface Planted {
  readonly line: string;
  /** 0 is the beginning of the text, 1 its end. */
  readonly depth: number;
}

export interface TraceTexts {
  prompt(event: number): string;
  prose(event: number): string;
  args(event: number, call: number): string;
  result(event: number, call: number): string;
  /** Everything that one event said, for looking something up. */
  whole(event: number): string;
}

/** Characters of one token in texts of these kinds, for an estimate of the product's own counter. */
const CHARACTERS: Readonly<Record<'code' | Prose, number>> = {
  code: 3.19,
  english: 4.12,
  log: 2.9,
  chinese: 1.24,
};

export function createTexts(
  trace: Trace,
  planted: ReadonlyMap<Slot, readonly Planted[]> = new Map(),
): TraceTexts {
  const write = (slot: Slot, tokens: number, kind: 'code' | Prose): string => {
    const lines = filler(slot, trace.seed, Math.round(tokens * CHARACTERS[kind]), kind);
    for (const { line, depth } of planted.get(slot) ?? []) {
      // What is planted takes the place of filler, so that sizes stay as they were.
      if (lines.length > 3) lines.pop();
      lines.splice(Math.round(depth * lines.length), 0, line);
    }
    return lines.join('\n');
  };
  const words = trace.prose === 'log' ? 'english' : trace.prose;
  const callOf = (event: number, call: number): TraceCall | undefined => {
    const found = trace.events[event];
    return found?.type === 'step' ? found.calls[call] : undefined;
  };
  const texts: TraceTexts = {
    prompt: (event) => {
      const found = trace.events[event];
      if (found?.type !== 'prompt') return '';
      return found.text ?? write(`prompt:${event}`, found.tokens, words);
    },
    prose: (event) => {
      const found = trace.events[event];
      if (found?.type !== 'step') return '';
      return found.proseText ?? write(`prose:${event}`, found.proseTokens, words);
    },
    args: (event, call) => {
      const found = callOf(event, call);
      return found?.argumentText ?? write(`args:${event}:${call}`, found?.argumentTokens ?? 0, 'code');
    },
    result: (event, call) => {
      const found = callOf(event, call);
      const kind = found?.tool === 'bash' ? 'log' : trace.prose === 'chinese' ? 'chinese' : 'code';
      return found?.resultText ?? write(`out:${event}:${call}`, found?.resultTokens ?? 0, kind);
    },
    whole: (event) => {
      const found = trace.events[event];
      if (found?.type === 'prompt') return texts.prompt(event);
      if (found?.type !== 'step') return '';
      const calls = found.calls.map(
        ({ title }, call) => `${title}\n${texts.args(event, call)}\n${texts.result(event, call)}`,
      );
      return [texts.prose(event), ...calls].join('\n');
    },
  };
  return texts;
}

const pools = { code: codeLines, english: proseLines, log: logLines, chinese: chineseLines };

/** Lines of about `characters` characters in all; which ones depends on the slot. */
function filler(slot: Slot, seed: number, characters: number, kind: keyof typeof pools): string[] {
  const pool = pools[kind];
  const lines: string[] = [];
  let hash = seed;
  for (let index = 0; index < slot.length; index++)
    hash = (Math.imul(hash, 31) + slot.charCodeAt(index)) >>> 0;
  for (let left = characters; left > 0; ) {
    hash = (Math.imul(hash, 1664525) + 1013904223) >>> 0;
    const line = (pool[(hash >>> 8) % pool.length] ?? '').replace('%', String(hash >>> 18));
    lines.push(line.slice(0, left));
    left -= line.length + 1;
  }
  return lines;
}
