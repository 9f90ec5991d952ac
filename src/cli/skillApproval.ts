/**
 * The permission rules of a repository's skills. They apply only if the user has trusted the folder and approved exactly
 * the content of the skill: with other instructions, the same rules would allow something else.
 */
import { grantLookup, SKILL_GRANT } from '../config/grants.ts';
import type { FolderTrust } from '../config/trust.ts';
import type { Grant } from '../config/types.ts';
import { findSkills } from '../extensions/findSkills.ts';
import { isSensitive } from '../permissions/files/sensitive.ts';
import type { Skill } from '../protocol/extensions/skills.ts';
import type { AppPaths } from './process/appPaths.ts';

type Places = Pick<AppPaths, 'home' | 'dataRoot' | 'root' | 'cwd'>;

/** The grants that the repository's skills need: of those that would be used, since no others have an effect. */
export async function skillGrants(place: Places): Promise<Grant[]> {
  const { skills } = await findSkills({ ...place, isSensitive });
  return skills.flatMap((skill) => grantOf(skill, place) ?? []);
}

/** Returns the function that returns the rules of a skill that apply. */
export function allowedToolsOf(
  place: Places,
  { isTrusted, granted = [] }: Pick<FolderTrust, 'isTrusted' | 'granted'>,
): (skill: Skill) => readonly string[] {
  const isGranted = grantLookup(isTrusted ? granted : []);
  return (skill) => {
    const grant = grantOf(skill, place);
    return grant !== undefined && isGranted(grant) ? (skill.asks?.tools ?? []) : skill.allowedTools;
  };
}

/** Names the rules first: whatever the name claims, they stand before it. */
function grantOf({ name, file, asks }: Skill, { root }: Places): Grant | undefined {
  if (asks === undefined) return undefined;
  const source = file.startsWith(`${root}/`) ? file.slice(root.length + 1) : file;
  const text = `${asks.tools.join(', ')} (skill ${name}; content ${asks.digest.slice(0, 32)})`;
  return { kind: SKILL_GRANT, text, source };
}
