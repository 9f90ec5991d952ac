import * as z from 'zod';
import { toolNames } from '../protocol/toolNames.ts';
import type { Tool } from '../protocol/tools.ts';
import { defineTool } from './defineTool.ts';

const input = z.object({
  id: z.string().optional().describe('#12, #12-#40 or a hash'),
  offset: z.number().int().min(0).optional().describe('bytes'),
  limit: z.number().int().min(1).optional(),
  query: z.string().optional().describe('words to find, in id or in everything'),
});
type RecallInput = z.infer<typeof input>;

/** Creates the tool that shows earlier content of the session that is no longer in requests. */
export function recallTool(): Tool {
  return defineTool({
    name: toolNames.recall,
    description: 'Show earlier content of this session again: truncated, masked or summarized.',
    input,
    title: titleOf,
    // No access check: everything it returns was shown in this session before.
    access: () => ({ type: 'none' }),
    run: async (call, context) => {
      const { found, text } = await context.recall(withoutUndefined(call), context.signal);
      return {
        status: found ? 'ok' : 'error',
        text,
        kind: 'text',
        display: { title: titleOf(call), summary: found ? 'found' : 'not found' },
      };
    },
  });
}

function titleOf({ id, query, offset }: RecallInput): string {
  const place = [...(id === undefined ? [] : [id]), ...(offset === undefined ? [] : [`from ${offset}`])].join(
    ' ',
  );
  if (query === undefined) return place;
  return place === '' ? `"${query}"` : `"${query}" in ${place}`;
}

/** Leaves out absent fields instead of setting them to undefined. */
function withoutUndefined({ id, offset, limit, query }: RecallInput) {
  return {
    ...(id === undefined ? {} : { id }),
    ...(offset === undefined ? {} : { offset }),
    ...(limit === undefined ? {} : { limit }),
    ...(query === undefined ? {} : { query }),
  };
}
