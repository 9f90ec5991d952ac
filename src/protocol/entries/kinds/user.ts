import * as z from 'zod';
import { bodyOf, contentOf, contextNote, defineKind } from '../defineKind.ts';
import { blobRefSchema, todoSchema, toolDisplaySchema } from '../fields.ts';

/** Commands of a skill's text that were run to fill it in. */
const filledIn = z.array(
  z.object({
    command: z.string(),
    status: z.string().optional(),
    /** What let it run. */
    basis: z.string().optional(),
  }),
);

/** What the user asked. */
export const prompt = defineKind({
  subtype: 'prompt',
  type: 'user',
  data: z.object({
    /** As the user saw it, where that differs: a long paste stays folded. */
    display: z.string().optional(),
    /** What the user typed themselves, without files and commands that were filled in. */
    typed: z.string().optional(),
    commands: filledIn.optional(),
    /** The whole, where the message holds only its beginning and end. */
    original: blobRefSchema.optional(),
  }),
  isSent: true,
  searchedAs: 'you',
});

/** `!command`, run by the user, and its output. */
export const shell = defineKind({
  subtype: 'shell',
  type: 'user',
  data: z.object({
    command: z.string().optional(),
    /** Where the output begins in the message, in UTF-16 code units. */
    outputAt: z.number().optional(),
    /** The output itself, as older versions stored it. */
    output: z.string().optional(),
    status: z.string().optional(),
    display: toolDisplaySchema.partial().optional(),
    original: blobRefSchema.optional(),
  }),
  isSent: true,
  folds: true,
  searchedAs: 'you',
});

/** An image that a tool has read: results hold text only, so it follows them. */
export const image = defineKind({
  subtype: 'image',
  type: 'user',
  data: z.object({ path: z.string().optional(), callId: z.string().optional() }),
  isSent: true,
  folds: true,
  searchedAs: 'note',
  note: ({ data }) => contextNote(`Image shown to the model: ${data?.path ?? 'unnamed'}`, { only: 'export' }),
});

/** The instructions of a skill that is in use. A compaction repeats them, cut to a budget. */
export const skill = defineKind({
  subtype: 'skill',
  type: 'user',
  data: z.object({
    name: z.string().optional(),
    /** Absolute. */
    file: z.string().optional(),
    /** The tool call that asked for it; absent if the user did. */
    callId: z.string().optional(),
    /** Repeated after a compaction. */
    again: z.boolean().optional(),
    commands: filledIn.optional(),
  }),
  isSent: true,
  searchedAs: 'note',
  note: (entry) => {
    const { name = 'unnamed', again = false } = entry.data ?? {};
    return contextNote(`Skill ${name}${again ? ', repeated after the compaction' : ''}`, bodyOf(entry));
  },
});

/** Memories found for the prompt that follows; quoted as data. */
export const memory = defineKind({
  subtype: 'memory',
  type: 'user',
  data: z.object({
    memories: z
      .array(z.object({ file: z.string().optional(), similarity: z.number().optional() }))
      .optional(),
  }),
  isSent: true,
  folds: true,
  searchedAs: 'note',
  note: (entry) => {
    const { memories = [] } = entry.data ?? {};
    if (memories.length === 0) return contextNote('Memories', { ...bodyOf(entry), only: 'export' });
    const files = [...new Set(memories.flatMap(({ file }) => file ?? []))];
    const from = files.length === 0 ? '' : `: ${files.join(', ')}`;
    const count = memories.length === 1 ? '1 memory' : `${memories.length} memories`;
    return contextNote(`${count}${from}`, bodyOf(entry));
  },
});

/** A pinned block: AGENTS.md and its like. An empty message says that the file is gone. */
export const instructions = defineKind({
  subtype: 'instructions',
  type: 'user',
  data: z.object({
    /** Absolute. */
    path: z.string().optional(),
    /** SHA-256 of the text, in hex; absent if the file was deleted. */
    hash: z.string().optional(),
  }),
  isSent: true,
  stays: 'all',
  searchedAs: 'note',
  note: (entry) => {
    const { path = '' } = entry.data ?? {};
    // Early versions had one entry for all files together.
    if (path === '') return contextNote('Project instructions', { ...bodyOf(entry), only: 'export' });
    const short = path.startsWith(`${entry.cwd}/`) ? path.slice(entry.cwd.length + 1) : path;
    const state = contentOf(entry) === '' ? 'Instructions removed' : 'Instructions';
    return contextNote(`${state}: ${short}`, bodyOf(entry));
  },
});

/** A note that the date, folder or git state changed: on resume, or after a rewind. */
export const environment = defineKind({
  subtype: 'environment',
  type: 'user',
  data: z.object({
    /** The environment block as it was at that moment. */
    block: z.string().optional(),
    about: z.string().optional(),
  }),
  isSent: true,
  folds: true,
  stays: 'newest',
  searchedAs: 'note',
  note: (entry) =>
    contextNote(entry.data?.about === 'rewind' ? 'Environment after the rewind.' : 'Session resumed.', {
      ...bodyOf(entry),
      only: 'export',
    }),
});

/** A note from the program to the model: the loop guard, a truncated reply, a background task that ended. */
export const nudge = defineKind({
  subtype: 'nudge',
  type: 'user',
  data: z.object({
    /** `task` or `rewind`; absent for notes about the reply. */
    about: z.string().optional(),
    /** Of the task. */
    id: z.string().optional(),
  }),
  isSent: true,
  folds: true,
  searchedAs: 'note',
  note: (entry) => contextNote('Note to the model.', { ...bodyOf(entry), only: 'export' }),
});

/** The goal and the todo list, restated for the model. */
export const reminder = defineKind({
  subtype: 'reminder',
  type: 'user',
  data: z.object({ goal: z.string().optional(), todos: z.array(todoSchema).optional() }),
  isSent: true,
  folds: true,
  stays: 'newest',
  searchedAs: 'note',
  note: (entry) =>
    contextNote('Goal and tasks, restated for the model.', { ...bodyOf(entry), only: 'export' }),
});
