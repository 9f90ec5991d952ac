/**
 * Decides whether a command in the settings runs workspace code, which the model may have written. The permission
 * tables, plus a few rows for programs that notify the user, say what programs do; anything else counts as running such
 * code. Reads the shell scripts that the command names, but starts nothing.
 */
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { entriesOf, readFileNow, statOf } from '../../disk/fileLookups.ts';
import { isInside, realpath } from '../../disk/paths.ts';
import type { CommandEffect, ProgramEffect } from '../../permissions/command/commandEffects.ts';
import { programName } from '../../permissions/options/programTable.ts';
import { isInterpreter, isPlainShell } from '../../permissions/options/runnerNames.ts';
import { isOfShell } from '../../permissions/shell/assignments.ts';
import { isSteeringName } from '../../tools/shell/steeringVariables.ts';
import { isMissing, type PlainCall, plainCall } from './plainCalls.ts';

/**
 * `none`: only programs outside the workspace, which load nothing from it. `script`: also readable workspace scripts
 * that cannot change without approval. `workspace`: whatever the project configures, imports or builds.
 */
export type CodeRun = 'none' | 'script' | 'workspace';

export interface CodePlace {
  /** The folders of the workspace, links resolved. */
  readonly workspace: readonly string[];
  readonly root: string;
  readonly home: string;
  /** See `Permissions.effects`. */
  readonly effects: (command: string, cwd: string) => Promise<readonly CommandEffect[] | undefined>;
  /** The environment of the command. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * True for a program that is told nothing of the workspace and starts in an empty folder. Others may get to know its
   * path, on standard input or by a variable, so where they start proves nothing.
   */
  readonly isApart?: boolean;
  /** True if the environment leads unknown programs to the workspace. */
  readonly isLed: boolean;
  /** True if the user has approved no file of the folder. */
  readonly isUntrusted?: boolean;
}

/** Facts about a command, with the scripts that it runs. */
interface Findings {
  readonly code: CodeRun;
  /** It passes on content of files in the workspace. */
  readonly takes: boolean;
  /** It writes outside the workspace. */
  readonly writes: boolean;
}

/** `cwd`: where the command starts. `isText`: false if its words are literal, without variables. */
export async function codeRunBy(
  command: string,
  cwd: string,
  place: CodePlace,
  isText = true,
): Promise<CodeRun> {
  const found = await judge(command, cwd, { ...place, depth: 0, isText });
  const { code, takes, writes } = found ?? codeOfWorkspace;
  // It could copy a workspace file to a place where it runs later.
  return takes && writes ? 'workspace' : code;
}

interface Place extends CodePlace {
  /** How many scripts are around it. */
  readonly depth: number;
  readonly isText: boolean;
}

const nothing: Findings = { code: 'none', takes: false, writes: false };
const codeOfWorkspace: Findings = { ...nothing, code: 'workspace' };

/** undefined if the command is not understood. */
async function judge(command: string, cwd: string, place: Place): Promise<Findings | undefined> {
  const effects = await place.effects(place.isText ? withKnownVariables(command, place) : command, cwd);
  return effects && together(await Promise.all(effects.map((effect) => judgeEffect(effect, place))));
}

function together(all: readonly Findings[]): Findings {
  const has = (code: CodeRun): boolean => all.some((one) => one.code === code);
  return {
    code: has('workspace') ? 'workspace' : has('script') ? 'script' : 'none',
    takes: all.some(({ takes }) => takes),
    writes: all.some(({ writes }) => writes),
  };
}

async function judgeEffect(effect: CommandEffect, place: Place): Promise<Findings> {
  switch (effect.type) {
    case 'variables':
      return effect.names?.every((name) => isOfCommand(name, place)) === true ? nothing : codeOfWorkspace;
    case 'looks': {
      const { contents } = effect;
      return { ...nothing, takes: contents === null || contents.some((path) => isNear(path, place)) };
    }
    case 'writes':
      // A link in the workspace may lead anywhere.
      return effect.paths === null || effect.paths.some((path) => isIn(path, place))
        ? codeOfWorkspace
        : { ...nothing, writes: true };
    case 'program':
      return judgeProgram(effect, place);
  }
}

/** True for a variable that no program gets and no shell uses: the user chose its name. */
const isOfCommand = (name: string, { env }: Place): boolean =>
  /^[A-Za-z_]\w*$/.test(name) && env[name] === undefined && !isOfShell(name) && !isSteeringName(name);

async function judgeProgram(effect: ProgramEffect, place: Place): Promise<Findings> {
  const { words, folders, isOfProject } = effect;
  const program = words[0]?.value;
  if (program == null || isOfProject) return codeOfWorkspace;
  const script = scriptOf(effect, place);
  if (script === null) return codeOfWorkspace;
  if (script !== undefined) {
    const paths = await Promise.all(
      (folders ?? []).map((folder) =>
        judgeScript(pathOf(script, folder, place), folder, { ...effect, script }, place),
      ),
    );
    // A relative name may then mean anything.
    return folders === null || paths.length === 0 ? codeOfWorkspace : together(paths);
  }
  const call: PlainCall = { name: program, args: words.slice(1) };
  if (plainCall(call) || isMissing(call, place.env.PATH)) return nothing;
  if (place.isApart !== true || place.isLed) return codeOfWorkspace;
  if (folders === null || folders.some((folder) => isNear(folder, place))) return codeOfWorkspace;
  const takes = folders.some((folder) => words.some(({ value }) => mentions(value, folder, place)));
  return takes || reachesBy(words, folders, place) ? codeOfWorkspace : nothing;
}

/** True if links lead a program outside the workspace to code in it. */
function reachesBy(words: readonly Word[], folders: readonly string[], place: Place): boolean {
  const [program, ...args] = words.map(({ value }) => value ?? '');
  const named = folders.flatMap((folder) => args.map((arg) => resolve(folder, arg)));
  return loadsLinked({
    ...{ folders, env: place.env, home: place.home, isIn: (path) => isIn(path, place) },
    files: [program ?? '', ...named.filter((path) => statOf(path)?.isFile() === true)],
  });
}

type Word = ProgramEffect['words'][number];

/** Options of shells and interpreters that do not change what is loaded. */
const plainOption = /^(?:-[eux]+|-eu?o|pipefail|-[uBIEsSO]+|--)$/;

/**
 * The script that runs, by its own name or through a shell or interpreter; undefined for another program, null if what
 * runs is known only at run time.
 */
function scriptOf({ words }: ProgramEffect, place: Place): Word | undefined | null {
  const [program, ...args] = words;
  if (program?.value == null) return null;
  const name = programName(program.value);
  const isNamed = program.value.includes('/');
  const isElsewhere = isAbsolute(program.value) && !isIn(program.value, place);
  const reads = isPlainShell(name) || (isInterpreter(name) && name !== 'osascript');
  if (isNamed && !(isElsewhere && reads)) return program;
  if (!reads) return undefined;
  const script = args.find(({ value }) => value === null || !plainOption.test(value));
  if (script?.value == null || script.value.startsWith('-')) return isPlainShell(name) ? null : undefined;
  return script;
}

/** More than any handwritten script. */
const MAX_SCRIPT_BYTES = 200_000;
/** A script may run another one. */
const MAX_DEPTH = 2;

async function judgeScript(
  path: string,
  cwd: string,
  { words, kept, script }: ProgramEffect & { readonly script: Word },
  place: Place,
): Promise<Findings> {
  const [program] = words;
  const name = programName(program?.value);
  const isStarted = script === program;
  // An interpreter with its own folder also looks for modules around itself.
  const loaded = [{ value: path, source: '' }, ...words.slice(0, program?.value?.includes('/') ? 1 : 0)];
  const isOfWorkspace = isIn(path, place);
  // Only scripts that the settings name themselves are protected.
  const isKept = isOfWorkspace && place.isUntrusted !== true && place.depth === 0 && kept.includes(path);
  if (isOfWorkspace && !isKept) return codeOfWorkspace;
  const text = readFileNow(path, MAX_SCRIPT_BYTES)?.toString('utf8');
  const shell = isStarted ? shellOf(text) : isPlainShell(name) ? name : undefined;
  const unread: Findings = { ...nothing, code: 'script' };
  if (text === undefined || shell === undefined) {
    // Other scripts load modules from the folders around them.
    if (isKept) return keptFolder.test(path) ? unread : codeOfWorkspace;
    const isApart =
      place.isApart === true &&
      !place.isLed &&
      !isNear(cwd, place) &&
      !words.some(({ value }) => mentions(value, cwd, place)) &&
      !reachesBy([...loaded, ...words.slice(1)], [cwd], place);
    return isApart && shell === undefined ? nothing : codeOfWorkspace;
  }
  if (place.depth >= MAX_DEPTH) return codeOfWorkspace;
  // The PATH may find another shell of that name.
  const isSystems = await place.effects(`${shell} -c :`, cwd);
  if (isSystems?.every(({ type }) => type === 'looks') !== true) return codeOfWorkspace;
  const found = await judge(text, cwd, { ...place, depth: place.depth + 1, isText: true });
  if (found === undefined) return isKept ? unread : codeOfWorkspace;
  return isKept && found.code === 'none' ? { ...found, code: 'script' } : found;
}

/** Folders in which no file changes without approval, so a script there can safely import from them. */
const keptFolder = /\/\.(?:claude|clawdcode)\//;

/** The shell in the first line of a script; undefined for another program. */
const shellOf = (text: string | undefined): string | undefined =>
  /^#![ \t]*(?:\/usr|\/usr\/local|\/opt\/homebrew)?\/bin\/(?:env[ \t]+)?((?:ba|da|z|k)?sh)(?:[ \t]+-[eux]+)?[ \t]*\n/.exec(
    text ?? '',
  )?.[1];

function pathOf({ value, source }: Word, folder: string, { home }: Place): string {
  const path = value ?? '';
  // In quotes, `~` is a file name.
  return /^~\//.test(source) ? join(home, path.slice(1)) : resolve(folder, path);
}

/** True if a word may lead to the workspace. */
function mentions(value: string | null, folder: string, place: Place): boolean {
  if (value === null) return true;
  if ([place.root, ...place.workspace].some((path) => value.includes(path))) return true;
  const parts = [value, value.replace(/^-[^=]*=/, ''), value.replace(/^-\w/, '')];
  return parts.some((part) => part !== '' && isIn(isAbsolute(part) ? part : resolve(folder, part), place));
}

/** Paths whose meaning depends on the process: `/proc/self/cwd`, `/dev/fd/3`. */
const ofProcess = /^\/(?:proc|dev)(?:\/|$)/;

function isIn(path: string, { workspace, root }: Place): boolean {
  if (ofProcess.test(path)) return true;
  const real = realpath(path);
  return [root, ...workspace].some((folder) => isInside(path, folder) || isInside(real, folder));
}

/** True for what is in the workspace, or around it. */
const isNear = (path: string, place: Place): boolean =>
  isIn(path, place) || place.workspace.some((folder) => isInside(folder, realpath(path)));

/** Fills in the usual variables: https://docs.anthropic.com/en/docs/claude-code/hooks. Others stay unknown. */
function withKnownVariables(text: string, { root, home }: Place): string {
  return text.replace(
    /(?<!\\)\$(?:\{(HOME|(?:CLAUDE|CLAWDCODE)_PROJECT_DIR)\}|(HOME|(?:CLAUDE|CLAWDCODE)_PROJECT_DIR)(?!\w))/g,
    (all, inBraces?: string, bare?: string) => {
      const path = (inBraces ?? bare) === 'HOME' ? home : root;
      return /^[\w./@+-]+$/.test(path) ? path : all;
    },
  );
}

// Finds workspace code that a program elsewhere loads through links: those of `npm link` and `pip install -e`, and
// those next to a script. Reads folders and starts nothing.

interface LinkedCode {
  /** The folders that the program starts in. */
  readonly folders: readonly string[];
  /** The program and the files among its words, as far as known: names to look up in the PATH, and absolute paths. */
  readonly files: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** True for a path that leads to the workspace. */
  readonly isIn: (path: string) => boolean;
}

/** True if a program may load workspace code from its folders, or from those in which it looks for modules. */
function loadsLinked({ folders, files, env, home, isIn }: LinkedCode): boolean {
  const paths = files.flatMap((file) => (isAbsolute(file) ? file : (foundIn(env.PATH, file) ?? [])));
  if (paths.some(isIn)) return true;
  const around = [...folders, ...paths.flatMap((path) => [dirname(path), dirname(realpath(path))])];
  const searched = searchPaths.flatMap((name) => env[name]?.split(delimiter) ?? []).filter(isAbsolute);
  const modules = [...around.flatMap(upwards), join(home, '.local')].flatMap(moduleFolders);
  return [...new Set([...around, ...searched, ...modules])].some((folder) => linksInside(folder, isIn));
}

/**
 * Variables that name module folders. The folders themselves are checked elsewhere (`ledPrograms`); here only links.
 */
const searchPaths = ['NODE_PATH', 'PYTHONPATH', 'PERL5LIB', 'RUBYLIB'];

function foundIn(path = '', name: string): string | undefined {
  return path
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, name))
    .find((file) => statOf(file)?.isFile() === true);
}

function upwards(folder: string): readonly string[] {
  return folder === dirname(folder) ? [folder] : [folder, ...upwards(dirname(folder))];
}

/** https://nodejs.org/api/modules.html, https://docs.python.org/3/library/site.html, and the global folder of npm. */
function moduleFolders(folder: string): readonly string[] {
  const node = [join(folder, 'node_modules'), join(folder, 'lib/node_modules')];
  const scopes = node.flatMap((modules) =>
    entriesOf(modules).flatMap(({ name }) => (name.startsWith('@') ? join(modules, name) : [])),
  );
  const pythons = entriesOf(join(folder, 'lib')).filter(({ name }) => /^python\d/.test(name));
  const packages = pythons.flatMap(({ name }) =>
    ['site-packages', 'dist-packages'].map((last) => join(folder, 'lib', name, last)),
  );
  return [...node, ...scopes, ...packages];
}

/** Files that list more folders: https://docs.python.org/3/library/site.html and setuptools. */
const pathFiles = /\.(?:pth|egg-link)$|^__editable__.*\.py$/;
const MAX_BYTES = 100_000;

function linksInside(folder: string, isIn: LinkedCode['isIn']): boolean {
  return entriesOf(folder).some((entry) => {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink()) return isIn(path);
    if (!pathFiles.test(entry.name)) return false;
    const text = readFileNow(path, MAX_BYTES)?.toString('utf8') ?? '';
    return text.split(/[\n'"]/).some((part) => isAbsolute(part.trim()) && isIn(part.trim()));
  });
}
