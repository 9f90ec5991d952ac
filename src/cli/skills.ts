/** Skills and custom commands of one session: those offered to the model, and those the user can run. */
import { dirname, relative } from 'node:path';
import { contentMark, grantLookup, SKILL_GRANT } from '../config/grants.ts';
import type { FolderTrust } from '../config/trust.ts';
import type { Grant } from '../config/types.ts';
import { digestOf, findSkills, readSkillFile, type SkillFolders } from '../extensions/findSkills.ts';
import { readFrontMatter } from '../extensions/frontMatter.ts';
import { fillIn } from '../extensions/skillText.ts';
import { isSensitive } from '../permissions/files/sensitive.ts';
import type { PreparedSkill, Skill, SkillList } from '../protocol/extensions/skills.ts';
import type { Tool } from '../protocol/tools.ts';
import { skillTool } from '../tools/skill.ts';
import { recordOf } from './permissions/approvedRecords.ts';
import { coveredFiles } from './permissions/executedFiles.ts';
import type { Permissions } from './permissions/permissions.ts';
import type { SessionPlugins } from './plugins/usedPlugins.ts';
import type { AppPaths } from './process/appPaths.ts';

export interface SessionSkills {
  /** The skills as last read; the same object until they are read again. */
  readonly found: SkillList;
  /** Reads the files again; the model is offered the skills that exist now. */
  refresh(): Promise<void>;
  list(): Promise<SkillList>;
  prepare(
    skill: Skill,
    args: string,
    sessionId: string,
  ): Promise<PreparedSkill | { readonly problem: string }>;
  /** Tools for the model; empty if it may not use any skill. */
  tools(): readonly Tool[];
  /** Applies the permission rules of a skill until the turn ends. */
  allow(skill: Skill): void;
}

/** What a skill may allow. */
interface SkillRules extends Pick<Permissions, 'allowForTurn'> {
  /** There are none. */
  readonly isSafe: boolean;
  /** Returns the rules of a skill that apply; absent = those of the user's own skills. */
  readonly allowedTools?: ((skill: Skill) => readonly string[]) | undefined;
  /** The skills that the model is offered, a plugin's skills with or without its name; absent = all. */
  readonly only?: readonly string[] | undefined;
}

export async function openSkills(
  places: Omit<SkillFolders, 'plugins'>,
  plugins: Pick<SessionPlugins, 'current' | 'problem'>,
  { allowForTurn, allowedTools, isSafe, only }: SkillRules,
): Promise<SessionSkills> {
  const list = async (): Promise<SkillList> => {
    if (isSafe) return { skills: [], problems: [] };
    const { skills, problems } = await findSkills({ ...places, plugins: plugins.current().folders });
    return {
      problems,
      skills: skills.map((skill) => ({
        ...skill,
        ...(skill.asks && { asks: { ...skill.asks, approved: approvedDigest(skill.asks, places) } }),
        allowedTools: allowedTools?.(skill) ?? skill.allowedTools,
      })),
    };
  };
  let found: SkillList = { skills: [], problems: [] };
  let tools: readonly Tool[] = [];
  const refresh: SessionSkills['refresh'] = async () => {
    found = await list();
    const isChosen = ({ name }: Skill): boolean =>
      only === undefined || only.some((one) => one === name || name.endsWith(`:${one}`));
    const forModel = found.skills.filter((skill) => skill.modelCanUse && isChosen(skill));
    tools = forModel.length === 0 ? [] : [skillTool({ skills: forModel, prepare, onUse: allow })];
  };
  const prepare: SessionSkills['prepare'] = async (skill, args, sessionId) => {
    const changed = skill.plugin && (await plugins.problem(skill.plugin));
    if (changed !== undefined) return { problem: `It is not used: ${changed}.` };
    const text = await readSkillFile(skill, places);
    if (typeof text !== 'string') return text;
    const { body } = await readFrontMatter(text);
    return {
      skill: unlessChanged(skill, text, places),
      parts: fillIn(body, { args, sessionId, directory: dirname(skill.file) }),
    };
  };
  const allow: SessionSkills['allow'] = (skill) => {
    const { allowedTools, name } = skill;
    if (allowedTools.length === 0) return;
    allowForTurn({
      source: `skill ${name}`,
      // The model may change a script that a rule allows.
      rules: () => (isAsRead(skill, places) ? allowedTools : []),
      scripts: skill.asks === undefined ? [] : scriptsOf(skill.asks, places),
    });
  };
  await refresh();
  return {
    get found() {
      return found;
    },
    refresh,
    list,
    prepare,
    tools: () => tools,
    allow,
  };
}

/** The rules of a repository's skill were approved with the content that it had then. `text`: what it says now. */
const unlessChanged = (skill: Skill, text: string, place: Pick<Places, 'home' | 'root'>): Skill =>
  skill.asks === undefined || (skill.asks.digest === digestOf(text) && isAsRead(skill, place))
    ? skill
    : { ...skill, allowedTools: [] };

/** True if the scripts that its rules run are those that were there when the skill was read. */
const isAsRead = ({ asks }: Skill, place: Pick<Places, 'home' | 'root'>): boolean =>
  asks?.approved === undefined || asks.approved === approvedDigest(asks, place);

// The permission rules of a repository's skills. They apply only if the user has trusted the folder and approved exactly
// the content of the skill: with other instructions, the same rules would allow something else.

type Places = Pick<AppPaths, 'home' | 'dataRoot' | 'root' | 'cwd'>;

/** The grants that the repository's skills need. Only skills that would be used count; the others have no effect. */
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

/** The rules come first, so that no name can misrepresent them. */
function grantOf({ name, file, asks }: Skill, place: Places): Grant | undefined {
  const { root } = place;
  if (asks === undefined || asks.tools.length === 0) return undefined;
  const source = file.startsWith(`${root}/`) ? file.slice(root.length + 1) : file;
  const text = `${asks.tools.join(', ')} (skill ${name}${contentMark(approvedDigest(asks, place))})`;
  return { kind: SKILL_GRANT, text, source };
}

/** The files of the project that the command of a rule names. What follows `:*` is the model's choice. */
function filesOf(rule: string, place: Pick<Places, 'home' | 'root'>): readonly string[] {
  const [, command] = /^Bash\((.*?)(?::\*| \*)?\)$/s.exec(rule) ?? [];
  return command === undefined ? [] : coveredFiles({ command }, place, []).files;
}

/**
 * Identifies what the user approves: the skill's text (`digest`), and the files of the project that the commands in its
 * rules run.
 */
function approvedDigest(
  { tools, digest }: NonNullable<Skill['asks']>,
  place: Pick<Places, 'home' | 'root'>,
): string {
  const files = scriptsOf({ tools }, place);
  if (files.length === 0) return digest;
  const states = files.map((path) => [relative(place.root, path), recordOf(path).digest]);
  return digestOf(JSON.stringify([digest, states]));
}

/** The files of the project that the commands in rules run, sorted. */
function scriptsOf(
  { tools }: Pick<NonNullable<Skill['asks']>, 'tools'>,
  place: Pick<Places, 'home' | 'root'>,
): readonly string[] {
  return [...new Set(tools.flatMap((rule) => filesOf(rule, place)))].sort();
}
