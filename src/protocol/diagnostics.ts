/** The port between the tools that edit files and the language servers that check them. */

/** A file's text before and after an edit. */
export interface FileEdit {
  /** Absolute, links resolved. */
  readonly path: string;
  /** Undefined for a new file. */
  readonly before: string | undefined;
  readonly after: string;
}

/** The errors and warnings that an edit has added. */
export interface NewProblems {
  readonly count: number;
  /** For the model: quotes the server between lines that it cannot know. */
  readonly text: string;
}

/** What one agent uses: problems found too late for a result reach only the agent that made the edit. */
export interface EditChecks {
  /** Waits a bounded time. Undefined if the edit added no problems, or if that is not known yet. Never rejects. */
  check(edit: FileEdit, signal: AbortSignal): Promise<NewProblems | undefined>;
  /** Returns, once, texts about earlier edits that were not known in time. */
  takeLate(): readonly string[];
}

export type LanguageServerState =
  /** No edit has needed it yet. */
  | { readonly type: 'idle' }
  | { readonly type: 'starting' }
  | { readonly type: 'running'; readonly isConfined: boolean }
  /** Ready to show. */
  | { readonly type: 'failed'; readonly reason: string }
  /** Will not be started; ready to show. */
  | { readonly type: 'unusable'; readonly reason: string };

/** The language server for some kinds of files, for `/lsp`. */
export interface LanguageServerStatus {
  readonly language: string;
  /** The program's path; undefined if none is installed. */
  readonly program: string | undefined;
  readonly state: LanguageServerState;
  /** The end of its standard error. */
  readonly log: string;
}

export interface LanguageServerPort {
  open(): EditChecks;
  status(): Promise<readonly LanguageServerStatus[]>;
}
