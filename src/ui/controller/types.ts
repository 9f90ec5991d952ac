/** The words of the controller: what it shows, what it needs of the screen, what may be asked of it. */
import type { ModelList } from '../../commands/types.ts';
import type { PermissionAnswer } from '../../protocol/permissions.ts';
import type { TurnRecord } from '../../protocol/rewind.ts';
import type { ComposerHandle } from '../input/Composer.tsx';
import type { Draft } from '../input/composerState.ts';
import type { Intent } from '../keys/actions.ts';
import type { MarkdownRenderer } from '../print/markdown.ts';
import type { Printer, PrinterOptions } from '../print/printer.ts';
import type { SplitText } from '../print/streaming.ts';
import type { TodoView } from '../print/todos.ts';
import type { Picker } from '../sessions/picker.ts';
import type { Refusal, RefusalAnswer, RefusalBack } from '../sessions/refusal.ts';
import type { Theme, ThemeSetting } from '../theme/theme.ts';
import type { AppServices, Boot, UiPreferences, UiSession } from '../types.ts';
import type { View } from './view.ts';

export type Phase =
  | { readonly type: 'booting' }
  | Exclude<Boot, { type: 'ready' | 'quit' }>
  | { readonly type: 'picking'; readonly picker: Picker }
  /** A session that cannot be gone on with here, and what can be done instead. */
  | {
      readonly type: 'refused';
      readonly refusal: Refusal;
      readonly id: string;
      readonly title: string | undefined;
      readonly back: RefusalBack;
    }
  | ({ readonly type: 'models' } & ModelList)
  | { readonly type: 'items' }
  | { readonly type: 'themes' }
  | { readonly type: 'tasks' }
  | { readonly type: 'keys' }
  /** Going back: to this turn, or to one of a list. */
  | { readonly type: 'rewind'; readonly turn?: TurnRecord }
  | { readonly type: 'session' }
  /** The last frame: empty, so that the shell's prompt follows the transcript. */
  | { readonly type: 'leaving' };

export interface Snapshot {
  readonly phase: Phase;
  readonly theme: Theme;
  readonly preferences: UiPreferences;
  readonly session: UiSession | undefined;
  readonly view: View;
  readonly hint: string | undefined;
  /** Lines of the user's own status line, painted; absent where the built-in one is shown. */
  readonly statusText?: readonly string[] | undefined;
  /** How much of the todo list is shown: the user's choice, for this session. */
  readonly todoView: TodoView;
  /** The finished part of Markdown can be drawn; before that it is drawn as plain text. */
  readonly markdown: MarkdownRenderer;
}

export interface ScreenPorts {
  /** Writes above the live area. */
  readonly write: (text: string) => void;
  readonly columns: () => number;
  /** Rows that the unfinished reply may take. */
  readonly liveRows: () => number;
  readonly composer: () => ComposerHandle | null;
  /**
   * Gives the terminal away while `run` has it (an editor, a pager): the screen is taken down and drawn anew after,
   * and what was to be printed meanwhile is printed then.
   */
  readonly suspend: (run: () => Promise<void>) => Promise<void>;
  /** Loads what dialogs are drawn with; none is shown before it resolves. */
  readonly loadDialogs?: () => Promise<void>;
  /** Where nothing can be drawn twice; absent on a screen. */
  readonly plain?: PlainScreen;
}

/** How things are told where each is told once. */
export interface PlainScreen {
  readonly createPrinter: (options: PrinterOptions) => Printer;
  /** Which part of an unfinished reply can be told already. */
  readonly split: (markdown: string) => SplitText;
}

export interface Controller {
  snapshot(): Snapshot;
  subscribe(listener: () => void): () => void;
  /** Boots; called once, when the first frame is drawn. */
  begin(ports: ScreenPorts): void;
  submit(draft: Draft): void;
  intent(intent: Intent, state: { readonly empty: boolean }): void;
  takeBackQueued(): string | undefined;
  /** Labels in the place of a paste that names images; undefined at once where it does not look so. */
  attachImages(pasted: string): Promise<readonly string[] | undefined> | undefined;
  /** Goes on after a boot dialog. */
  advance(next: Promise<Boot>): void;
  answer(id: string, answer: PermissionAnswer): void;
  answerRefusal(answer: RefusalAnswer): void;
  pickModel(id: string | undefined): void;
  /** Undefined leaves it as it is. */
  pickTheme(setting: ThemeSetting | undefined): void;
  /** Goes on in a copy of the session as it was before this turn, with its prompt in the composer. */
  forkBefore(turn: TurnRecord): void;
  /** Ends the conversation, also where something still runs. */
  leave(): void;
  /** Absent until settings and model are known. */
  services(): AppServices | undefined;
  /** What the terminal and the user's own status line have a say in; what is printed from then on has it too. */
  adjust(change: Partial<Pick<Snapshot, 'theme' | 'statusText'>>): void;
  say(level: 'info' | 'warning' | 'error', text: string): void;
  /** Leaves a dialog that only looked. */
  closeDialog(): void;
}
