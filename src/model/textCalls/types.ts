import type { ToolSchema } from '../../protocol/messages.ts';

/** A call that a model wrote as text. */
export interface TextCall {
  readonly name: string;
  /** JSON as the model wrote it, or as it was put together from tags; repaired like any other. */
  readonly arguments: string;
}

/** The tools that were offered, by name: no other name is ever a call. */
export type Offered = ReadonlyMap<string, ToolSchema>;

/** Calls and where they end; `more` where the text could still become one; `no` where it cannot. */
export type Found = { readonly calls: readonly TextCall[]; readonly end: number } | 'more' | 'no';

/** Reads at a position behind the sign that begins a call. */
export type Reader = (text: string, at: number, offered: Offered) => Found;

/** The offered name that a model means: some put `functions.` before it. */
export function offeredName(written: string, offered: Offered): string | undefined {
  const name = written.trim().replace(/^functions\./, '');
  return offered.has(name) ? name : undefined;
}

/** The first position from `at` on that holds no white space. */
export function skipSpace(text: string, at: number): number {
  let next = at;
  while (next < text.length && /\s/.test(text[next] ?? '')) next += 1;
  return next;
}

/** What stands at `at`: all of `wanted`, only the beginning of it because the text ends, or something else. */
export function meets(text: string, at: number, wanted: string): 'whole' | 'begun' | 'no' {
  if (text.startsWith(wanted, at)) return 'whole';
  return wanted.startsWith(text.slice(at)) ? 'begun' : 'no';
}
