/**
 * Splits a command line into steps that each run in a separate sandbox: `npm test && git commit` tests with read-only
 * git folders, then commits; `pnpm install && pnpm test` installs, then tests with read-only dependencies.
 */
import type { CommandStep } from '../../protocol/sandbox.ts';
import type { Policy } from '../policy.ts';
import type { CommandPart, ParsedCommand } from '../shell/parsedCommand.ts';
import { everyDirectory, track } from '../shell/workingDirectory.ts';
import { gitUseOf } from './git/gitUse.ts';
import { installUseOf } from './installUse.ts';

/**
 * Returns one step if no part of the line changes git folders or installs packages, if all parts may, or if separate
 * shells might behave differently from one. Pure, except for the lookups of the policy.
 */
export function commandStepsOf(command: string, cwd: string, policy: Policy): readonly CommandStep[] {
  const parsed = policy.parseCommand(command);
  const whole = [{ command, isConditional: false }];
  if (!isSeparable(parsed, command) || rightsNeeded(parsed, cwd, policy) !== 'several') return whole;
  const rightsOf = (text: string) => rightsNeeded(policy.parseCommand(text), cwd, policy);
  const steps: CommandStep[] = [];
  for (const { text, isConditional } of parsed.statements) {
    const last = steps.at(-1);
    // `a && b; c`: c also runs if b does not.
    const joined =
      last !== undefined && (isConditional || !last.isConditional)
        ? `${last.command}${isConditional ? ' && ' : '; '}${text}`
        : undefined;
    if (joined !== undefined && rightsOf(joined) !== 'several')
      steps.splice(-1, 1, { command: joined, isConditional: last?.isConditional === true });
    else steps.push({ command: text, isConditional });
  }
  return (
    (steps.some(({ command: text }) => rightsOf(text) === 'own') && withFolders(steps, cwd, policy)) || whole
  );
}

/** Adds the folders that `cd` may lead to; undefined if they are not known. */
function withFolders(
  steps: readonly CommandStep[],
  cwd: string,
  policy: Policy,
): readonly CommandStep[] | undefined {
  const all = new Set([cwd]);
  let endsIn: readonly string[] = [cwd];
  const found: CommandStep[] = [];
  for (const step of steps) {
    const parsed = policy.parseCommand(step.command);
    if (!parsed.ok) return undefined;
    // Others also run after a step that failed or was skipped.
    const starts = step.isConditional ? endsIn : [...all];
    const reached = starts.map((start) => everyDirectory(track(parsed.parts, start, policy), start));
    if (reached.includes(null)) return undefined;
    endsIn = [...new Set(reached.flatMap((folders) => folders ?? []))];
    for (const folder of endsIn) all.add(folder);
    found.push({ ...step, endsIn });
  }
  return found;
}

/** `own`: to change git folders or dependencies; `several`: one part of the command does so, and another may not. */
function rightsNeeded(parsed: ParsedCommand, cwd: string, policy: Policy): 'usual' | 'own' | 'several' {
  const git = gitUseOf(parsed, cwd, policy);
  const install = installUseOf(parsed, cwd, policy);
  if (git.type === 'mixed' || install === 'mixed') return 'several';
  return git.type === 'only' || install === 'only' ? 'own' : 'usual';
}

type Separable = Extract<ParsedCommand, { ok: true }> &
  Required<Pick<Extract<ParsedCommand, { ok: true }>, 'statements'>>;

/** Each is parsed several times. */
const MAX_STATEMENTS = 50;

/** True if no statement changes the state of the shell, except for its folder, or depends on another's. */
function isSeparable(parsed: ParsedCommand, command: string): parsed is Separable {
  return (
    parsed.ok &&
    parsed.statements !== undefined &&
    parsed.statements.length > 1 &&
    parsed.statements.length <= MAX_STATEMENTS &&
    !dependsOnShell.test(command) &&
    parsed.parts.every(keepsShell)
  );
}

function keepsShell({ argv, full }: CommandPart): boolean {
  const [name] = argv;
  if (name == null || full.includes('eval')) return false;
  if (name === 'cd') return !argv.includes('-');
  return !changingBuiltins.has(name) && (name !== 'printf' || !argv.some((word) => word?.startsWith('-v')));
}

/** Parameters that other statements of the same shell set, and expansions that assign. */
const dependsOnShell = /\$\{?[?!_$-]|\$\{[^}]*=|\(\(|\$\[|PIPESTATUS|OLDPWD|BASH_|DIRSTACK|~[-+]/;

/** Builtins of bash, dash and zsh that change the state of the shell, or that depend on it. */
const changingBuiltins = new Set(
  `. alias autoload bg bind builtin chdir declare dirs disown emulate enable eval exec exit export fc fg float functions
getopts hash history integer jobs let limit local logout mapfile popd pushd read readarray readonly rehash return
sched set setopt shift shopt source suspend times trap typeset ulimit umask unalias unfunction unhash unlimit unset
unsetopt vared wait whence zmodload zparseopts zstyle`.split(/\s/),
);
