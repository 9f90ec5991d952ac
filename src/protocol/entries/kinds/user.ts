import * as z from 'zod';
import { bodyOf, contentOf, contextLine, defineKind } from '../defineKind.ts';
import { blobRefSchema, todoSchema, toolDisplaySchema } from '../fields.ts';

/** Commands that were run to fill in a skill's text. */
const skillCommands = z.array(
  z.object({
    command: z.string(),
    status: z.string().optional(),
    /** The basis of the permission to run. */
    basis: z.string().optional(),
  }),
);

/** A prompt of the user. */
export const prompt = defineKind({
  subtype: 'prompt',
  type: 'user',
  data: z.object({
    /** The prompt as displayed, if it differs: a long paste stays folded. */
    display: z.string().optional(),
    /** The part that the user typed, without inserted files and command output. */
    typed: z.string().optional(),
    commands: skillCommands.optional(),
    /** The full prompt if the message holds only its beginning and end. */
    original: blobRefSchema.optional(),
  }),
  modelAccess: 'sent',
  searchedAs: 'you',
});

/** A `!command` of the user with its output. */
export const shell = defineKind({
  subtype: 'shell',
  type: 'user',
  data: z.object({
    command: z.string().optional(),
    /** Offset of the output in the message, in UTF-16 code units. */
    outputAt: z.number().optional(),
    /** The output, as stored by older versions. */
    output: z.string().optional(),
    status: z.string().optional(),
    display: toolDisplaySchema.partial().optional(),
    original: blobRefSchema.optional(),
  }),
  modelAccess: 'sent',
  isCollapsible: true,
  searchedAs: 'you',
});

/**
 * A file, folder or resource of an MCP server that the prompt before it mentions as `@path`, as it was when the prompt was
 * sent, or the prompt of an MCP server that the user has chosen with it.
 */
export const attachment = defineKind({
  subtype: 'attachment',
  type: 'user',
  data: z.object({
    /** Absolute path. */
    path: z.string().optional(),
    /** Short, with its range of lines. */
    title: z.string().optional(),
    outcome: z.enum(['read', 'listed', 'unchanged', 'refused', 'prompt']).optional(),
    summary: z.string().optional(),
    /** Files that were read, with the hash of the content seen. */
    filesRead: z.array(z.looseObject({ path: z.string(), hash: z.string() })).optional(),
  }),
  modelAccess: 'sent',
  isCollapsible: true,
  searchedAs: 'note',
  displayLine: (entry) => {
    const { title = 'a file', outcome = 'read', summary = '' } = entry.data ?? {};
    const verb = verbs[outcome];
    const text = `${verb} ${title}${summary === '' ? '' : ` · ${summary}`}`;
    return contextLine(text, { ...bodyOf(entry), mark: '⎿', isCut: true });
  },
});

const verbs = {
  read: 'Read',
  listed: 'Listed',
  unchanged: 'Read',
  refused: 'Not attached:',
  prompt: 'Prompt',
} as const;

/** An image read by a tool; it follows the tool result, which holds only text. */
export const image = defineKind({
  subtype: 'image',
  type: 'user',
  data: z.object({ path: z.string().optional(), callId: z.string().optional() }),
  modelAccess: 'sent',
  isCollapsible: true,
  searchedAs: 'note',
  displayLine: ({ data }) =>
    contextLine(`Image shown to the model: ${data?.path ?? 'unnamed'}`, { only: 'export' }),
});

/** The instructions of a skill in use. Compactions repeat them, cut to a budget. */
export const skill = defineKind({
  subtype: 'skill',
  type: 'user',
  data: z.object({
    name: z.string().optional(),
    /** Absolute path. */
    file: z.string().optional(),
    /** The tool call that loaded it; absent if the user did. */
    callId: z.string().optional(),
    /** True if repeated after a compaction. */
    again: z.boolean().optional(),
    commands: skillCommands.optional(),
  }),
  modelAccess: 'sent',
  searchedAs: 'note',
  displayLine: (entry) => {
    const { name = 'unnamed', again = false } = entry.data ?? {};
    return contextLine(`Skill ${name}${again ? ', repeated after the compaction' : ''}`, bodyOf(entry));
  },
});

/** Memories recalled for the prompt that follows; quoted as data. */
export const memory = defineKind({
  subtype: 'memory',
  type: 'user',
  data: z.object({
    memories: z
      .array(z.object({ file: z.string().optional(), similarity: z.number().optional() }))
      .optional(),
  }),
  modelAccess: 'sent',
  isCollapsible: true,
  searchedAs: 'note',
  displayLine: (entry) => {
    const { memories = [] } = entry.data ?? {};
    if (memories.length === 0) return contextLine('Memories', { ...bodyOf(entry), only: 'export' });
    const files = [...new Set(memories.flatMap(({ file }) => file ?? []))];
    const from = files.length === 0 ? '' : `: ${files.join(', ')}`;
    const count = memories.length === 1 ? '1 memory' : `${memories.length} memories`;
    return contextLine(`${count}${from}`, bodyOf(entry));
  },
});

/** Project instructions such as AGENTS.md, always sent. An empty message means that the file was deleted. */
export const instructions = defineKind({
  subtype: 'instructions',
  type: 'user',
  data: z.object({
    /** Absolute path. */
    path: z.string().optional(),
    /** SHA-256 of the text, in hex; absent if the file was deleted. */
    hash: z.string().optional(),
    /** `user`: the user's own file; absent for files of the project and in earlier versions. */
    origin: z.string().optional(),
  }),
  modelAccess: 'sent',
  stays: 'all',
  searchedAs: 'note',
  displayLine: (entry) => {
    const { path = '' } = entry.data ?? {};
    // Early versions wrote a single entry for all files.
    if (path === '') return contextLine('Project instructions', { ...bodyOf(entry), only: 'export' });
    const short = path.startsWith(`${entry.cwd}/`) ? path.slice(entry.cwd.length + 1) : path;
    const state = contentOf(entry) === '' ? 'Instructions removed' : 'Instructions';
    return contextLine(`${state}: ${short}`, bodyOf(entry));
  },
});

/** A note that the date, folder or git state changed: after a resume or a rewind. */
export const environment = defineKind({
  subtype: 'environment',
  type: 'user',
  data: z.object({
    /** The environment block at that time. */
    block: z.string().optional(),
    about: z.string().optional(),
  }),
  modelAccess: 'sent',
  isCollapsible: true,
  stays: 'newest',
  searchedAs: 'note',
  displayLine: (entry) =>
    contextLine(entry.data?.about === 'rewind' ? 'Environment after the rewind.' : 'Session resumed.', {
      ...bodyOf(entry),
      only: 'export',
    }),
});

/**
 * A note from the program to the model: from the loop guard, about a truncated reply, an ended background task, or what
 * a language server found in an edit.
 */
export const nudge = defineKind({
  subtype: 'nudge',
  type: 'user',
  data: z.object({
    /** `task`, `diagnostics` or `rewind`; absent for notes about the reply. */
    about: z.string().optional(),
    /** Id of the task. */
    id: z.string().optional(),
    /** Offset of text that is not the program's, in UTF-16 code units: a subagent's message, a changed input. */
    outputAt: z.number().optional(),
  }),
  modelAccess: 'sent',
  isCollapsible: true,
  searchedAs: 'note',
  displayLine: (entry) => contextLine('Note to the model.', { ...bodyOf(entry), only: 'export' }),
});

/** Repeats the goal and the todo list for the model. */
export const reminder = defineKind({
  subtype: 'reminder',
  type: 'user',
  data: z.object({ goal: z.string().optional(), todos: z.array(todoSchema).optional() }),
  modelAccess: 'sent',
  isCollapsible: true,
  stays: 'newest',
  searchedAs: 'note',
  displayLine: (entry) =>
    contextLine('Goal and tasks, restated for the model.', { ...bodyOf(entry), only: 'export' }),
});
