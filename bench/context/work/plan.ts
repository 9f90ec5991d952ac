/** What a scripted task is made of: the same for every policy. */

/** Where a text can be had again. */
export type Source =
  | { readonly type: 'file'; readonly path: string }
  | { readonly type: 'command'; readonly command: string; readonly output: string }
  | { readonly type: 'user' };

export const needKinds = ['old text', 'field', 'error', 'rule'] as const;
export type NeedKind = (typeof needKinds)[number];

/** An exact text, read or heard earlier, without which a step cannot be done right. */
export interface Need {
  readonly kind: NeedKind;
  /** Has to be in the request character for character, apart from the line numbers that Read adds. */
  readonly text: string;
  /** What stood in its place before; whoever sees only this is misled. */
  readonly earlier: readonly string[];
  /** Any of these in a request shows that there is something to look for: a path, a type's name, a rule's subject. */
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
  /** A command and what it prints; `isTest` marks the runs that reveal what was done wrong. */
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
  /** Run side by side; none in the reply that ends a turn. */
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
