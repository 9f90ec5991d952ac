import * as z from 'zod';
import { isToolSchemas, type ToolSchema } from '../../messages.ts';
import { modeLabels } from '../../permissions.ts';
import { contentOf, defineKind } from '../defineKind.ts';

/** The header of a session: the frozen system prompt, environment, preferences and configuration. */
export const sessionStart = defineKind({
  subtype: 'session_start',
  type: 'system',
  data: z.object({
    systemPrompt: z.string().optional(),
    /** Marks the program's own notes to the model; chosen once per session. */
    noteKey: z.string().optional(),
    /** 2: notes contain only the program's words, with other text next to them; absent in earlier versions. */
    noteFormat: z.number().optional(),
    environment: z.record(z.string(), z.unknown()).optional(),
    preferences: z.record(z.string(), z.unknown()).optional(),
    configuration: z.record(z.string(), z.unknown()).optional(),
    userId: z.string().optional(),
    /** The session that this one was copied from. */
    forkedFrom: z.string().optional(),
  }),
  modelAccess: 'recall',
  affectsEarlierEntries: true,
  stays: 'all',
});

/** The title of the session; the user's overrides the model's. */
export const title = defineKind({
  subtype: 'title',
  type: 'system',
  data: z.object({ source: z.enum(['user', 'model']).optional() }),
  modelAccess: 'recall',
  stays: 'newest',
  searchedAs: 'title',
  // The model's title is only for the session list.
  displayLine: (entry) =>
    entry.data?.source === 'user'
      ? { text: `Title: ${contentOf(entry)}`, tone: 'quiet', mark: '⎿', only: 'screen' }
      : undefined,
});

/** A change of the permission mode; its message tells the model. */
export const mode = defineKind({
  subtype: 'mode',
  type: 'system',
  data: z.object({ mode: z.string().optional() }),
  modelAccess: 'sent',
  stays: 'newest',
  displayLine: (entry) => ({
    text: `Mode: ${nameOf(entry.data?.mode ?? contentOf(entry))}`,
    tone: 'quiet',
    mark: '⎿',
  }),
});

/** Returns a mode's label; an unknown mode of another version keeps its logged name. */
function nameOf(mode: string): string {
  return Object.hasOwn(modeLabels, mode) ? modeLabels[mode as keyof typeof modeLabels] : mode;
}

/** A change of the model. */
export const model = defineKind({
  subtype: 'model',
  type: 'system',
  data: z.object({
    /** The full name. */
    model: z.string().optional(),
    /** The named provider in it; absent for the default endpoint. */
    provider: z.string().optional(),
  }),
  modelAccess: 'recall',
  stays: 'newest',
  displayLine: (entry) => ({
    text: `Model: ${entry.data?.model ?? contentOf(entry)}`,
    tone: 'quiet',
    mark: '⎿',
  }),
});

/** A change of how much the model reasons. */
export const effort = defineKind({
  subtype: 'effort',
  type: 'system',
  data: z.object({
    /** The level that was asked for; absent = the model's own default. */
    effort: z.string().optional(),
  }),
  modelAccess: 'recall',
  stays: 'newest',
  displayLine: (entry) => ({
    text: contentOf(entry) || `Effort: ${entry.data?.effort ?? 'the default'}`,
    tone: 'quiet',
    mark: '⎿',
  }),
});

/** The tools that requests offer from here on. */
export const tools = defineKind({
  subtype: 'tools',
  type: 'system',
  data: z.object({
    /** Identifies the tools in request records. */
    hash: z.string().optional(),
    tools: z.custom<readonly ToolSchema[]>(isToolSchemas).optional(),
  }),
  modelAccess: 'recall',
  stays: 'newest',
});

/** Placeholder, in memory only, for the part of a log that is not loaded; never written. */
export const past = defineKind({
  subtype: 'past',
  type: 'system',
  data: z.object({ past: z.unknown() }),
  modelAccess: 'recall',
});

/** A notice for the user only. */
export const notice = defineKind({
  subtype: 'notice',
  type: 'system',
  data: z.object({ level: z.enum(['info', 'warning', 'error']).optional() }),
  modelAccess: 'recall',
  searchedAs: 'note',
  displayLine: (entry) => {
    const { level = 'info' } = entry.data ?? {};
    return { text: contentOf(entry), tone: level === 'info' ? 'quiet' : level, mark: '⎿', only: 'screen' };
  },
});

/** Tokens used outside the conversation, for example by summaries and titles. */
export const usage = defineKind({
  subtype: 'usage',
  type: 'system',
  data: z.object({ purpose: z.string().optional() }),
  modelAccess: 'recall',
});

/** Placeholder for an unreadable line. */
export const unknown = defineKind({
  subtype: 'unknown',
  type: 'system',
  data: z.object({
    /** The content of the line. */
    line: z.unknown().optional(),
    /** Why the content is missing. */
    lost: z.string().optional(),
  }),
  modelAccess: 'recall',
  searchedAs: 'note',
});
