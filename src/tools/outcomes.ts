/** The outcomes that every tool words alike. */
import type { ToolOutcome } from '../protocol/tools.ts';

/** A failure that the model can act on. `summary` is for the reader: a few words. */
export function failure(title: string, text: string, summary = 'failed'): ToolOutcome {
  return { status: 'error', text, kind: 'text', display: { title, summary } };
}

/** The user stopped the call before it had anything to show. */
export function interrupted(title: string): ToolOutcome {
  return {
    status: 'partial',
    text: 'Interrupted by the user before it finished.',
    kind: 'text',
    display: { title, summary: 'interrupted' },
  };
}
