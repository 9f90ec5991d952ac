/**
 * Decides whether a command may write to dependencies that share their files with other projects (hard links): only if
 * it consists of package manager installs, which replace files, and of programs that write nothing. Errs on the side of
 * no.
 */
import type { Policy } from '../policy.ts';
import { hasSafeEnvironment } from '../rules/commandRule.ts';
import type { ParsedCommand } from '../shell/parsedCommand.ts';
import { track, type Visit } from '../shell/workingDirectory.ts';
import { isOrdinaryFile, isOutput, isSameName, partUse } from './git/gitUse.ts';
import { comesFromProject, underItsName } from './programOrigin.ts';

/** Pure, except for the lookups of the policy. */
export function installsOnly(parsed: ParsedCommand, cwd: string, policy: Policy): boolean {
  const use = installUseOf(parsed, cwd, policy);
  return use === 'only' || use === 'harmless';
}

/**
 * `only`: it installs, and the rest of it writes no dependencies; `mixed`: the rest may. `harmless`: it does not install,
 * and writes none; `other`: it may. Pure, except for the lookups of the policy.
 */
export function installUseOf(
  parsed: ParsedCommand,
  cwd: string,
  policy: Policy,
): 'only' | 'mixed' | 'harmless' | 'other' {
  if (!parsed.ok) return 'other';
  const visits = track(parsed.parts, cwd, policy);
  const isInstalling = visits.some((visit) => installs(visit, policy));
  const written = parsed.writes.filter((path) => path === null || !isOutput(path));
  const isHarmless =
    visits.every((visit) => partUse(visit, policy) === 'nothing' || installs(visit, policy)) &&
    written.every(
      (path) => isOrdinaryFile(path, visits, policy) && !/node_modules|site-packages/.test(path ?? ''),
    );
  if (isInstalling) return isHarmless ? 'only' : 'mixed';
  return isHarmless ? 'harmless' : 'other';
}

const node =
  'install|i|add|ci|uninstall|un|remove|rm|update|up|upgrade|dedupe|prune|rebuild|rb|link|unlink|audit';
/** The subcommands of each package manager that change dependencies and run no command from their words. */
const subcommands: Readonly<Record<string, RegExp>> = {
  npm: words(`${node}|r|in|ln|clean-install`),
  pnpm: words(`${node}|ln|import|fetch`),
  // Any other word may be a script of the project. Without one, Yarn installs.
  yarn: words('install|add|remove|up|upgrade|dedupe|link|unlink|'),
  bun: words('install|i|add|a|remove|rm|update|link|unlink'),
  uv: words('sync|add|remove|lock|venv|pip'),
  pip: words('install|uninstall'),
  pip3: words('install|uninstall'),
  poetry: words('install|add|remove|update|sync|lock'),
};

function words(list: string): RegExp {
  return new RegExp(`^(?:${list})$`);
}

/** Options whose value is the next word. */
const withValue = /^(?:-C|-F|--filter|--prefix|--dir|--cwd|--directory|--project)$/;

function installs(visit: Visit, policy: Policy): boolean {
  const part = underItsName(visit.part);
  const [name, ...args] = part.argv;
  if (name == null || part.runs === null || !hasSafeEnvironment(part)) return false;
  const isKnown = part.runs.every(([first]) => first?.type === 'text' && isSameName(first.text, name));
  if (!isKnown || comesFromProject({ ...visit, part }, policy)) return false;
  // `python -m pip install`
  const isModule = /^python[\d.]*$/.test(name) && args[0] === '-m' && args[1] === 'pip';
  const pattern = isModule
    ? subcommands.pip
    : Object.hasOwn(subcommands, name)
      ? subcommands[name]
      : undefined;
  return pattern?.test(subcommandIn(isModule ? args.slice(2) : args) ?? '-') === true;
}

/** The first word that is not an option; empty if there is none, undefined if it is known only to the shell. */
function subcommandIn(args: readonly (string | null)[]): string | undefined {
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at];
    if (word == null) return undefined;
    if (withValue.test(word)) at += 1;
    else if (!word.startsWith('-')) return word;
  }
  return '';
}
