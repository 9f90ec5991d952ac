/** The tool with which the model starts a subagent. */

import * as z from 'zod';
import type { AgentDefinition } from '../../protocol/extensions/subagents.ts';
import { visibleLine } from '../../protocol/text/visible.ts';
import { agentToolAlias, agentToolName } from '../../protocol/toolNames.ts';
import type { Tool, ToolContext, ToolOutcome } from '../../protocol/tools.ts';
import { defineTool } from '../../tools/defineTool.ts';
import { describedList } from '../../tools/describedList.ts';
import { failure } from '../../tools/outcomes.ts';
import type { SubagentPort } from './types.ts';

/** A call of the tool, with the definition that it names. */
export interface AgentCall {
  readonly definition: AgentDefinition;
  readonly description: string;
  readonly prompt: string;
  readonly model: string | undefined;
  readonly isBackground: boolean;
  /** True if it works in its own git worktree. */
  readonly isIsolated: boolean;
}

const input = z.object({
  description: z.string().trim().min(1).describe('3-5 words'),
  prompt: z.string().trim().min(1),
  subagent_type: z.string().optional(),
  model: z.string().optional(),
  run_in_background: z.boolean().optional(),
  isolation: z.literal('worktree').optional().describe('own git worktree and branch, kept if changed'),
});

/** The agent for calls that name none. */
const DEFAULT_AGENT = 'general-purpose';
/** Characters of all descriptions together, about 1,500 tokens: they are in every request. */
const MAX_DESCRIPTIONS = 6000;
const MAX_TITLE = 80;
/** A model with a smaller context window does not get this tool. */
const MIN_WINDOW = 16_000;

export function agentTool(
  { definitions, modelProblem }: Pick<SubagentPort, 'definitions' | 'modelProblem'>,
  start: (call: AgentCall, context: ToolContext) => Promise<ToolOutcome>,
): Tool {
  const find = (name: string | undefined): AgentDefinition | undefined => {
    const wanted = (name ?? DEFAULT_AGENT).toLowerCase();
    return definitions.find((one) => one.name.toLowerCase() === wanted);
  };
  const title = (call: z.infer<typeof input>): string =>
    `${find(call.subagent_type)?.name ?? call.subagent_type ?? DEFAULT_AGENT}: ${visibleLine(call.description, MAX_TITLE)}`;
  const tool = defineTool({
    name: agentToolName,
    description: [
      'Start a subagent for a self-contained part of the work, such as a broad search. It sees only your prompt and returns only its last message. Several calls in one reply run in parallel. You are notified when a background one ends.',
      ...describedList(definitions, { maxCharacters: MAX_DESCRIPTIONS, label: 'subagent_type' }),
    ].join('\n'),
    input,
    title,
    access: ({ subagent_type }) => ({
      type: 'named',
      name: find(subagent_type)?.name ?? subagent_type ?? DEFAULT_AGENT,
    }),
    preview: async (call) => ({ type: 'text', text: `${title(call)}\n\n${call.prompt}` }),
    run: (call, context) => {
      const { subagent_type, description, prompt, model, run_in_background, isolation } = call;
      const definition = find(subagent_type);
      if (definition === undefined) {
        const names = definitions.map(({ name }) => name).join(', ');
        return Promise.resolve(
          failure(title(call), `There is no agent "${subagent_type}". Available: ${names}.`),
        );
      }
      const problem = model === undefined ? undefined : modelProblem(model);
      if (problem !== undefined) return Promise.resolve(failure(title(call), problem));
      const how = {
        isBackground: run_in_background ?? definition.isBackground === true,
        isIsolated: (isolation ?? definition.isolation) === 'worktree',
      };
      return start(
        { definition, description: visibleLine(description, MAX_TITLE), prompt, model, ...how },
        context,
      );
    },
  });
  return { ...tool, isParallel: true, minWindowTokens: MIN_WINDOW, aliases: [agentToolAlias] };
}
