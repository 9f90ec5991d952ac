import * as z from 'zod';
import { defineKind, type EntryNote } from '../defineKind.ts';

/** The end of a turn. */
export const turnEnd = defineKind({
  subtype: 'turn_end',
  type: 'system',
  data: z.object({
    outcome: z.string().optional(),
    steps: z.number().optional(),
    /** Milliseconds from the prompt to the end. */
    durationMs: z.number().optional(),
    /** Number of files and lines that calls and commands changed; absent if there were none. */
    files: z.number().optional(),
    added: z.number().optional(),
    removed: z.number().optional(),
    error: z.union([z.string(), z.object({ message: z.string().optional() })]).optional(),
  }),
  isSent: false,
  note: ({ data }) => {
    if (data?.outcome === 'done') return doneNote(data);
    const text = endText(data?.outcome, data?.error);
    if (text === undefined) return undefined;
    const tone: EntryNote['tone'] = data?.outcome === 'failed' ? 'error' : 'warning';
    return { text, tone, mark: '⎿', only: 'screen' };
  },
});

interface Done {
  readonly durationMs?: number | undefined;
  readonly files?: number | undefined;
  readonly added?: number | undefined;
  readonly removed?: number | undefined;
}

/** Shorter turns do not show their duration; a turn without changes needs `VERY_LONG_MS` to get a line at all. */
const LONG_MS = 10_000;
const VERY_LONG_MS = 30_000;

/** Returns for example `22 s · 3 files +12 −4`; undefined for a short turn without changes. */
function doneNote({ durationMs = 0, files = 0, added, removed }: Done): EntryNote | undefined {
  const lines = added === undefined || removed === undefined ? '' : ` +${added} −${removed}`;
  const parts = [
    durationMs < (files === 0 ? VERY_LONG_MS : LONG_MS) ? '' : timeText(durationMs),
    files === 0 ? '' : `${files === 1 ? '1 file' : `${files} files`}${lines}`,
  ].filter((part) => part !== '');
  if (parts.length === 0) return undefined;
  return { text: parts.join(' · '), tone: 'quiet', mark: '⎿', only: 'screen' };
}

function timeText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

function endText(
  outcome: string | undefined,
  error: string | { readonly message?: string | undefined } | undefined,
): string | undefined {
  switch (outcome) {
    case 'interrupted':
      return 'Interrupted.';
    case 'failed':
      return (typeof error === 'string' ? error : error?.message) ?? 'The turn failed.';
    case 'max_turns':
      return 'Stopped: step limit reached.';
    case 'loop':
      return 'Stopped: the same call kept returning the same result.';
    default:
      return undefined;
  }
}
