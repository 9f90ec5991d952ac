/** What confines an agent in a folder: permission rules, the sandbox, and what its tools may see. */

import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { derivedFrom } from '../config/addedDirectories.ts';
import type { LoadedSettings } from '../config/types.ts';
import { readFileNow } from '../disk/fileLookups.ts';
import { createFolderWalk } from '../disk/folderWalk.ts';
import { realpath } from '../disk/paths.ts';
import { pathsInWorktree, unmoved } from '../disk/settingsPaths.ts';
import { isReadOnlyForCommands, protectionPlace } from '../permissions/files/protectedNames.ts';
import { isSensitive } from '../permissions/files/sensitive.ts';
import { createHomeLinks } from '../permissions/lookups/homeLinks.ts';
import { keepingHidden } from '../protocol/permissions.ts';
import type { CommandSandbox, SandboxMode } from '../protocol/sandbox.ts';
import { isSecretName } from '../redact/assignments.ts';
import { findUrlPasswords } from '../redact/findSecrets.ts';
import { isLikelySecret } from '../redact/likelySecret.ts';
import { findTokens } from '../redact/tokens.ts';
import type { ToolDeps } from '../tools/builtinTools.ts';
import type { KnownSecret } from '../tools/shell/valueRedactor.ts';
import type { OwnCompiledCode } from './permissions/compiledCode.ts';
import type { Permissions } from './permissions/permissions.ts';
import type { AppPaths } from './process/appPaths.ts';
import { commandVariables, keyVariables } from './process/commandVariables.ts';
import { createSessionSandbox, type FindDenied } from './sandbox.ts';

export interface ConfinementParts {
  readonly place: AppPaths;
  /** The project's root, if `place` is a worktree of it. */
  readonly project?: string;
  readonly loaded: LoadedSettings;
  readonly permissions: Permissions;
  /** From the command line. */
  readonly sandboxMode: SandboxMode | undefined;
  readonly findDenied?: FindDenied | undefined;
  /** Changes the environment of commands that leave the sandbox. */
  readonly compiledCode?: OwnCompiledCode;
  readonly onStarted?: ToolDeps['onStarted'];
  /** True for tools that the model gets. */
  readonly isOffered: (name: string) => boolean;
  /** Whether sandboxed commands run without approval; shared by all agents of a session. */
  readonly autoAllows: { isOn: boolean };
}

export interface Confinement extends AutoAllow {
  readonly permissions: Permissions;
  readonly sandbox: CommandSandbox;
  readonly toolDeps: ToolDeps & { readonly sandbox: CommandSandbox };
}

export function createConfinement(parts: ConfinementParts): Confinement {
  const { place, project, loaded, permissions, sandboxMode, isOffered, autoAllows, onStarted, findDenied } =
    parts;
  const { compiledCode } = parts;
  const { settings } = loaded;
  const sandbox = createSessionSandbox({
    place,
    project,
    loaded,
    permissions,
    mode: sandboxMode,
    findDenied,
    compiledCode,
  });
  const { directories } = loaded.added;
  const worktree = { project: project ?? place.root, worktree: place.root };
  const delicateWord = derivedFrom(directories, (added) =>
    delicateWordIn(place, unmoved(pathsInWorktree(added, worktree)), permissions),
  );
  const autoAllow = createAutoAllow({
    permissions,
    sandbox,
    state: autoAllows,
    delicateWord: (command, cwd) => delicateWord()(command, cwd),
    excluded: settings.sandbox.excludedCommands,
    isManaged: settings.allowManagedPermissionRulesOnly,
  });
  const toolDeps = {
    env: { ...place.env, ...commandVariables(loaded).env },
    addedDirectories: directories,
    home: place.home,
    isSensitive: permissions.isWithheld,
    web: settings.webFetch,
    secretEnv: keyVariables(loaded),
    sandbox,
    knownSecrets: createEnvSecrets(),
    openRedactor: async () => (await import('../redact/redact.ts')).createRedactor({ keyLines: true }),
    isOffered,
    onStarted,
  };
  return { permissions, sandbox, toolDeps, ...autoAllow };
}

/** Returns a function that finds the word that keeps a command from running without approval. */
function delicateWordIn(
  { home, root, env }: AppPaths,
  additionalDirectories: readonly string[],
  { isWithheld }: Permissions,
): (command: string, cwd: string) => string | undefined {
  const protection = protectionPlace(
    home,
    [root, ...additionalDirectories],
    realpath,
    createHomeLinks(env)(home),
  );
  const rules = {
    home,
    isWithheld,
    isReadOnlyForCommands: (path: string) => isReadOnlyForCommands(path, protection),
  };
  return (command, cwd) => riskyWord(command, cwd, rules);
}

// Runs sandboxed commands without approval, if no rule requires it: searches from which the sandbox hides the secrets
// that they do not name, and with `sandbox.autoAllow` other commands as well.

interface AutoAllow {
  decide: Permissions['decide'];
  /** Switches it on for this session, because the user chose that. */
  enable(): void;
}

interface AutoAllowParts {
  readonly permissions: Pick<Permissions, 'decide' | 'matches' | 'hold'>;
  readonly sandbox: Pick<CommandSandbox, 'state'>;
  /** Shared by all agents of a session. */
  readonly state: { isOn: boolean };
  /** Returns a word of a command, run in a folder, for which the sandbox alone is not enough protection. */
  readonly delicateWord: (command: string, cwd: string) => string | undefined;
  /** Commands that run outside the sandbox. */
  readonly excluded: readonly string[];
  /** True if only managed settings allow calls: the user cannot switch it on. */
  readonly isManaged?: boolean;
}

export function createAutoAllow({
  permissions,
  sandbox,
  state,
  delicateWord,
  excluded,
  isManaged = false,
}: AutoAllowParts): AutoAllow {
  const decide: Permissions['decide'] = async (tool, access, mode, allowedBy) => {
    const decision = await permissions.decide(tool, access, mode, allowedBy);
    const { hiding, staysHidden, ...other } = decision;
    const isOpen = decision.behavior !== 'allow' && (hiding ?? staysHidden) !== undefined;
    const isSandboxed = isOpen && (await sandbox.state()).type === 'on';
    if (staysHidden !== undefined) return isSandboxed ? keepingHidden(other, staysHidden) : other;
    if (isSandboxed) {
      return { behavior: 'allow', basis: 'read-only', reason: 'It only reads.', isGuarded: true, hiding };
    }
    if (decision.behavior !== 'ask' || access.type !== 'command' || decision.rule !== undefined)
      return decision;
    // The sandbox lets programs read the project's secrets; whether the model may see them is the user's decision.
    if (decision.causes?.some((cause) => cause.type === 'limit' && cause.isSecret)) return decision;
    if (delicateWord(access.command, access.cwd) !== undefined) return decision;
    const [{ type }, isExcluded] = await Promise.all([
      sandbox.state(),
      permissions.matches(excluded, access.command),
    ]);
    if (type !== 'on' || isExcluded) return decision;
    if (!state.isOn) return isManaged ? decision : { ...decision, canAutoAllow: true };
    return { behavior: 'allow', basis: 'sandbox', reason: 'Runs in the sandbox (sandbox.autoAllow).' };
  };
  return {
    enable() {
      if (!isManaged) state.isOn = true;
    },
    async decide(tool, access, mode, allowedBy) {
      const decision = await decide(tool, access, mode, allowedBy);
      if (decision.behavior !== 'allow') permissions.hold({ tool, access });
      return decision;
    },
  };
}

// Finds names of delicate files anywhere in the text of a command, including code passed as an argument.

interface DelicateRules {
  readonly home: string;
  /** True if a file is a secret, or if a rule denies reading it. */
  readonly isWithheld: (path: string) => boolean;
  /** True if commands may not write the file: other programs execute it or take settings from it. */
  readonly isReadOnlyForCommands: (path: string) => boolean;
}

/** Far more words than in any command that a user would read. */
const MAX_WORDS = 2000;

/**
 * Returns the first word that names an existing withheld file, or a missing file that other programs would execute: the
 * sandbox does not hide the former, and cannot prevent creating the latter. `.env` files are exempt, because only their
 * values are secret, and those are redacted from command output. Words in a message (`git commit -m`) count as well,
 * since only a shell could tell them apart.
 */
export function riskyWord(
  command: string,
  cwd: string,
  { home, isWithheld, isReadOnlyForCommands }: DelicateRules,
): string | undefined {
  const words = new Set(
    // `serv'er.key'` is one word, and the quotes in `open('server.key')` end one.
    [command, command.replace(/["'\\]/g, '')].flatMap((text) =>
      text.split(/[\s'"`()<>|;&=,:{}[\]\\$]+/).slice(0, MAX_WORDS),
    ),
  );
  return [...words].find((word) => {
    if (!/[\w-]/.test(word)) return false;
    const path = word.startsWith('~/') ? join(home, word.slice(2)) : resolve(cwd, word);
    if (existsSync(path)) return isWithheld(path) && !/\/\.env[^/]*$/.test(path);
    // If the whole folder is read-only for commands, the sandbox already prevents creating files in it.
    return isReadOnlyForCommands(path) && !isReadOnlyForCommands(folderAround(path));
  });
}

/** Returns the nearest existing parent folder. */
function folderAround(path: string): string {
  let at = dirname(path);
  while (!existsSync(at) && at !== dirname(at)) at = dirname(at);
  return at;
}

// Finds the secrets in a project's `.env` files: programs may read them, but the model sees marks instead.

const MAX_BYTES = 64 * 1024;
/** Maximum number of files; the nearest come first. */
const MAX_FILES = 200;
/** Minimum length of a value; shorter ones would match in ordinary text. */
const MIN_LENGTH = 6;
/** Minimum length of a single line of a value; shorter ones may be words. */
const MIN_LINE_LENGTH = 16;

/**
 * Returns a function that reads the `.env` files in folders and their subfolders each time it is called. Never throws.
 */
export function createEnvSecrets(): (folders: readonly string[]) => readonly KnownSecret[] {
  const walk = createFolderWalk((path, entries) => ({
    found: entries
      .map(({ name }) => join(path, name))
      .filter((file) => /\/\.env[^/]*$/.test(file) && isSensitive(file)),
  }));
  return (folders) => {
    const files = folders.flatMap((folder) => walk(folder).folders.flatMap(({ found }) => found));
    return [...new Set(files)].slice(0, MAX_FILES).flatMap((path) => secretsIn(scriptText(path)));
  };
}

/** Matches an assignment. Quoted values may span lines; other values end with the line. */
const assignment =
  /^[ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*[=:][ \t]*("(?:\\.|[^"\\])*"|'[^']*'|`[^`]*`|[^\n]*)/gm;

function secretsIn(text: string): readonly KnownSecret[] {
  return [...text.replaceAll('\r\n', '\n').matchAll(assignment)].flatMap(([, name = '', written = '']) => {
    const value = /^(["'`])(.*)\1/s.exec(written)?.[2] ?? withoutComment(written);
    const passwords = findUrlPasswords(value).map(({ start, end }) => value.slice(start, end));
    const isSecret = isSecretName(name) || findTokens(value).length > 0 || isLikelySecret(value, 'quoted');
    // Programs also print single lines of a value: in quotes, `\n` is a line break, as in a private key.
    const lines = value.split(/\n|\\n|\\r/).filter((one) => one.length >= MIN_LINE_LENGTH);
    return [...new Set([...passwords, ...(isSecret ? [value, ...lines] : [])])]
      .filter((one) => one.length >= MIN_LENGTH)
      .map((one) => ({ value: one, mark: `[redacted: ${name} of .env]` }));
  });
}

/** The part before a `#` that follows white space. */
function withoutComment(written: string): string {
  return written.slice(0, /(?<=\s)#/.exec(written)?.index).trimEnd();
}

function scriptText(path: string): string {
  return readFileNow(path, MAX_BYTES)?.toString('utf8') ?? '';
}
