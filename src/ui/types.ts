/** The ports of the screen: what `cli` hands in, so that nothing here reads the process or opens a session. */
import type { Agent, SessionTarget } from '../agent/types.ts';
import type { CommandHost } from '../commands/types.ts';
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

/** A session that is ready to talk to. */
export interface UiSession {
  readonly agent: Agent;
  readonly host: CommandHost;
  readonly resumed: boolean;
  readonly notices: readonly string[];
  /** Hears, now or later, that the window of the model is assumed. Returns the unsubscriber. */
  readonly onAssumedWindow?: (listener: (text: string) => void) => () => void;
}

export type OpenOutcome =
  | { readonly type: 'opened'; readonly session: UiSession }
  /** It is there, but cannot be gone on with here; `id` in full. */
  | {
      readonly type: 'refused';
      readonly refusal: Refusal;
      readonly id: string;
      /** The folder below `projects/`, when that is not this project's. */
      readonly project?: string;
      readonly title: string | undefined;
    }
  /** Why not, ready to show; the screen goes on without it. */
  | { readonly type: 'failed'; readonly message: string };

export interface TrustQuestion {
  readonly folder: string;
  /** What the folder's settings would do that was not agreed to yet, one sentence each. */
  readonly effects: readonly string[];
  /**
   * Of a folder that was trusted before: what its settings do no longer, whether that is known at all, and how many
   * rules, folders, variables … came and went.
   */
  readonly before?: {
    readonly isRecorded: boolean;
    readonly gone: readonly string[];
    readonly added: number;
    readonly removed: number;
  };
}

/** Whether a server that the folder's files define may be used. */
export interface ServerQuestion {
  readonly name: string;
  /** The file that defines it, as shown to people. */
  readonly source: string;
  /** Everything in its definition, a sentence or a field each. */
  readonly lines: readonly string[];
  /** The user has decided about another definition of this name. */
  readonly isChanged: boolean;
}

export type OnboardingResult =
  | {
      readonly type: 'credentials';
      readonly baseUrl: string;
      readonly apiKey: string;
      readonly model: string;
    }
  | { readonly type: 'demo' }
  /** Reads the settings again, which somebody may have corrected meanwhile. */
  | { readonly type: 'reread' }
  | { readonly type: 'quit' };

/** What has to be settled before a session can be opened, one after the other. */
export type Boot =
  | { readonly type: 'trust'; readonly question: TrustQuestion; answer(trusted: boolean): Promise<Boot> }
  | { readonly type: 'server'; readonly question: ServerQuestion; answer(approved: boolean): Promise<Boot> }
  /** `message` says what went wrong with the last answer, or with the settings; `canReread` where those can be corrected. */
  | {
      readonly type: 'onboarding';
      readonly setup: SetupPort;
      readonly message?: string;
      readonly canReread?: boolean;
      answer(result: OnboardingResult): Promise<Boot>;
    }
  | { readonly type: 'ready'; readonly services: AppServices; readonly notices: readonly string[] }
  | { readonly type: 'quit' };

/** Opens sessions, once settings and model are known. */
export interface AppServices {
  open(target: SessionTarget): Promise<OpenOutcome>;
  /** The sessions that are not open: lists, searches, changes them. */
  readonly sessions: SessionsPort;
  /** Absent where no image can be read. */
  readonly images?: ImagePort;
  /** For the terminal as it was when the settings were read; the screen keeps what it has learned of it since. */
  readonly theme: Theme;
  /** Title, progress, notifications; absent where the screen keeps to its own rows. */
  readonly attention?: Attention;
  /** The user's own status line. */
  readonly statusLine?: StatusLineCommand;
  readonly preferences: UiPreferences;
  /** Keeps one setting in the user's own `config.json`; `path` as in the settings, undefined takes it away. */
  saveSetting(path: readonly string[], value: unknown): Promise<SavedSetting>;
}

/** Where a setting was kept (as shown to people), or why not, ready to show. */
export type SavedSetting =
  | { readonly type: 'saved'; readonly file: string }
  | { readonly type: 'refused'; readonly message: string };

/** How the screen came to its end; `cli` prints the line that resumes the session. */
export interface UiExit {
  readonly sessionId: string | undefined;
  /** Nothing was said in it, so there is nothing to resume. */
  readonly empty: boolean;
  readonly code: number;
}

/** What came back from the editor; a message is ready to show. */
export type EditOutcome =
  | { readonly type: 'edited'; readonly text: string }
  | { readonly type: 'failed'; readonly message: string };

/** What the screen is started with. */
export interface UiOptions {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  /** Takes away what stood in place of the screen until now, and returns what was typed meanwhile. */
  readonly takeOver: () => Echo;
  /** For the first frame; the settings may name another. */
  readonly theme: Theme;
  /** Settles trust, key and model; runs behind the first frame. */
  readonly boot: () => Promise<Boot>;
  readonly target: SessionTarget;
  /** Begin with the picker of sessions. */
  readonly pickFirst: boolean;
  /** Sent as soon as the session is open. */
  readonly prompt: string | undefined;
  readonly historyFile: string;
  /** A prompt as it may be written to that file; absent = as it is. */
  readonly historyText?: (text: string) => string;
  readonly listFiles: () => Promise<string[]>;
  /** The user's own keys; absent = the built-in ones. */
  readonly keys?: KeysPort;
  /** Runs the user's editor on a text while the terminal is given away; absent = there is none. */
  readonly editText?: (text: string) => Promise<EditOutcome>;
  /** Stops the program until the shell's `fg`, or says at once that no shell could do that. */
  readonly stop?: () => Promise<'continued' | 'unsupported'>;
  /** Tells when the program goes on after a stop, whoever stopped it; returns what ends that. */
  readonly onContinue?: (listener: () => void) => () => void;
  /** Called with what flushes the log, for whoever has to end the program in a hurry. */
  readonly onReady: (close: () => Promise<void>) => void;
  /** Told before the alternate screen is used and after, so that whatever ends the program can leave it. */
  readonly onAlternateScreen?: (isOn: boolean) => void;
  /** What the terminal does with lines when it is resized; absent = not known. */
  readonly reflow?: Reflow;
  /** Told what else puts the terminal back; an empty text for nothing. */
  readonly onRestore?: (text: string) => void;
  readonly now: () => number;
}

/** What the settings say about the screen, as plain data; `cli` hands it over. */
export interface UiPreferences {
  readonly reducedMotion: boolean;
  readonly showReasoning: boolean;
  /** Vim keys in the composer. */
  readonly vim?: boolean;
}

/** Until the settings are read. */
export const defaultPreferences: UiPreferences = { reducedMotion: false, showReasoning: false };
