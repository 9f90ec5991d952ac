/** Skills and custom commands of one session: those offered to the model, and those the user can run. */
import { dirname } from 'node:path';
import { findSkills, readSkillFile, type SkillPlaces } from '../extensions/findSkills.ts';
import { readFrontMatter } from '../extensions/frontMatter.ts';
import { fillIn } from '../extensions/skillText.ts';
import type { PreparedSkill, Skill, SkillList } from '../protocol/extensions/skills.ts';
import type { Tool } from '../protocol/tools.ts';
import { skillTool } from '../tools/skill.ts';
import type { Permissions } from './permissions/permissions.ts';

export interface SessionSkills {
  /** The skills at the time the session was opened. */
  readonly found: SkillList;
  list(): Promise<SkillList>;
  prepare(
    skill: Skill,
    args: string,
    sessionId: string,
  ): Promise<PreparedSkill | { readonly problem: string }>;
  /** Tools for the model; empty if it may not use any skill. */
  readonly tools: readonly Tool[];
  /** Applies the permission rules of a skill until the turn ends. */
  allow(skill: Skill): void;
}

export async function openSkills(
  places: SkillPlaces,
  permissions: Pick<Permissions, 'allowForTurn'>,
): Promise<SessionSkills> {
  const list = (): Promise<SkillList> => findSkills(places);
  const found = await list();
  const forModel = found.skills.filter(({ modelCanUse }) => modelCanUse);
  const prepare: SessionSkills['prepare'] = async (skill, args, sessionId) => {
    const text = await readSkillFile(skill, places);
    if (typeof text !== 'string') return text;
    const { body } = await readFrontMatter(text);
    return { skill, parts: fillIn(body, { args, sessionId, directory: dirname(skill.file) }) };
  };
  const allow: SessionSkills['allow'] = ({ allowedTools, name }) => {
    if (allowedTools.length > 0) permissions.allowForTurn(allowedTools, `skill ${name}`);
  };
  return {
    found,
    list,
    prepare,
    tools: forModel.length === 0 ? [] : [skillTool({ skills: forModel, prepare, onUse: allow })],
    allow,
  };
}
