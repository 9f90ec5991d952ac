/**
 * Recognizes commands that work only on the project: builds, tests, formatters, local commits, ordinary files. In the
 * mode `auto` a judge may approve only these; everything not listed here, down to the options, is left to the user.
 * Commands that use the network, install, publish, kill processes or run text as code are not listed.
 */
import { dirname } from 'node:path';
import type { AskCause } from '../../protocol/permissions.ts';
import { decideFile, inWorkspace, protectionOf } from '../files/fileDecision.ts';
import { contains } from '../files/filePattern.ts';
import { hasGlob } from '../files/globOverlap.ts';
import { locate } from '../files/locate.ts';
import { type OptionList, type ReadOptions, readOptions } from '../options/readOptions.ts';
import { type RiskyWord, toolAt } from '../options/riskyOptions.ts';
import { isTracked, type Policy, workspaceFolders } from '../policy.ts';
import { hasSafeEnvironment } from '../rules/commandRule.ts';
import { unchanged } from '../rules/gitChanges.ts';
import { reachedByGit } from '../rules/gitScope.ts';
import { harmfulWords, type ScopeInput } from '../rules/ruleScope.ts';
import type { Visit } from '../shell/workingDirectory.ts';
import { expandedSecret } from './expandedSecrets.ts';
import { buildOutput, editedPaths } from './plainEdits.ts';
import { pathsIn } from './words.ts';

/** The cause for approving such a command; undefined for any other command. */
export function localWork({ visit, policy, isFirst }: ScopeInput): AskCause | undefined {
  const { part, directories } = visit;
  if (part.carrier || part.variables || !hasSafeEnvironment(part)) return undefined;
  // Words that dash and bash interpret differently, or that the shell expands.
  if (part.fullRaw.some((raw) => raw.includes("$'") || /^[*?[=]/.test(raw))) return undefined;
  const words = part.argv.filter((word) => word !== null);
  if (words.length < part.argv.length || directories === null) return undefined;
  if (!directories.every((directory) => isOwnCode(policy.realpath(directory), policy))) return undefined;
  const [name = '', ...args] = words;
  const isKnown =
    worksOnFiles(visit, name, args, policy) || worksOnProject(visit, name, args, policy, isFirst);
  if (!isKnown || !staysInside(visit, policy) || expandedSecret(visit, policy) !== undefined)
    return undefined;
  const installed = installedBy(name, args, directories ?? [], policy);
  if (installed !== undefined)
    return { type: 'limit', reason: `${name} would install ${installed}, which the project does not have.` };
  return { type: 'command', text: part.text };
}

/** The package that `npx tsc` would install because it is missing; undefined if it only runs something. */
function installedBy(
  name: string,
  args: readonly string[],
  directories: readonly string[],
  policy: Policy,
): string | undefined {
  if (!/^(?:npx|bunx)$/.test(name)) return undefined;
  const tool = args.find((word) => !word.startsWith('-')) ?? '';
  if (/^--no(?:-install)?$/.test(args[0] ?? '')) return undefined;
  const isThere = (directory: string): boolean =>
    policy.findUpwards(directory, [`node_modules/.bin/${tool}`]) !== undefined;
  return directories.length > 0 && directories.every(isThere) ? undefined : tool;
}

/** True in the workspace, except in installed packages, whose scripts are not the project's. */
const isOwnCode = (realPath: string, policy: Policy): boolean =>
  inWorkspace(realPath, policy) && !/\/(?:node_modules|vendor|site-packages)(?:\/|$)/.test(realPath);

/** True if no word names, or could name, anything protected or outside the workspace. */
function staysInside({ part, directories }: Visit, policy: Policy): boolean {
  const isInside = (path: string): boolean => {
    const real = policy.realpath(path);
    const isProtected = [path, real].some((one) => protectionOf(one, policy) !== undefined);
    return inWorkspace(real, policy) && !isProtected && policy.executedFiles?.includes(real) !== true;
  };
  return (directories ?? []).every((directory) =>
    part.argv.slice(1).every((word, index) =>
      pathsIn(word, part.raw[index + 1] ?? '').every((candidate) => {
        const path = locate(candidate, directory, policy);
        const files = hasGlob(candidate) ? policy.expandGlob(path) : [];
        return files?.every(isInside) === true && isInside(path);
      }),
    ),
  );
}

/**
 * Options that make a tool listen, download, send results to a service, or run their value as code; and arguments from
 * a file (`@args`), whose content is unknown.
 */
const reaching =
  /^@|^--?(?:host|ui|api|open|inspect|node-opt|node-arg|install|init|registry|exec|eval|print|script-shell|shell|userconfig|globalconfig|rcfile|require|import|loader|config-env|proxy|pastebin|python-exec|server|drb|browser|load-plugins|plugins?(?:=|$)|Xswiftc|Xlinker|Xcc)/i;

/** Subcommands and targets that start servers, download, or write outside of the project. */
const farther =
  /^(?:start|stop|serve|server|lsp|lsp-proxy|daemon|upgrade|update|self|install(?:\/.*)?|uninstall|migrate|publish|deploy|login|diagnose|custom|run-server)$/;

/** Tools that run any command that follows. */
const wrappingTools = new Set(['c8', 'nyc']);

/** Tools with subcommands; arguments of the others are files or test filters. */
const withSubcommands = new Set(['biome', 'ruff', 'phpstan', 'golangci-lint', 'ninja']);

/** Linters, formatters, compilers and test runners: at most they run the project's own code. */
const devTools = new Set(
  (
    'tsc eslint prettier biome stylelint vitest jest mocha ava pytest mypy ruff black isort flake8 pylint ' +
    'pyright rspec rubocop phpunit phpstan golangci-lint gofmt rustfmt clang-format shellcheck shfmt ctest ninja'
  ).split(' '),
);

function worksOnProject(
  visit: Visit,
  name: string,
  args: readonly string[],
  policy: Policy,
  isFirst: boolean,
): boolean {
  if (name === 'git') return isLocalGit(visit, args, policy, isFirst);
  if (args.some((word) => reaching.test(word))) return false;
  // Words that name something to run or write, or are unknown: a rule with a wildcard does not cover them either.
  const tool = toolAt(visit.part.argv);
  const isHarmful = ({ at, risk }: RiskyWord): boolean => risk !== 'elsewhere' && at >= tool;
  if (harmfulWords(visit, policy).some(isHarmful)) return false;
  if (devTools.has(name) || wrappingTools.has(name)) return ofTool([name, ...args]);
  return Object.hasOwn(runners, name) && runners[name]?.(args) === true;
}

type Check = (args: readonly string[]) => boolean;

const oneOf =
  (subcommands: string, bad?: RegExp): Check =>
  ([first = '', ...rest]) =>
    subcommands.split(' ').includes(first) && !(bad && rest.some((word) => bad.test(word)));

/** True for a script of the project, unless its name suggests that it affects more than the project. */
const isScript = (name: string): boolean =>
  /^[A-Za-z][\w:-]*$/.test(name) &&
  !/(?:^|[^a-z])(?:pre|post)?(?:deploy|publish|release|upload|push|ship|prod|production|destroy|drop|purge|wipe|nuke|reset|migrate|migration|migrations|seed|rollback|install|uninstall|login|eject|start|serve|prune)(?:$|[^a-z])/i.test(
    name,
  );

const ofScripts: Check = (args) => {
  const end = args.indexOf('--');
  const own = end === -1 ? args : args.slice(0, end);
  const words = own.filter((word) => !word.startsWith('-'));
  const options = own.filter((word) => word.startsWith('-'));
  if (!options.every((word) => /^(?:-s|--silent|--if-present|-r|--recursive|--workspaces|-ws)$/.test(word)))
    return false;
  const [first = '', script = ''] = words;
  if (/^(?:test|t)$/.test(first)) return true;
  return /^(?:run|run-script)$/.test(first)
    ? isScript(script)
    : /^(?:build|lint|format|typecheck|check)$/.test(first);
};

/** `npx tsc`: a known tool by its plain name, so that nothing unknown is downloaded. See also `installedBy`. */
const ofTool: Check = ([first = '', ...rest]) => {
  if (/^--no(?:-install)?$/.test(first)) return ofTool(rest);
  if (wrappingTools.has(first)) return ofWrapped(rest);
  return devTools.has(first) && !(withSubcommands.has(first) && rest.some((word) => farther.test(word)));
};

/** `c8 --reporter=text vitest run`: the wrapped command must itself be such a tool or a script of the project. */
const ofWrapped: Check = (args) => {
  const start = args.findIndex((word) => !word.startsWith('-'));
  const [name = '', ...rest] = args.slice(Math.max(0, start));
  const runner = Object.hasOwn(runners, name) ? runners[name] : undefined;
  return start !== -1 && (runner === undefined ? ofTool([name, ...rest]) : runner(rest));
};

const ofModules: Check = ([flag, module = '']) =>
  flag === '-m' && /^(?:pytest|unittest|mypy|ruff|black|isort|flake8|pylint|py_compile)$/.test(module);

const ofTargets: Check = (args) =>
  args.every((word) => /^-(?:j\d*|k|s|B|n)$/.test(word) || /^\d+$/.test(word) || isScript(word));

const runners: Readonly<Record<string, Check>> = {
  npm: (args) => ofScripts(args) && !/^(?:build|lint|format|typecheck|check)$/.test(args[0] ?? ''),
  pnpm: (args) => (args[0] === 'exec' ? ofTool(args.slice(1)) : ofScripts(args)),
  yarn: (args) => (args[0] === 'exec' ? ofTool(args.slice(1)) : ofScripts(args)),
  bun: ofScripts,
  npx: ofTool,
  bunx: ofTool,
  node: ([first = '', ...rest]) =>
    /^--(?:test|check)$/.test(first) &&
    rest.every((word) => !word.startsWith('-') || word.startsWith('--test-')),
  python: ofModules,
  python3: ofModules,
  make: ofTargets,
  cargo: oneOf('build check test clippy fmt bench doc', /^(?:\+|--config|-Z|--git|--fix)/),
  go: oneOf('build test vet fmt', /^--?(?:exec|toolexec|overlay|modfile|vettool|ldflags|gcflags|asmflags)/),
  dotnet: oneOf('build test format', /^[-/]{1,2}(?:t|target|p|property|logger)[:=]/i),
  swift: oneOf('build test'),
  mix: oneOf('test compile format'),
  deno: oneOf('test lint fmt check', /^(?:-A|--allow)/),
  dart: oneOf('test analyze format'),
  flutter: oneOf('test analyze'),
  zig: oneOf('build test fmt', farther),
  mvn: (args) =>
    args.length > 0 && args.every((word) => /^(?:compile|test|verify|package|-q|-o|-B)$/.test(word)),
  bundle: ([first, ...rest]) => first === 'exec' && ofTool(rest),
  cmake: oneOf('--build', farther),
};

/** Subcommands that change only this repository, in ways that git can undo. */
const gitCommands: Readonly<Record<string, OptionList & { readonly fits?: (read: ReadOptions) => boolean }>> =
  {
    add: { flags: 'Auvn', long: ['--all', '--update', '--verbose', '--dry-run', '--intent-to-add'] },
    commit: {
      flags: 'aqsv',
      values: 'm',
      long: ['--all', '--no-edit', '--quiet', '--signoff', '--allow-empty', '--verbose'],
      longValues: ['--message'],
    },
    stash: {
      flags: 'uk',
      values: 'm',
      long: ['--include-untracked', '--keep-index'],
      longValues: ['--message'],
      fits: ({ operands: [first = 'push'] }) => /^(?:push|pop|apply|list|show)$/.test(first ?? ''),
    },
    switch: { values: 'c', longValues: ['--create'] },
    checkout: { values: 'b', fits: ({ options }) => options.length === 1 },
    branch: { fits: ({ operands }) => operands.length > 0 },
    mv: { flags: 'kvn' },
    restore: { flags: 'S', long: ['--staged'], fits: ({ options }) => options.length > 0 },
  };

function isLocalGit(
  { part, directories, moved }: Visit,
  [name = '', ...rest]: readonly string[],
  policy: Policy,
  isFirst: boolean,
): boolean {
  const list = Object.hasOwn(gitCommands, name) ? gitCommands[name] : undefined;
  const read = list && readOptions(rest, list);
  if (list === undefined || read === undefined || list.fits?.(read) === false) return false;
  // A directory may contain a repository whose settings name programs that git runs.
  if (moved || directories?.some(policy.gitRunsPrograms) !== false) return false;
  return directories.every((directory) =>
    reachedByGit(
      { part, use: undefined, directory, isSpelled: () => false, isFirst, change: unchanged },
      policy,
    ).every(({ behavior }) => behavior === 'allow'),
  );
}

/** `mkdir`, `touch`, `cp`, `mv`, `rm` and `chmod` of files that could also be edited. */
function worksOnFiles(visit: Visit, name: string, args: readonly string[], policy: Policy): boolean {
  const targets = fileTargets(visit, name, args, policy);
  if (targets === undefined || targets.length === 0 || targets.some(hasGlob)) return false;
  return (visit.directories ?? []).every((directory) =>
    targets.every((word) => {
      const path = locate(word, directory, policy);
      const isFolder = policy.isDirectory(path);
      // Moving a folder would also move contents that have not been checked.
      const movesFolder = name === 'mv' && isFolder && word !== args.at(-1);
      const removesSource = name === 'rm' && isFolder && isTracked(policy.realpath(path), policy);
      return isOrdinary(path, directory, policy) && !movesFolder && !removesSource;
    }),
  );
}

function fileTargets(
  { part }: Visit,
  name: string,
  args: readonly string[],
  policy: Policy,
): readonly string[] | undefined {
  const known = ({ operands }: ReadOptions): readonly string[] => operands.filter((word) => word !== null);
  if (name === 'rm') {
    const read = readOptions(args, { flags: 'rRfvd', long: ['--recursive', '--force', '--verbose'] });
    if (read === undefined) return undefined;
    const isRecursive = read.options.some((option) => /^(?:-[rR]|--recursive)$/.test(option.name));
    return isRecursive && !known(read).every((word) => buildOutput.test(word)) ? undefined : known(read);
  }
  if (name === 'chmod') {
    const [mode = '', ...files] = args;
    return /^(?:[ugoa]*\+x|0?(?:644|755))$/.test(mode) && !files.some((word) => word.startsWith('-'))
      ? files
      : undefined;
  }
  // A recursive copy may create files that are protected at their new place.
  const copiesFolders =
    name === 'cp' && args.some((word) => /^(?:-[a-z]*[aRr]|--(?:recursive|archive))/.test(word));
  return copiesFolders ? undefined : editedPaths(part, policy);
}

/**
 * True if editing the path would need approval only because of the mode, and it is not a folder that contains the
 * entire workspace.
 */
function isOrdinary(path: string, directory: string, policy: Policy): boolean {
  const { behavior, cause, realPath } = decideFile({ tool: 'Edit', verb: 'write', path }, policy, true);
  const holdsAll = [directory, ...workspaceFolders(policy)].some((place) =>
    contains(realPath, policy.realpath(place)),
  );
  const isMode = behavior === 'ask' && cause === 'mode';
  return (behavior === 'allow' || isMode) && !holdsAll && dirname(realPath) !== realPath;
}
