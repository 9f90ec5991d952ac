/** The words of the vim keys. */
import type { Unit } from '../units.ts';

export type VimMode = 'insert' | 'normal' | 'visual' | 'visual_line';

export type Operator = 'd' | 'c' | 'y' | '>' | '<' | '~' | 'u' | 'U';

/** A motion by its keys: `w`, `gg`, or `f` with its character. */
export interface Motion {
  readonly name: string;
  readonly character?: string;
}

/** What stands inside (`i`) or around (`a`) something: `iw`, `a"`, `i(`. */
export interface TextObject {
  readonly isAround: boolean;
  readonly name: string;
}

export type Target =
  | { readonly type: 'motion'; readonly motion: Motion }
  | { readonly type: 'object'; readonly object: TextObject }
  /** The operator twice: whole lines. */
  | { readonly type: 'lines' }
  /** What is selected. */
  | { readonly type: 'selection' };

/** One whole command, as its keys say it. `count` is absent where none was typed. */
export type VimCommand =
  | { readonly type: 'motion'; readonly motion: Motion; readonly count?: number }
  | {
      readonly type: 'operator';
      readonly operator: Operator;
      readonly target: Target;
      readonly count?: number;
    }
  /** Selects a text object; only in the visual modes. */
  | { readonly type: 'select'; readonly object: TextObject }
  | { readonly type: 'simple'; readonly name: string; readonly character?: string; readonly count?: number };

/** Deleted or yanked text, which `p` puts back. */
export interface Register {
  readonly units: readonly Unit[];
  readonly isLinewise: boolean;
}

/** A command that changed the text, and what was typed after it: what `.` does again. */
export interface Change {
  readonly command: VimCommand;
  readonly typed: readonly Unit[];
}

/** Writing that a command began. */
export interface Insertion {
  readonly command: VimCommand;
  readonly from: number;
  /** The text and cursor before the command, and how much could be undone then: all of it is one step. */
  readonly before: { readonly units: readonly Unit[]; readonly cursor: number };
  readonly undoDepth: number;
}

export interface VimState {
  readonly mode: VimMode;
  /** Keys of a command that is not complete. */
  readonly keys: readonly string[];
  /** The other end of the selection. */
  readonly anchor: number;
  readonly register: Register;
  /** What `;` and `,` do again. */
  readonly find?: Motion | undefined;
  readonly change?: Change | undefined;
  readonly insertion?: Insertion | undefined;
}

/** Begins where every other editor is: writing. */
export const startVim: VimState = {
  mode: 'insert',
  keys: [],
  anchor: 0,
  register: { units: [], isLinewise: false },
};
