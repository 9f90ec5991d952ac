/** A scripted task: a repository, what the user says, a program that plays the model, and a check of the outcome. */

/** What the program that plays the model decides: one call, or its last word of the turn. */
export type Move =
  | { readonly call: 'Read' | 'Edit' | 'Write' | 'Bash' | 'Grep' | 'Glob' | 'Recall'; readonly input: object }
  | { readonly say: string };

/** What it may look at: nothing but the request. */
export interface View {
  /** Every message, in order. */
  readonly text: string;
  /** The results of its last call. */
  readonly last: string;
  readonly hasRecall: boolean;
}

/** Local variables hold only where the program is, never a fact: facts are read from the view when needed. */
export type Program = Generator<Move, void, View>;

export interface Task {
  readonly name: string;
  /** Files of the repository, by relative path. */
  readonly files: Readonly<Record<string, string>>;
  /** What the user says, one turn after the other. */
  readonly prompts: readonly string[];
  /** Plays one turn: `turn` counts from 0. */
  readonly play: (turn: number, first: View) => Program;
  /** Run in the repository afterwards; the task is done when it exits with 0. */
  readonly check: string;
}

/** The newest match in what the request shows: its first group. */
export function newest(text: string, pattern: RegExp): string | undefined {
  return [...text.matchAll(new RegExp(pattern, 'g'))].at(-1)?.[1];
}

/** A fact from the request, or by one recall, or undefined. */
export function* known(
  view: View,
  pattern: RegExp,
  query: string,
): Generator<Move, { readonly value: string | undefined; readonly view: View }, View> {
  const shown = newest(view.text, pattern);
  if (shown !== undefined || !view.hasRecall) return { value: shown, view };
  const later = yield { call: 'Recall', input: { query } };
  // What was found is told newest first.
  return { value: pattern.exec(later.last)?.[1], view: later };
}
