/** The ports of the screen, provided by `cli`: nothing in `ui` reads the process or opens a session itself. */
import type { Agent, SessionTarget } from '../agent/types.ts';
import type { CommandHost } from '../commands/types.ts';
import type { ScreenPreference } from '../protocol/settings/settings.ts';
import type { Echo } from './firstFrame.ts';
import type { ImagePort } from './input/images.ts';
import type { KeysPort } from './keys/useKeys.ts';
import type { SetupPort } from './onboarding/SetupPort.ts';
import type { Refusal } from './sessions/refusal.ts';
import type { SessionsPort } from './sessions/SessionsPort.ts';
import type { Reflow } from './terminal/frameTracker.ts';
import type { Attention } from './terminal/sequences.ts';
import type { StatusLineCommand } from './terminal/statusLineInput.ts';
import type { Theme } from './theme/theme.ts';

/** An open session. */
export interface UiSession {
  readonly agent: Agent;
  readonly host: CommandHost;
  readonly resumed: boolean;
  readonly notices: readonly string[];
  /** Calls the listener, now or later, if the model's context window had to be assumed. Returns the unsubscriber. */
  readonly onAssumedWindow?: (listener: (text: string) => void) => () => void;
}

export type OpenOutcome =
  | { readonly type: 'opened'; readonly session: UiSession }
  /** The session exists but cannot be resumed here; `id` is the full id. */
  | {
      readonly type: 'refused';
      readonly refusal: Refusal;
      readonly id: string;
      /** Folder name in `projects/`, if it belongs to another project. */
      readonly project?: string;
      readonly title: string | undefined;
    }
  /** Message for the user; the screen stays as it is. */
  | { readonly type: 'failed'; readonly message: string };

export interface TrustQuestion {
  readonly folder: string;
  /** New effects of the folder's settings that the user has not agreed to yet, one sentence each. */
  readonly effects: readonly string[];
  /** The user's own programs that may run code of the folder; absent = none. */
  readonly own?: readonly string[];
  /** Set if the user trusted another folder that was at this path before. */
  readonly isOther?: boolean;
  /**
   * Only for a folder that was trusted before: effects that are gone, whether the earlier effects were recorded at all,
   * how many rules, folders, variables … were added and removed, and which parts of long values differ.
   */
  readonly before?: {
    readonly isRecorded: boolean;
    readonly gone: readonly string[];
    readonly added: number;
    readonly removed: number;
    readonly changes?: readonly string[];
    /** Changed project files that something approved runs, with their lines if known. */
    readonly files?: readonly {
      readonly what: string;
      readonly removed: readonly string[];
      readonly added: readonly string[];
    }[];
  };
}

/** Asks whether an MCP server defined in the folder's files may be used. */
export interface ServerQuestion {
  readonly name: string;
  /** Path of the file that defines it, as displayed. */
  readonly source: string;
  /** The full definition, one sentence or field per line. */
  readonly lines: readonly string[];
  /** True if the user decided about a different definition with this name. */
  readonly isChanged: boolean;
  /** The lines of that definition; absent if they are not known. */
  readonly before?: readonly string[];
}

export type OnboardingResult =
  | {
      readonly type: 'credentials';
      readonly baseUrl: string;
      readonly apiKey: string;
      readonly model: string;
    }
  | { readonly type: 'demo' }
  /** Reads the settings again, in case they have been corrected. */
  | { readonly type: 'reread' }
  | { readonly type: 'quit' };

/** The steps before a session can be opened, one after the other. */
export type Boot =
  | { readonly type: 'trust'; readonly question: TrustQuestion; answer(trusted: boolean): Promise<Boot> }
  | { readonly type: 'server'; readonly question: ServerQuestion; answer(approved: boolean): Promise<Boot> }
  /**
   * `message`: what was wrong with the last answer or with the settings. `canReread`: the settings can be corrected.
   */
  | {
      readonly type: 'onboarding';
      readonly setup: SetupPort;
      readonly message?: string;
      readonly canReread?: boolean;
      answer(result: OnboardingResult): Promise<Boot>;
    }
  | { readonly type: 'ready'; readonly services: AppServices; readonly notices: readonly string[] }
  | { readonly type: 'quit' };

/** Opens sessions; available once settings and model are known. */
export interface AppServices {
  open(target: SessionTarget): Promise<OpenOutcome>;
  /** Lists, searches and changes stored sessions. */
  readonly sessions: SessionsPort;
  /** Absent if images cannot be read. */
  readonly images?: ImagePort;
  /** For the terminal as it was when the settings were read; the screen keeps what it has detected since. */
  readonly theme: Theme;
  /** Window title, progress and notifications; absent if the screen must not use them. */
  readonly attention?: Attention;
  /** The user's own status line. */
  readonly statusLine?: StatusLineCommand;
  readonly preferences: UiPreferences;
  /** Saves one setting in the user's `config.json`. `path` as in the settings; undefined removes the setting. */
  saveSetting(path: readonly string[], value: unknown): Promise<SavedSetting>;
}

/** The file where a setting was saved, as displayed, or a message why not. */
type SavedSetting =
  | { readonly type: 'saved'; readonly file: string }
  | { readonly type: 'refused'; readonly message: string };

/** How the screen was closed; `cli` prints the command that resumes the session. */
export interface UiExit {
  readonly sessionId: string | undefined;
  /** The session has no content, so there is nothing to resume. */
  readonly empty: boolean;
  readonly code: number;
}

/** Result of editing in the user's editor; `message` is for the user. */
export type EditOutcome =
  | { readonly type: 'edited'; readonly text: string }
  | { readonly type: 'failed'; readonly message: string };

/** Everything the screen is started with. */
export interface UiOptions {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  /** Clears the terminal before the screen starts, and returns the text typed until then. */
  readonly takeOver: () => Echo;
  /** For the first frame; the settings may specify another one. */
  readonly theme: Theme;
  /** Settles trust, key and model; runs after the first frame. */
  readonly boot: () => Promise<Boot>;
  readonly target: SessionTarget;
  /** Start with the session picker. */
  readonly pickFirst: boolean;
  /** Submitted as soon as the session is open. */
  readonly prompt: string | undefined;
  /** The user's home folder, shown as `~`. */
  readonly home?: string;
  readonly historyFile: string;
  /** Returns a prompt as it may be written to `historyFile`; absent: unchanged. */
  readonly historyText?: (text: string) => string;
  readonly listFiles: () => Promise<string[]>;
  /** The user's key bindings; absent: the built-in ones. */
  readonly keys?: KeysPort;
  /** Opens a text in the user's editor while the terminal is handed over; absent if there is no editor. */
  readonly editText?: (text: string) => Promise<EditOutcome>;
  /** Stops the process until the shell's `fg`, or resolves at once with "unsupported" if no shell could resume it. */
  readonly stop?: () => Promise<'continued' | 'unsupported'>;
  /** Calls the listener when the process continues after a stop, whatever stopped it. Returns the unsubscriber. */
  readonly onContinue?: (listener: () => void) => () => void;
  /** Called with a function that flushes the log, for an emergency exit. */
  readonly onReady: (close: () => Promise<void>) => void;
  /** Called before the alternate screen is entered and after it is left, so that an emergency exit can leave it. */
  readonly onAlternateScreen?: (isOn: boolean) => void;
  /** How the terminal reflows lines when it is resized; absent: unknown. */
  readonly reflow?: Reflow;
  /** Called with the escape sequences that restore the terminal; empty if there are none. */
  readonly onRestore?: (text: string) => void;
  readonly now: () => number;
}

/** The user's settings for the screen, provided by `cli`. */
export type UiPreferences = Readonly<Record<ScreenPreference, boolean>>;

/** Used until the settings are read. */
export const defaultPreferences: UiPreferences = { reducedMotion: false, showReasoning: false, vim: false };
