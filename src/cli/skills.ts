/** Skills and custom commands of one session: those offered to the model, and those the user can run. */
import { dirname } from 'node:path';
import { digestOf, findSkills, readSkillFile, type SkillPlaces } from '../extensions/findSkills.ts';
import { readFrontMatter } from '../extensions/frontMatter.ts';
import { fillIn } from '../extensions/skillText.ts';
import type { PreparedSkill, Skill, SkillList } from '../protocol/extensions/skills.ts';
import type { Tool } from '../protocol/tools.ts';
import { skillTool } from '../tools/skill.ts';
import type { Permissions } from './permissions/permissions.ts';
import type { SessionPlugins } from './plugins/usedPlugins.ts';

export interface SessionSkills {
  /** The skills as last read; the same object until they are read again. */
  readonly found: SkillList;
  /** Reads the files again; the model is offered the skills that there are now. */
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
}

export async function openSkills(
  places: Omit<SkillPlaces, 'plugins'>,
  plugins: Pick<SessionPlugins, 'current' | 'problem'>,
  { allowForTurn, allowedTools, isSafe }: SkillRules,
): Promise<SessionSkills> {
  const list = async (): Promise<SkillList> => {
    if (isSafe) return { skills: [], problems: [] };
    const { skills, problems } = await findSkills({ ...places, plugins: plugins.current().folders });
    return {
      problems,
      skills: skills.map((skill) => ({
        ...skill,
        allowedTools: allowedTools?.(skill) ?? skill.allowedTools,
      })),
    };
  };
  let found: SkillList = { skills: [], problems: [] };
  let tools: readonly Tool[] = [];
  const refresh: SessionSkills['refresh'] = async () => {
    found = await list();
    const forModel = found.skills.filter(({ modelCanUse }) => modelCanUse);
    tools = forModel.length === 0 ? [] : [skillTool({ skills: forModel, prepare, onUse: allow })];
  };
  const prepare: SessionSkills['prepare'] = async (skill, args, sessionId) => {
    const changed = skill.plugin && (await plugins.problem(skill.plugin));
    if (changed !== undefined) return { problem: `It is not used: ${changed}.` };
    const text = await readSkillFile(skill, places);
    if (typeof text !== 'string') return text;
    const { body } = await readFrontMatter(text);
    return {
      skill: unlessChanged(skill, text),
      parts: fillIn(body, { args, sessionId, directory: dirname(skill.file) }),
    };
  };
  const allow: SessionSkills['allow'] = ({ allowedTools, name }) => {
    if (allowedTools.length > 0) allowForTurn(allowedTools, `skill ${name}`);
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

/** The rules of a repository's skill were approved with the content that it had then. */
function unlessChanged(skill: Skill, text: string): Skill {
  return skill.asks === undefined || skill.asks.digest === digestOf(text)
    ? skill
    : { ...skill, allowedTools: [] };
}
