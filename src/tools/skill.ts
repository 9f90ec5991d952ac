import * as z from 'zod';
import type { PreparedSkill, Skill } from '../protocol/extensions/skills.ts';
import { skillToolName } from '../protocol/toolNames.ts';
import type { Tool } from '../protocol/tools.ts';
import { defineTool } from './defineTool.ts';
import { describedList } from './describedList.ts';
import { failure } from './outcomes.ts';

interface SkillToolDeps {
  /** The skills that the model may use. Fixed for a session: a changed description is a changed request prefix. */
  readonly skills: readonly Skill[];
  /** Reads the skill's file and fills in the arguments; a problem is one sentence for the model. */
  readonly prepare: (
    skill: Skill,
    args: string,
    sessionId: string,
  ) => Promise<PreparedSkill | { readonly problem: string }>;
  /** Called when a skill is loaded, for the permission rules that it contains. */
  readonly onUse: (skill: Skill) => void;
}

const input = z.object({
  skill: z.string().min(1).describe('its name'),
  args: z.string().optional(),
});

/** Characters of all descriptions together, about 2,000 tokens: they are in every request. */
const MAX_DESCRIPTIONS = 8000;

/** Creates the tool with which the model loads a skill's instructions. */
export function skillTool({ skills, prepare, onUse }: SkillToolDeps): Tool {
  const find = (name: string): Skill | undefined => {
    const wanted = name.replace(/^\//, '').toLowerCase();
    return skills.find((skill) => skill.name.toLowerCase() === wanted);
  };
  return defineTool({
    name: skillToolName,
    description: [
      'Load the instructions of a skill. Call it before you start a task that a description fits, and when the user names a skill; then follow them.',
      ...describedList(skills, { maxCharacters: MAX_DESCRIPTIONS, label: 'Skills' }),
    ].join('\n'),
    input,
    title: ({ skill }) => skill,
    access: ({ skill }) => ({ type: 'named', name: find(skill)?.name ?? skill }),
    run: async ({ skill: name, args = '' }, context) => {
      const skill = find(name);
      if (skill === undefined)
        return failure(
          name,
          `There is no skill "${name}". Available: ${skills.map((one) => one.name).join(', ')}.`,
        );
      const prepared = await prepare(skill, args, context.sessionId);
      if ('problem' in prepared) return failure(name, prepared.problem);
      onUse(prepared.skill);
      const plain = prepared.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
      // The text contains arguments that the model has written.
      const mentionSource = { text: plain, onlyInProject: true };
      const filled = (await context.fillIn?.(prepared.parts)) ?? { text: plain };
      // A subagent cannot start others, so it follows the instructions itself.
      if (skill.fork !== undefined && context.runAgent !== undefined)
        return context.runAgent({
          ...{ ...skill.fork, description: `skill ${skill.name}`, prompt: filled.text },
          mentionSource,
        });
      context.switchToModelOf?.(prepared.skill);
      return {
        status: 'ok',
        text: `The instructions of the skill ${skill.name} follow.`,
        kind: 'text',
        display: { title: skill.name, summary: 'loaded' },
        skill: {
          name: skill.name,
          file: skill.file,
          ...filled,
          mentionSource,
        },
        response: () => ({ success: true, commandName: skill.name }),
      };
    },
  });
}
