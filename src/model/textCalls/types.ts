import type { ToolSchema } from '../../protocol/messages.ts';

/** A tool call that a model wrote as text. */
export interface TextCall {
  readonly name: string;
  /** JSON as the model wrote it, or assembled from tags; repaired later like native arguments. */
  readonly arguments: string;
}

/** The offered tools by name; no other name is ever a call. */
export type Offered = ReadonlyMap<string, ToolSchema>;

/** Calls and the position after them; `more` if the text could still become a call; `no` if it cannot. */
export type Found = { readonly calls: readonly TextCall[]; readonly end: number } | 'more' | 'no';

/** Parses from the position after the marker of a call. */
export type Reader = (text: string, at: number, offered: Offered) => Found;

/** The offered name that a model means; some models prefix it with `functions.`. */
export function offeredName(written: string, offered: Offered): string | undefined {
  const name = written.trim().replace(/^functions\./, '');
  return offered.has(name) ? name : undefined;
}

/** The first position from `at` on that is not white space. */
export function skipSpace(text: string, at: number): number {
  let next = at;
  while (next < text.length && /\s/.test(text[next] ?? '')) next += 1;
  return next;
}

/** Compares the text at `at` with `wanted`: `whole` match, `begun` if the text ends within it, or `no`. */
export function meets(text: string, at: number, wanted: string): 'whole' | 'begun' | 'no' {
  if (text.startsWith(wanted, at)) return 'whole';
  return wanted.startsWith(text.slice(at)) ? 'begun' : 'no';
}
