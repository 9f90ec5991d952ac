import * as z from 'zod';
import { toolNames } from '../protocol/toolNames.ts';
import type { Tool } from '../protocol/tools.ts';
import { defineTool } from './defineTool.ts';

const TITLE = 'Plan';
const input = z.object({ plan: z.string().min(1).describe('Markdown') });

/** Creates the tool that presents the model's plan to the user. It runs only once the user has approved the plan. */
export function exitPlanModeTool(): Tool {
  return defineTool({
    name: toolNames.exitPlanMode,
    description: 'In plan mode, present your finished plan for approval. Nothing else ends plan mode.',
    input,
    title: () => TITLE,
    access: () => ({ type: 'plan' }),
    preview: async ({ plan }) => ({ type: 'plan', plan }),
    run: async ({ plan }) => ({
      status: 'ok',
      text: 'The user approved the plan. Plan mode is over: carry the plan out now, step by step.',
      kind: 'text',
      display: { title: TITLE, summary: 'approved' },
      response: () => ({ plan, isAgent: false }),
    }),
  });
}
