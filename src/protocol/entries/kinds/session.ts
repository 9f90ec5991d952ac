import * as z from 'zod';
import type { ToolSchema } from '../../messages.ts';
import { modeLabels } from '../../permissions.ts';
import { contentOf, defineKind } from '../defineKind.ts';

/** The header: the frozen system prompt, environment, preferences and configuration. */
export const sessionStart = defineKind({
  subtype: 'session_start',
  type: 'system',
  data: z.object({
    systemPrompt: z.string().optional(),
    /** Marks the program's own notes to the model; chosen once for each session. */
    noteKey: z.string().optional(),
    environment: z.record(z.string(), z.unknown()).optional(),
    preferences: z.record(z.string(), z.unknown()).optional(),
    configuration: z.record(z.string(), z.unknown()).optional(),
    userId: z.string().optional(),
    /** The session that this one is a copy of. */
    forkedFrom: z.string().optional(),
  }),
  isSent: false,
  reshapes: true,
  stays: 'all',
});

/** The name of the session; the user's counts for more than the model's. */
export const title = defineKind({
  subtype: 'title',
  type: 'system',
  data: z.object({ source: z.enum(['user', 'model']).optional() }),
  isSent: false,
  stays: 'newest',
  searchedAs: 'title',
  // The model's is for the list of sessions only.
  note: (entry) =>
    entry.data?.source === 'user'
      ? { text: `Title: ${contentOf(entry)}`, tone: 'quiet', mark: '⎿', only: 'screen' }
      : undefined,
});

/** The permission mode changed; the message tells the model. */
export const mode = defineKind({
  subtype: 'mode',
  type: 'system',
  data: z.object({ mode: z.string().optional() }),
  isSent: true,
  stays: 'newest',
  note: (entry) => ({
    text: `Mode: ${nameOf(entry.data?.mode ?? contentOf(entry))}`,
    tone: 'quiet',
    mark: '⎿',
  }),
});

/** A mode of another version keeps the name that it has in the log. */
function nameOf(mode: string): string {
  return Object.hasOwn(modeLabels, mode) ? modeLabels[mode as keyof typeof modeLabels] : mode;
}

/** The model changed. */
export const model = defineKind({
  subtype: 'model',
  type: 'system',
  data: z.object({ model: z.string().optional() }),
  isSent: false,
  stays: 'newest',
  note: (entry) => ({ text: `Model: ${entry.data?.model ?? contentOf(entry)}`, tone: 'quiet', mark: '⎿' }),
});

/** The tools that requests offer from here on. */
export const tools = defineKind({
  subtype: 'tools',
  type: 'system',
  data: z.object({
    /** Names them in the record of a request. */
    hash: z.string().optional(),
    tools: z.custom<readonly ToolSchema[]>(Array.isArray).optional(),
  }),
  isSent: false,
  stays: 'newest',
});

/** Stands in memory for the part of a log that is not loaded; never written. */
export const past = defineKind({
  subtype: 'past',
  type: 'system',
  data: z.object({ past: z.unknown() }),
  isSent: false,
});

/** For the reader only. */
export const notice = defineKind({
  subtype: 'notice',
  type: 'system',
  data: z.object({ level: z.enum(['info', 'warning', 'error']).optional() }),
  isSent: false,
  searchedAs: 'note',
  note: (entry) => {
    const { level = 'info' } = entry.data ?? {};
    return { text: contentOf(entry), tone: level === 'info' ? 'quiet' : level, mark: '⎿', only: 'screen' };
  },
});

/** Tokens spent outside the conversation: on summaries and titles. */
export const usage = defineKind({
  subtype: 'usage',
  type: 'system',
  data: z.object({ purpose: z.string().optional() }),
  isSent: false,
});

/** Keeps the place of a line that cannot be read. */
export const unknown = defineKind({
  subtype: 'unknown',
  type: 'system',
  data: z.object({
    /** What the line held. */
    line: z.unknown().optional(),
    /** Why there is nothing. */
    lost: z.string().optional(),
  }),
  isSent: false,
  searchedAs: 'note',
});
