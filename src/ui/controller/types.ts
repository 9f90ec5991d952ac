/** Types of the controller: its snapshot, the ports it needs from the screen, and its interface. */
import type { ConfirmQuestion, ModelList } from '../../commands/types.ts';
import type { TurnRecord } from '../../protocol/checkpoints.ts';
import type { Effort } from '../../protocol/models/wires.ts';
import type { PermissionAnswer } from '../../protocol/permissions.ts';
import type { SettingInfo } from '../../protocol/settings/settings.ts';
import type { ConfigAnswer, ConfigStep } from '../config/configDialogs.ts';
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
  /** A session that cannot be resumed, and the alternatives. */
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
  | { readonly type: 'config'; readonly step: ConfigStep; readonly settings: readonly SettingInfo[] }
  | { readonly type: 'confirm'; readonly question: ConfirmQuestion }
  | { readonly type: 'keys' }
  /** The rewind dialog, for one turn or with a list of turns. */
  | { readonly type: 'rewind'; readonly turn?: TurnRecord }
  | { readonly type: 'session' }
  /** The last frame is empty, so that the shell's prompt follows the transcript. */
  | { readonly type: 'leaving' };

export interface Snapshot {
  readonly phase: Phase;
  readonly theme: Theme;
  readonly preferences: UiPreferences;
  readonly session: UiSession | undefined;
  readonly view: View;
  readonly hint: string | undefined;
  /** Painted lines of the user's own status line; undefined while the built-in one is shown. */
  readonly statusText?: readonly string[] | undefined;
  /** How much of the todo list is shown; chosen by the user for this session. */
  readonly todoView: TodoView;
  /** Renders Markdown as plain text until the renderer is loaded. */
  readonly markdown: MarkdownRenderer;
}

export interface ScreenPorts {
  /** Writes above the live area. */
  readonly write: (text: string) => void;
  readonly columns: () => number;
  /** Maximum rows of the unfinished reply. */
  readonly liveRows: () => number;
  readonly composer: () => ComposerHandle | null;
  /** The key that opens the full transcript, for display, if there is one. */
  readonly transcriptKey?: () => string | undefined;
  /**
   * Hands over the terminal (to an editor or a pager) while `run` is pending. Afterwards the screen is redrawn, and
   * output that was held back is printed.
   */
  readonly suspend: (run: () => Promise<void>) => Promise<void>;
  /** Loads the dialog components; no dialog is shown before it resolves. */
  readonly loadDialogs?: () => Promise<void>;
  /** For output that cannot be redrawn (plain mode); absent on a screen. */
  readonly plain?: PlainScreen;
}

/** Rendering for plain mode, where everything is printed exactly once. */
interface PlainScreen {
  readonly createPrinter: (options: PrinterOptions) => Printer;
  /** Splits off the part of an unfinished reply that can already be printed. */
  readonly split: (markdown: string) => SplitText;
}

export interface Controller {
  snapshot(): Snapshot;
  subscribe(listener: () => void): () => void;
  /** Starts booting; called once, after the first frame. */
  begin(ports: ScreenPorts): void;
  submit(draft: Draft): void;
  intent(intent: Intent, state: { readonly empty: boolean }): void;
  popQueued(): string | undefined;
  /** Labels that replace a paste of image paths. Returns undefined synchronously if the text does not look like one. */
  /** Called when a key or a paste has changed the draft: hints are over. */
  draftEdited(): void;
  attachImages(pasted: string): Promise<readonly string[] | undefined> | undefined;
  /** Continues booting after a boot dialog. */
  advance(next: Promise<Boot>): void;
  answer(id: string, answer: PermissionAnswer): void;
  answerRefusal(answer: RefusalAnswer): void;
  pickModel(id: string | undefined, effort?: Effort | 'default'): void;
  /** Undefined keeps the current theme. */
  pickTheme(setting: ThemeSetting | undefined): void;
  /** The answer to a dialog of `/config`. */
  configure(answer: ConfigAnswer): void;
  /** The answer to a question of a command. */
  confirm(yes: boolean): void;
  /** Forks the session before this turn and puts the turn's prompt into the composer. */
  forkBefore(turn: TurnRecord): void;
  /** Ends the conversation, even if something is still running. */
  leave(): void;
  /** Undefined until settings and model are known. */
  services(): AppServices | undefined;
  /** Changes the theme or the status line; affects everything printed from now on. */
  adjust(change: Partial<Pick<Snapshot, 'theme' | 'statusText'>>): void;
  showNotice(level: 'info' | 'warning' | 'error', text: string): void;
  /** Closes a dialog that only displays something. */
  closeDialog(): void;
}
