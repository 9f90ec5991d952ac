/**
 * Finds the commands that the project's files define for a task named in a call: scripts in `package.json`, recipes in
 * a Makefile or a justfile. For deny and ask rules; knows only the usual forms and errs on the side of too few. Pure,
 * apart from reading these files.
 */
import { dirname } from 'node:path';
import { isRecord } from '../../protocol/json.ts';
import { locate } from '../files/locate.ts';
import { programName } from '../options/programTable.ts';
import type { Policy } from '../policy.ts';
import type { CommandPart } from '../shell/parsedCommand.ts';
import { callsIn } from './forbidden/equivalentCalls.ts';

/** Commands that a task runs, each of them a script for a shell. */
interface Task {
  readonly scripts: readonly string[];
  /** Absolute: where they run, and the file that holds them. */
  readonly directory: string;
  readonly file: string;
}

interface Call {
  readonly args: readonly string[];
  readonly directory: string;
  readonly policy: Policy;
}

/** The tasks of the project that a part of a command starts. */
export function projectTasks(part: CommandPart, directory: string, policy: Policy): readonly Task[] {
  return callsIn(part).flatMap(({ argv }) => {
    const name = programName(argv[0]);
    const args = argv.slice(1).filter((word) => word !== null);
    const call = { args, directory, policy };
    if (/^g?make$/.test(name)) return tasksOf(call, makefile);
    if (name === 'just') return tasksOf(call, justfile);
    if (/^(?:npm|pnpm|yarn|bun|node|run-[sp]|npm-run-all|deno|composer)$/.test(name))
      return packageScripts(name, call);
    return [];
  });
}

/** A program with recipes for targets. */
interface Format {
  readonly names: readonly string[];
  readonly file: RegExp;
  readonly folder: RegExp;
  /** More options with a value. */
  readonly valued: RegExp;
  readonly read: (text: string) => Recipes;
}

interface Recipe {
  readonly scripts: readonly string[];
  /** Targets that also run. */
  readonly needs: readonly string[];
}

/** By target, the default one first. */
type Recipes = ReadonlyMap<string, Recipe>;

function tasksOf({ args, directory, policy }: Call, format: Format): readonly Task[] {
  const optionOf = (option: RegExp): string | undefined => {
    const at = args.findIndex((word) => option.test(word));
    const glued = /^(?:-[A-Za-z]|--[\w-]+=)(.+)$/s.exec(args[at] ?? '')?.[1];
    return at === -1 ? undefined : (glued ?? args[at + 1]);
  };
  const own = optionOf(format.folder);
  const folder = own === undefined ? directory : locate(own, directory, policy);
  const named = optionOf(format.file);
  const file = named === undefined ? policy.findUpwards(folder, format.names) : locate(named, folder, policy);
  const text = file === undefined ? undefined : policy.readText(file);
  if (file === undefined || text === undefined) return [];
  const isValue = (at: number): boolean =>
    [format.file, format.folder, format.valued].some((option) => option.test(args[at - 1] ?? '')) &&
    /^-\w$|^--[\w-]+$/.test(args[at - 1] ?? '');
  const targets = args.filter((word, at) => !/^-|=/.test(word) && !isValue(at));
  const recipes = format.read(text);
  const [first] = recipes.keys();
  const done = new Set<string>();
  const scriptsOf = (target: string): readonly string[] => {
    const recipe = recipes.get(target);
    if (recipe === undefined || done.has(target)) return [];
    done.add(target);
    return [...recipe.needs.flatMap(scriptsOf), ...recipe.scripts];
  };
  const scripts = (targets.length > 0 ? targets : [first ?? '']).flatMap(scriptsOf);
  return [{ scripts, directory: named === undefined ? dirname(file) : folder, file }];
}

const makefile: Format = {
  names: ['GNUmakefile', 'makefile', 'Makefile'],
  file: /^(?:-f|--file(?:=|$)|--makefile(?:=|$))/,
  folder: /^(?:-C|--directory(?:=|$))/,
  valued: /^(?:-[IWo]|--(?:include-dir|old-file|what-if))$/,
  read: readMakefile,
};

const justfile: Format = {
  names: ['justfile', 'Justfile', '.justfile', 'JUSTFILE'],
  file: /^(?:-f|--justfile(?:=|$))/,
  folder: /^(?:-d|--working-directory(?:=|$))/,
  valued: /^--(?:set|shell|shell-arg|color|dotenv-path)$/,
  read: readJustfile,
};

/** Nesting of variables, and of tasks that run others. */
const MAX_DEPTH = 5;

/** https://www.gnu.org/software/make/manual/html_node/Rules.html: without patterns, conditionals and included files. */
function readMakefile(text: string): Recipes {
  const recipes = new Map<string, Recipe>();
  const variables = new Map([['MAKE', 'make']]);
  const lines = text.replace(/\\\n[ \t]*/g, ' ').split('\n');
  for (const line of lines) {
    const [, name, value = ''] =
      /^(?:export[ \t]+)?([\w.-]+)[ \t]*(?::{1,3}|[?+!])?=[ \t]*(.*)$/.exec(line) ?? [];
    if (name !== undefined) variables.set(name, value);
  }
  const expanded = (written: string): string => {
    let value = written;
    for (let depth = 0; depth < MAX_DEPTH; depth++)
      value = value.replace(
        /\$(?:\(([\w.-]+)\)|\{([\w.-]+)\})/g,
        (found, round, curly) => variables.get(round ?? curly) ?? found,
      );
    return value.replaceAll('$$', '$');
  };
  let open: readonly string[] = [];
  const add = (target: string, needs: readonly string[], scripts: readonly string[]): void => {
    const known = recipes.get(target) ?? { scripts: [], needs: [] };
    recipes.set(target, { scripts: [...known.scripts, ...scripts], needs: [...known.needs, ...needs] });
  };
  for (const line of lines) {
    if (line.startsWith('\t')) {
      for (const target of open) add(target, [], [expanded(line.trim().replace(/^[@+-]+[ \t]*/, ''))]);
      continue;
    }
    const [, targets, needs = '', script] =
      /^([^\s:=#][^:=#]*):(?![:=]*=)([^;=]*)(?:;(.*))?$/.exec(line) ?? [];
    if (targets === undefined) {
      if (line.trim() !== '' && !/^\s*(?:#|ifn?(?:def|eq)|else|endif)/.test(line)) open = [];
      continue;
    }
    const all = expanded(targets).split(/\s+/).filter(Boolean);
    open = all.filter((target) => !target.startsWith('.'));
    for (const target of open)
      add(
        target,
        expanded(needs)
          .split(/[\s|]+/)
          .filter(Boolean),
        script === undefined ? [] : [expanded(script)],
      );
  }
  return recipes;
}

/** https://just.systems/man: recipes, their dependencies and aliases. */
function readJustfile(text: string): Recipes {
  const recipes = new Map<string, Recipe>();
  let open: string[] | undefined;
  for (const line of text.replace(/\\\n[ \t]*/g, ' ').split('\n')) {
    if (/^[ \t]/.test(line)) {
      open?.push(line.trim().replace(/^[@-]+/, ''));
      continue;
    }
    const [, alias, target = ''] = /^alias\s+([\w-]+)\s*:=\s*([\w-]+)/.exec(line) ?? [];
    if (alias !== undefined) recipes.set(alias, { scripts: [], needs: [target] });
    const [, name, needs = ''] = /^@?([A-Za-z_][\w-]*)(?:\s[^:]*)?:(?!=)(.*)$/.exec(line) ?? [];
    if (name === undefined) continue;
    open = [];
    recipes.set(name, { scripts: open, needs: needs.split(/[\s()&]+/).filter(Boolean) });
  }
  return recipes;
}

/** Commands of package managers that run scripts of other names as well. Source: docs.npmjs.com, "scripts". */
const lifecycle: Readonly<Record<string, readonly string[]>> = {
  install: ['install', 'prepare'],
  ci: ['install', 'prepare'],
  publish: ['prepublishOnly', 'pack', 'prepare', 'publish'],
  pack: ['pack', 'prepare'],
  restart: ['stop', 'restart', 'start'],
};
const shortNames: Readonly<Record<string, string>> = { t: 'test', tst: 'test', i: 'install', add: 'install' };

function packageScripts(program: string, { args, directory, policy }: Call): readonly Task[] {
  const folderAt = args.findIndex((word) => /^(?:--prefix|-C|--dir|--cwd)$/.test(word));
  const glued = args.flatMap((word) => /^--(?:prefix|dir|cwd)=(.+)$/s.exec(word)?.[1] ?? []);
  const folder = glued[0] ?? (folderAt === -1 ? undefined : args[folderAt + 1]);
  const from = folder === undefined ? directory : locate(folder, directory, policy);
  const names =
    program === 'deno'
      ? ['deno.json', 'deno.jsonc']
      : [program === 'composer' ? 'composer.json' : 'package.json'];
  const file = policy.findUpwards(from, names);
  const scripts = file === undefined ? undefined : scriptsIn(policy.readText(file) ?? '');
  if (file === undefined || scripts === undefined) return [];
  const words = args.filter(
    (word, at) => !word.startsWith('-') && at !== folderAt + (folderAt === -1 ? 0 : 1),
  );
  const wanted = namesOf(program, args, words);
  const found = wanted
    .flatMap((name) => [`pre${name}`, name, `post${name}`])
    .flatMap((name) => scripts.get(name) ?? []);
  return found.length === 0 ? [] : [{ scripts: found, directory: dirname(file), file }];
}

/** The names of the scripts that a call runs. */
function namesOf(program: string, args: readonly string[], words: readonly string[]): readonly string[] {
  if (program === 'node')
    return args.flatMap((word, at) =>
      args[at - 1] === '--run' ? [word] : (/^--run=(.+)$/.exec(word)?.slice(1) ?? []),
    );
  if (/^(?:run-[sp]|npm-run-all)$/.test(program)) return words;
  const [first = '', second] = words;
  if (/^(?:run|run-script|rum|urn|task|workspace)$/.test(first))
    return second === undefined ? [] : words.slice(1, 3);
  const name = shortNames[first] ?? first;
  if (program !== 'npm') return [...(lifecycle[name] ?? []), name];
  return lifecycle[name] ?? (/^(?:test|start|stop|version)$/.test(name) ? [name] : []);
}

/** The scripts of a `package.json`, `composer.json` or `deno.json`. */
function scriptsIn(text: string): ReadonlyMap<string, readonly string[]> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\s*\/\/.*$/gm, ''));
  } catch {
    return undefined;
  }
  const scripts = new Map<string, readonly string[]>();
  const { scripts: own = {}, tasks = {} } = (value ?? {}) as Record<string, unknown>;
  for (const [name, script] of [own, tasks].flatMap((table) => Object.entries(table ?? {}))) {
    const command: unknown = isRecord(script) ? script.command : script;
    const all: readonly unknown[] = Array.isArray(command) ? command : [command];
    scripts.set(
      name,
      all.filter((one) => typeof one === 'string').map((one) => one.replace(/^@(?=\w)/, '')),
    );
  }
  return scripts;
}
