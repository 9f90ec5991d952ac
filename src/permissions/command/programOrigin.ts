/** Where a command's program comes from, and the name used for it in rules and tables. */
import { inWorkspace } from '../files/fileDecision.ts';
import { type Policy, workspaceFolders } from '../policy.ts';
import type { Argument } from '../shell/argument.ts';
import type { CommandPart } from '../shell/parsedCommand.ts';
import type { Visit } from '../shell/workingDirectory.ts';

/** Where the system and package managers install programs. */
const systemFolder = /^(?:\/usr|\/usr\/local|\/opt\/homebrew)?\/bin\/(?=[^/]+$)/;

/** The part with the bare name of a system program: `/usr/bin/git` is treated like `git`. */
export function underItsName(part: CommandPart): CommandPart {
  const named = part.argv[0]?.replace(systemFolder, '');
  return named === undefined || named === part.argv[0] ? part : underName(named, part);
}

/** The part with another name for the program. */
export function underName(name: string, part: CommandPart): CommandPart {
  const rename = (run: readonly Argument[]): readonly Argument[] => [
    { type: 'text', text: name },
    ...run.slice(1),
  ];
  return { ...part, argv: [name, ...part.argv.slice(1)], runs: part.runs?.map(rename) ?? null };
}

/** True if the PATH, a link, or a version manager finds the program in the project. */
export function comesFromProject({ part, directories }: Visit, policy: Policy): boolean {
  const [name] = part.argv;
  if (name == null) return true;
  if (systemFolder.test(name)) return inWorkspace(policy.realpath(name), policy);
  if (name.includes('/')) return false;
  return (
    policy.projectProgram(workspaceFolders(policy), name) !== undefined ||
    versionFileFor(name, directories ?? [], policy) !== undefined
  );
}

/** The file of the workspace that makes a version manager run another program; those above are the user's own. */
export function versionFileFor(
  name: string,
  directories: readonly string[],
  policy: Policy,
): string | undefined {
  return directories
    .map((directory) => policy.toolsFolderNamed(policy.realpath(directory), name))
    .find(
      (file) => file !== undefined && [file, policy.realpath(file)].some((path) => inWorkspace(path, policy)),
    );
}
