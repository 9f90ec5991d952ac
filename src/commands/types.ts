/** Types of slash commands: the services they may use and the results they may return. */
import type { Agent } from '../agent/types.ts';
import type { SaveOutcome } from '../config/change/editSettings.ts';
import type {
  FoundMemory,
  MemoryFileInfo,
  MemoryFolders,
  MemoryScope,
  Remembered,
} from '../context/index.ts';
import type { TurnRecord } from '../protocol/checkpoints.ts';
import type { LanguageServerPort } from '../protocol/diagnostics.ts';
import type { BlobRef } from '../protocol/entries/fields.ts';
import type { ExplainedCall } from '../protocol/explainedCall.ts';
import type { HookStatus } from '../protocol/extensions/hooks.ts';
import type { McpPort } from '../protocol/extensions/mcp.ts';
import type { PluginContents, PluginInfo } from '../protocol/extensions/plugins.ts';
import type { PreparedSkill, Skill, SkillList } from '../protocol/extensions/skills.ts';
import type { AgentList } from '../protocol/extensions/subagents.ts';
import type { WorktreePort } from '../protocol/extensions/worktrees.ts';
import type { ModelInfo } from '../protocol/models/model.ts';
import type { Effort } from '../protocol/models/wires.ts';
import type { Op } from '../protocol/ops.ts';
import type { ContextSettings } from '../protocol/settings/contextSettings.ts';
import type { SettingEdit, SettingInfo } from '../protocol/settings/settings.ts';
import type { ThemeSetting } from '../protocol/settings/themeNames.ts';
import type { ChangeReview } from '../protocol/settingsPrograms.ts';
import type { DoctorReport } from './pages/doctorPage.ts';
import type { Page } from './pages/page.ts';

/** The data of `/status`. Never contains an API key. */
export interface StatusInfo {
  readonly version: string;
  readonly cwd: string;
  readonly baseUrl: string;
  /** The source of the API key, a variable or a file in display form; undefined if there is no key. */
  readonly keySource: string | undefined;
  readonly sessionFile: string | undefined;
  readonly settingsFiles: readonly {
    readonly name: string;
    readonly state: 'loaded' | 'missing' | 'broken';
  }[];
  readonly trusted: boolean;
  /** Settings from the folder's files that take effect only after the user trusts it, by dotted path. */
  readonly heldSettings: readonly string[];
  readonly debugFile?: string | undefined;
  /** Where telemetry goes, and whether it includes texts; undefined if nothing is exported. */
  readonly telemetry?: { readonly url: string; readonly content: boolean } | undefined;
}

/** The data of `/keys`: each action with its keys in display form, grouped by the context in which they apply. */
export interface KeysInfo {
  /** The file that changes them, in display form. */
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
  /** Problems in that file, one sentence each. */
  readonly problems: readonly string[];
}

export interface RuleInfo {
  readonly text: string;
  readonly behavior: 'allow' | 'ask' | 'deny';
  readonly source: string;
}

/** Full names of the models that the endpoints offer; `problem` says why some or all are missing, ready to show. */
export interface ModelList {
  readonly ids: readonly string[];
  readonly problem?: string;
  /** Lines about models, by id: window, prices, and what a switch costs. */
  readonly details?: Readonly<Record<string, readonly string[]>>;
  /** The efforts to choose from, by id. */
  readonly efforts?: Readonly<Record<string, EffortChoice>>;
}

/** How much a model would be asked to reason, and the levels it has. */
export interface EffortChoice {
  /** Undefined for the model's own default. */
  readonly now: Effort | undefined;
  readonly levels: readonly Effort[];
}

/** The user's memory files. */
export interface MemoryPort {
  readonly folders: MemoryFolders;
  readonly settings: Pick<ContextSettings['memory'], 'enabled' | 'limit' | 'minSimilarity' | 'category'>;
  list(): Promise<readonly MemoryFileInfo[]>;
  /** Called only for the user's own `/memory add`. */
  add(text: string, scope: MemoryScope, category?: string): Promise<Remembered>;
  /**
   * Returns all memories that contain one of the words, most similar first; not limited like the recall for a prompt.
   */
  search(words: string, category?: string): Promise<readonly FoundMemory[]>;
}

/** Skills and custom commands. */
export interface SkillPort {
  /** Reads the files again. */
  list(): Promise<SkillList>;
  /** Formats a file's path for display: relative to the project, or with `~`. */
  shownPath(file: string): string;
  /** Reads the file and fills in the arguments; `problem` is one sentence for the user. */
  prepare(skill: Skill, args: string): Promise<PreparedSkill | { readonly problem: string }>;
}

/** Facts about the project, collected before the model starts. File names appear as found: untrusted, always short. */
export interface ProjectFacts {
  /** Number of files not ignored by git; `isComplete` is false if there are more. */
  readonly files: number;
  readonly isComplete: boolean;
  /** Languages by number of files, largest first. */
  readonly languages: readonly { readonly name: string; readonly files: number }[];
  /** Top-level folders. */
  readonly folders: readonly string[];
  /** Manifests, lock files and similar, relative to the project. */
  readonly manifests: readonly string[];
  /** Commands defined in manifests, e.g. "npm run build" or "make test", with what they run. */
  readonly commands: readonly { readonly command: string; readonly runs?: string }[];
  /** Documentation for people and agents, relative to the project. */
  readonly guides: readonly string[];
  /** Continuous integration files: what they run must pass. */
  readonly workflows: readonly string[];
  /** Bytes of an existing AGENTS.md. */
  readonly agentsBytes: number | undefined;
}

/** All settings, and the files of the user that change them. */
export interface ConfigPort {
  /** Reads the files again. */
  list(): Promise<readonly SettingInfo[]>;
  save(edit: SettingEdit): Promise<SaveOutcome>;
}

/** The directories that belong to the workspace of this session. */
export interface DirectoryPort {
  /** The project's root comes first. */
  list(): readonly string[];
  /** Adds one while this program runs. `path`: absolute, in the home (`~/…`) or relative to where it was started. */
  add(path: string): Promise<AddedDirectory>;
}

/** `folder`: with links resolved. `known`: it is in `around`, which already belongs to the workspace. */
export type AddedDirectory =
  | { readonly type: 'added'; readonly folder: string }
  | { readonly type: 'known'; readonly folder: string; readonly around: string }
  | { readonly type: 'refused'; readonly message: string };

/** The installed plugins. Changes take effect in this session at once. */
export interface PluginPort {
  /** Reads their files again. */
  list(): Promise<readonly PluginInfo[]>;
  /** Copies a plugin from a folder or a git repository, without using it. */
  stage(source: string): Promise<StagedPlugin | { readonly problem: string }>;
  /** Approves the content that is described here. */
  enable(plugin: PluginInfo): Promise<void>;
  disable(name: string): Promise<void>;
  remove(name: string): Promise<void>;
}

/** The copy of a plugin that waits for approval. */
interface StagedPlugin {
  readonly contents: PluginContents;
  install(): Promise<void>;
  discard(): Promise<void>;
}

/** A question that only a clear yes answers. */
export interface ConfirmQuestion {
  readonly title: string;
  /** Its subject, on one line. */
  readonly subject: string;
  readonly yes: string;
  readonly no: string;
  /** Acts on the answer and reports what was done. Called once. */
  readonly answer: (yes: boolean) => Promise<Notice>;
}

export interface Notice {
  readonly type: 'notice';
  readonly text: string;
  readonly level?: 'info' | 'error';
}

/** The services that commands may use; implemented in `cli`. */
export interface CommandHost {
  readonly agent: Agent;
  readonly commands: readonly Command[];
  readonly memory: MemoryPort;
  /** Absent if no MCP servers are configured. */
  readonly mcp?: McpPort | undefined;
  /** Absent if they are turned off. */
  readonly languageServers?: LanguageServerPort | undefined;
  readonly skills: SkillPort;
  /** All hooks, those that do not run included. */
  hooks(): readonly HookStatus[];
  /** Changes that the user neither approved nor reviewed, because of which programs in the settings are confined. */
  readonly unapprovedChanges: ChangeReview;
  /** Makes the next start ask again whether the user trusts the folder, after a "no" because of their own programs. */
  askAboutFolder(): Promise<void>;
  /** The subagents of this session, and definitions that are not used. */
  readonly agents: AgentList;
  /** The worktrees of this project's subagents. */
  worktrees(): Promise<WorktreePort>;
  readonly config: ConfigPort;
  readonly directories: DirectoryPort;
  readonly plugins: PluginPort;
  status(): StatusInfo;
  /** Returns the `context.*` settings of this session. */
  settings(): ContextSettings;
  rules(): readonly RuleInfo[];
  /**
   * Explains the decision about a command in the current mode and the shell's directory. Without a command: about the
   * last call that needed approval or was denied; undefined if there was none.
   */
  explainPermission(command?: string): Promise<ExplainedCall | undefined>;
  listModels(): Promise<ModelList>;
  /** Returns the known facts about a model, by its full name. */
  modelInfo(model: string): ModelInfo;
  /** The model that writes summaries of conversations that it can read in full, if that is not the session's. */
  summaryModel(): ModelInfo | undefined;
  /** Absent without a terminal. */
  keys?(): Promise<KeysInfo>;
  findSession(id: string): Promise<'found' | 'unknown'>;
  /** Checks this machine and the endpoint. Sends no prompt. */
  doctor(): Promise<DoctorReport>;
  /** Returns facts about the project, taken from its file names and manifests. */
  projectFacts(): Promise<ProjectFacts>;
  /** Reads a blob, the full text of an entry that holds only part of it, or a byte range; undefined if it is gone. */
  readBlob(
    ref: BlobRef,
    range?: { readonly start?: number; readonly end?: number },
  ): Promise<Uint8Array | undefined>;
  /** Copies text to the clipboard; terminals do not confirm this. */
  copyText(text: string): Promise<Copied>;
  /** Writes text to a new file; relative paths start at the working directory. */
  writeText(text: string, file: string): Promise<Written>;
  /**
   * Writes the open session to a file; relative paths start at the working directory. Without a path, picks a free name
   * in the project.
   */
  exportSession(what: { readonly format: ExportFormat; readonly file?: string }): Promise<Exported>;
}

/** The result of a copy: done by a program, or sent to the terminal, which does not confirm it. */
export type Copied =
  | { readonly type: 'copied'; readonly tool: string }
  | { readonly type: 'sent' }
  | { readonly type: 'failed'; readonly message: string };

/** The result of writing a file; `file` is absolute. */
export type Written =
  | { readonly type: 'done'; readonly file: string }
  | { readonly type: 'failed'; readonly message: string };

/** File formats of an exported session. */
export type ExportFormat = 'md' | 'html' | 'json' | 'jsonl';

/** The result of an export; `file` is absolute, `secrets` is the number of secrets left out. */
type Exported =
  | { readonly type: 'done'; readonly file: string; readonly secrets: number }
  | { readonly type: 'failed'; readonly message: string };

/** What the caller of a command should do next. */
export type CommandResult =
  /** `remark` resolves to a remark for interactive users; the op does not wait for it. */
  | { readonly type: 'op'; readonly op: Op; readonly remark?: () => Promise<string | undefined> }
  | Notice
  /** More than a sentence: laid out for the width of the screen. */
  | { readonly type: 'page'; readonly page: Page }
  | { readonly type: 'dialog'; readonly dialog: 'resume' | 'model' }
  /** `page` replaces the dialog where there is no full screen. */
  | { readonly type: 'dialog'; readonly dialog: 'items' | 'tasks'; readonly page: Page }
  | {
      readonly type: 'dialog';
      readonly dialog: 'config';
      readonly settings: readonly SettingInfo[];
      readonly page: Page;
    }
  /** `page` is the subject of the decision: shown in full before the question. */
  | {
      readonly type: 'dialog';
      readonly dialog: 'confirm';
      readonly page: Page;
      readonly question: ConfirmQuestion;
    }
  /** Rewinds to this turn, or lets the user choose one. */
  | {
      readonly type: 'dialog';
      readonly dialog: 'rewind';
      readonly turn?: TurnRecord;
      readonly page: Page;
    }
  /** Switches to this theme; without `setting`, opens a list of themes. */
  | { readonly type: 'set_theme'; readonly setting?: ThemeSetting }
  | { readonly type: 'open_session'; readonly target: 'new' | { readonly id: string } }
  /** Copies the open session, in full or up to an entry, and continues in the copy. */
  | { readonly type: 'fork_session'; readonly uptoSeq?: number }
  | { readonly type: 'toggle_vim' }
  /** A setting that the screen applies at once was saved; `text` says so. */
  | { readonly type: 'setting_changed'; readonly edit: SettingEdit; readonly text: string }
  | { readonly type: 'exit' };

export interface Command {
  readonly name: string;
  readonly aliases: readonly string[];
  /** Shown in `/help` and completion; short, because a line of `/help` has at most 100 columns. */
  readonly description: string;
  /** True if the command becomes a prompt, which is shown; the command line itself is then not shown. */
  readonly isPrompt?: true;
  /** The argument as shown in help; for example "[focus]". */
  readonly argumentHint?: string;
  /**
   * What to use instead with `-p`, if with these arguments the command changes more than the session: settings,
   * memories, files, plugins, or which calls need approval. That requires a user who sees it, because the text of a
   * prompt may come from anywhere. Absent, or undefined for some arguments = it changes nothing else.
   */
  readonly needsUser?: (args: string) => string | undefined;
  /** `args`: the text after the name, trimmed; may span lines. */
  run(args: string, host: CommandHost): CommandResult | Promise<CommandResult>;
}
