/** A scripted task. Every policy gets the same one. */

/** Where a text can be found again. */
export type Source =
  | { readonly type: 'file'; readonly path: string }
  | { readonly type: 'command'; readonly command: string; readonly output: string }
  | { readonly type: 'user' };

export const needKinds = ['old text', 'field', 'error', 'rule'] as const;
export type NeedKind = (typeof needKinds)[number];

/** An exact text from earlier in the session, without which a step cannot be done right. */
export interface Need {
  readonly kind: NeedKind;
  /** Has to be in the request verbatim, apart from the line numbers that Read adds. */
  readonly text: string;
  /** Earlier versions; whoever sees only these is misled. */
  readonly earlier: readonly string[];
  /** Any of these in a request hints at the text: a path, the name of a type or a test, the subject of a rule. */
  readonly signs: readonly string[];
  readonly source: Source;
  /** What the step writes because of it, and what it writes when the need is not met. */
  readonly uses: string;
  readonly guess: string;
  /** How many steps ago the text was last said. */
  readonly distance: number;
}

export type Action =
  /** The whole file, or the lines around `near`. */
  | { readonly tool: 'Read'; readonly path: string; readonly near?: string }
  | { readonly tool: 'Grep'; readonly pattern: string }
  /** A command and its output; `isTest` marks test runs, which expose wrong edits. */
  | {
      readonly tool: 'Bash';
      readonly command: string;
      readonly output: string;
      readonly failed: boolean;
      readonly isTest: boolean;
    }
  | { readonly tool: 'Edit'; readonly path: string; readonly oldText: string; readonly newText: string };

export interface PlanStep {
  readonly type: 'step';
  readonly prose: string;
  /** Calls of one reply; empty in the reply that ends a turn. */
  readonly actions: readonly Action[];
  readonly needs: readonly Need[];
}

export type PlanEvent =
  | { readonly type: 'prompt'; readonly text: string }
  | PlanStep
  | { readonly type: 'pause'; readonly minutes: number };

export interface Plan {
  readonly name: string;
  readonly seed: number;
  /** Modules of the repository. */
  readonly files: number;
  readonly events: readonly PlanEvent[];
}
