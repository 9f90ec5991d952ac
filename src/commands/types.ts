/** The words of slash commands: what they may look at, and what they may ask for. */
import type { Agent } from '../agent/types.ts';
import type {
  FoundMemory,
  MemoryFileInfo,
  MemoryFolders,
  MemoryScope,
  Remembered,
} from '../context/index.ts';
import type { ContextSettings } from '../protocol/contextSettings.ts';
import type { DoctorReport } from '../protocol/doctor.ts';
import type { BlobRef } from '../protocol/entries/fields.ts';
import type { McpPort } from '../protocol/mcp.ts';
import type { Op } from '../protocol/ops.ts';
import type { PermissionExplanation } from '../protocol/permissions.ts';
import type { ProjectFacts } from '../protocol/projectFacts.ts';
import type { TurnRecord } from '../protocol/rewind.ts';
import type { PreparedSkill, Skill, SkillList } from '../protocol/skills.ts';
import type { ThemeSetting } from '../protocol/themeNames.ts';
import type { Page } from './pages/page.ts';

/** What `/status` tells. Never a key. */
export interface StatusInfo {
  readonly version: string;
  readonly cwd: string;
  readonly baseUrl: string;
  /** Where the key comes from: a variable or a file as shown to people; absent when there is none. */
  readonly keySource: string | undefined;
  readonly sessionFile: string | undefined;
  readonly settingsFiles: readonly {
    readonly name: string;
    readonly state: 'loaded' | 'missing' | 'broken';
  }[];
  readonly trusted: boolean;
  /** Settings of the folder's files that wait for the user's word, by dotted path. */
  readonly heldSettings: readonly string[];
  readonly debugFile?: string | undefined;
}

/** What `/keys` tells: each action with its keys as people read them, grouped by where they count. */
export interface KeysInfo {
  /** Where they can be changed, as shown to people. */
  readonly file: string;
  readonly groups: readonly {
    readonly title: string;
    readonly context: string;
    readonly rows: readonly {
      readonly keys: readonly string[];
      readonly description: string;
      readonly action: string;
      readonly isFixed: boolean;
    }[];
  }[];
  /** What of that file cannot be, one sentence each. */
  readonly problems: readonly string[];
}

export interface RuleInfo {
  readonly text: string;
  readonly behavior: 'allow' | 'ask' | 'deny';
  readonly source: string;
}

/** Ids that the endpoint offers; where there are none, why, ready to show. */
export interface ModelList {
  readonly ids: readonly string[];
  readonly problem?: string;
}

/** The user's memory files. */
export interface MemoryPort {
  readonly folders: MemoryFolders;
  readonly settings: Pick<ContextSettings['memory'], 'enabled' | 'limit' | 'minSimilarity' | 'category'>;
  list(): Promise<readonly MemoryFileInfo[]>;
  /** Called for nothing but the user's own `/memory add`. */
  add(text: string, scope: MemoryScope, category?: string): Promise<Remembered>;
  /** Whatever holds one of the words, most similar first; more than a prompt would bring. */
  search(words: string, category?: string): Promise<readonly FoundMemory[]>;
}

/** Skills and custom commands. */
export interface SkillPort {
  /** As the files are now. */
  list(): Promise<SkillList>;
  /** A file's path for people: relative to the project, or with `~`. */
  shownPath(file: string): string;
  /** Reads the file and fills in the arguments; a problem is one sentence for the user. */
  prepare(skill: Skill, args: string): Promise<PreparedSkill | { readonly problem: string }>;
}

/** What a command may see and ask; plugged in `cli`. */
export interface CommandHost {
  readonly agent: Agent;
  readonly commands: readonly Command[];
  readonly memory: MemoryPort;
  /** Absent without servers. */
  readonly mcp?: McpPort | undefined;
  readonly skills: SkillPort;
  status(): StatusInfo;
  /** The `context.*` settings of this session. */
  settings(): ContextSettings;
  rules(): readonly RuleInfo[];
  /**
   * What is decided about a command in the current mode and the shell's folder; without one, about the last call that was
   * asked about or refused. Undefined where there was none.
   */
  explainPermission(command?: string): Promise<PermissionExplanation | undefined>;
  listModels(): Promise<ModelList>;
  /** Absent where there are no keys. */
  keys?(): Promise<KeysInfo>;
  findSession(id: string): Promise<'found' | 'unknown'>;
  /** What is there and what is missing, on this machine and at the endpoint. Sends no prompt. */
  doctor(): Promise<DoctorReport>;
  /** What file names and manifests say of the project. */
  projectFacts(): Promise<ProjectFacts>;
  /** The whole of a text of which an entry holds a part, or a range of its bytes; undefined where it is gone. */
  readBlob(
    ref: BlobRef,
    range?: { readonly start?: number; readonly end?: number },
  ): Promise<Uint8Array | undefined>;
  /** Puts text on the user's clipboard, as far as one can tell. */
  copyText(text: string): Promise<Copied>;
  /** Writes text to a new file; a relative one is in the working directory. */
  writeText(text: string, file: string): Promise<Written>;
  /** Writes the open session to a file: a relative one is in the working directory, without one a name is found in the project. */
  exportSession(what: { readonly format: ExportFormat; readonly file?: string }): Promise<Exported>;
}

/** What became of a copy: a program took it, or it was sent to the terminal, which does not say what it did with it. */
export type Copied =
  | { readonly type: 'copied'; readonly tool: string }
  | { readonly type: 'sent' }
  | { readonly type: 'failed'; readonly message: string };

/** `file` is absolute. */
export type Written =
  | { readonly type: 'done'; readonly file: string }
  | { readonly type: 'failed'; readonly message: string };

/** What a session can be written as. */
export type ExportFormat = 'md' | 'html' | 'json' | 'jsonl';

/** What became of an export; `file` is absolute, `secrets` counts what was left out. */
export type Exported =
  | { readonly type: 'done'; readonly file: string; readonly secrets: number }
  | { readonly type: 'failed'; readonly message: string };

/** What a command asks of whoever ran it. */
export type CommandResult =
  /** `remark`: what somebody who looks on should know besides; the op does not wait for it. */
  | { readonly type: 'op'; readonly op: Op; readonly remark?: () => Promise<string | undefined> }
  | { readonly type: 'notice'; readonly text: string; readonly level?: 'info' | 'error' }
  /** More than a sentence: laid out for the width of whoever shows it. */
  | { readonly type: 'page'; readonly page: Page }
  | { readonly type: 'dialog'; readonly dialog: 'resume' | 'model' }
  /** `page` is for where there is no screen to answer on. */
  | { readonly type: 'dialog'; readonly dialog: 'items' | 'tasks'; readonly page: Page }
  /** Going back: to this turn, or to one of a list. */
  | {
      readonly type: 'dialog';
      readonly dialog: 'rewind';
      readonly turn?: TurnRecord;
      readonly page: Page;
    }
  /** These colours from now on; without a setting, one is chosen from a list. */
  | { readonly type: 'set_theme'; readonly setting?: ThemeSetting }
  | { readonly type: 'open_session'; readonly target: 'new' | { readonly id: string } }
  /** A copy of the open session, as it is or as it was up to an entry; the work goes on in the copy. */
  | { readonly type: 'fork_session'; readonly uptoSeq?: number }
  | { readonly type: 'toggle_vim' }
  | { readonly type: 'exit' };

export interface Command {
  readonly name: string;
  readonly aliases: readonly string[];
  /** A few words for `/help` and completion. */
  readonly description: string;
  /** It becomes a prompt, which is shown itself: the line is not repeated. */
  readonly isPrompt?: true;
  /** How the argument is shown, e.g. "[focus]". */
  readonly argumentHint?: string;
  /** `args`: what follows the name, trimmed; may span lines. */
  run(args: string, host: CommandHost): CommandResult | Promise<CommandResult>;
}
