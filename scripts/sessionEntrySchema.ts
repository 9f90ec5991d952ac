// The JSON Schema of one line of a session's log, derived from the schema that the program itself reads lines with.
import * as z from 'zod';
import { reductionSchema } from '../src/context/history/reductions.ts';
import { requestRecordSchema } from '../src/context/requestRecord.ts';
import { checkpointSchema, pathChangeSchema } from '../src/protocol/checkpoints.ts';
import {
  blobRefSchema,
  ENTRY_FORMAT,
  entrySchema,
  todoSchema,
  toolDisplaySchema,
} from '../src/protocol/entries.ts';
import { permissionModes } from '../src/protocol/permissions.ts';
import { rewindScopes } from '../src/protocol/rewind.ts';

type JsonSchema = { [key: string]: unknown };

/** Subtypes and what their `data` holds; a subtype that is not here, or that nobody knows, may hold anything. */
export const dataSchemas: Readonly<Record<string, z.ZodType>> = {
  session_start: z.looseObject({
    systemPrompt: z.string().describe('The system prompt, frozen for the whole session.'),
    environment: z
      .looseObject({ block: z.string().optional() })
      .describe('The facts that the prompt was written from; `block` is their text in it.'),
    preferences: z.looseObject({}),
    configuration: z.looseObject({ model: z.string().optional() }),
    userId: z.string().optional(),
    forkedFrom: z.string().optional().describe('Id of the session that this one was forked from.'),
  }),
  instructions: z.looseObject({
    path: z
      .string()
      .describe('Absolute path of the file; the text is in `message.content`, empty when gone.'),
    hash: z.string().optional().describe('SHA-256 of the text; absent when the file is gone.'),
  }),
  prompt: z.looseObject({
    display: z.string().optional().describe('What the reader sees, where that is shorter (a folded paste).'),
    typed: z.string().optional().describe('What of it the user typed, where the rest was piped in.'),
    original: blobRefSchema.optional().describe('The whole text, where the content is only a part of it.'),
  }),
  shell: z.looseObject({
    command: z.string(),
    outputAt: z
      .number()
      .optional()
      .describe(
        'Where in the content the output begins, in UTF-16 units. Older lines have `output` instead.',
      ),
    status: z.enum(['ok', 'partial', 'error']).optional(),
    display: toolDisplaySchema.optional(),
    original: blobRefSchema.optional(),
  }),
  environment: z.looseObject({ block: z.string().describe('The environment as it is now.') }),
  mode: z.looseObject({ mode: z.enum(permissionModes) }),
  model: z.looseObject({ model: z.string() }),
  reminder: z.looseObject({ goal: z.string().optional(), todos: z.array(todoSchema) }),
  memory: z.looseObject({
    memories: z.array(z.looseObject({ file: z.string(), similarity: z.number() })),
  }),
  reduction: reductionSchema,
  summary_failed: z.looseObject({ reason: z.string() }),
  pin: z.looseObject({ uuid: z.string(), pinned: z.boolean() }),
  nudge: z.looseObject({ about: z.string().optional().describe('"rewind": files went back.') }),
  rewind: z.looseObject({
    to: z
      .string()
      .optional()
      .describe('Uuid of the last entry that stays; absent where only files went back.'),
    about: z.string().optional(),
    prompt: z.string().optional().describe('Uuid of the prompt that was gone back to.'),
    scope: z.enum(rewindScopes).optional(),
    changes: z.array(pathChangeSchema).optional().describe('What was going to be done to files.'),
  }),
  undo: z.looseObject({
    undoes: z.array(z.string()).describe('Uuids of the entries that no longer count.'),
    about: z.string().optional(),
    changes: z.array(pathChangeSchema).optional(),
  }),
  checkpoint: checkpointSchema,
  judgement: z.looseObject({
    callId: z.string(),
    tool: z.string(),
    decision: z.enum(['allow', 'deny', 'ask']),
    problem: z.string().optional().describe('Why there was no verdict, so that the user was asked.'),
  }),
  usage: z.looseObject({
    purpose: z.string().describe('What the tokens were spent on: "summary", "title".'),
  }),
  turn_end: z.looseObject({
    outcome: z.enum(['done', 'interrupted', 'failed', 'max_turns', 'loop']),
    steps: z.number(),
    error: z
      .looseObject({ kind: z.string(), message: z.string(), retryable: z.boolean() })
      .optional()
      .describe('The failure of the model that ended the turn.'),
  }),
  title: z.looseObject({
    source: z.enum(['user', 'model']).optional().describe('Who gave it; the user’s wins over the model’s.'),
  }),
};

/** What `data` of a reply holds. */
export const replyDataSchema = z.looseObject({
  countedTokens: z.number().optional().describe('What the request was estimated to be, uncalibrated.'),
  countedFeatures: z.array(z.number()).optional(),
  requestModel: z.string().optional().describe('The model that was asked.'),
  request: requestRecordSchema.optional().describe('What the request was made from.'),
});

/** Subtypes whose lines always carry `data`. The others may go without. */
const needsData = Object.keys(dataSchemas).filter(
  (subtype) => !['instructions', 'prompt', 'nudge', 'title', 'usage'].includes(subtype),
);

/** One line of a session. Unknown fields, subtypes and details are valid: a newer program may have written them. */
export function sessionEntrySchema(): JsonSchema {
  const { $schema, ...entry } = z.toJSONSchema(entrySchema, { io: 'input' }) as JsonSchema;
  return {
    $schema,
    title: 'ClawdCode session entry',
    description: `One line of a session's log, format ${ENTRY_FORMAT}. See docs/session-format.md.`,
    ...described(entry),
    allOf: [
      whenType('tool_use', { required: ['tool'] }),
      whenType('tool_result', { required: ['toolResult'] }),
      whenType('assistant', { properties: { data: schemaOf(replyDataSchema) } }),
      whenSubtype('compact_boundary', { required: ['compactMetadata'] }),
      ...Object.entries(dataSchemas).map(([subtype, schema]) =>
        whenSubtype(subtype, {
          properties: { data: schemaOf(schema) },
          ...(needsData.includes(subtype) ? { required: ['data'] } : {}),
        }),
      ),
    ],
  };
}

const when = (key: string, value: string, then: JsonSchema): JsonSchema => ({
  if: { properties: { [key]: { const: value } }, required: [key] },
  then,
});
const whenType = (type: string, then: JsonSchema): JsonSchema => when('type', type, then);
const whenSubtype = (subtype: string, then: JsonSchema): JsonSchema => when('subtype', subtype, then);

/** A part of the whole, which names the dialect once. */
function schemaOf(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...part } = z.toJSONSchema(schema, { io: 'input' }) as JsonSchema;
  return part;
}

/** The meaning of each field, for editors that show it. */
const meanings: Readonly<Record<string, string>> = {
  v: 'Version of this format; absent in lines that are older than it.',
  seq: 'Position in the session, from 0, without gaps in an undamaged log.',
  uuid: 'This entry.',
  parentUuid: 'The entry before it; null for the first.',
  sessionId: 'The session; the name of the file without its ending.',
  timestamp: 'When it was written: ISO 8601 in UTC.',
  type: 'Who or what the line is from.',
  subtype: 'What a user or system line is about. Unknown ones are valid.',
  cwd: 'Working directory, absolute.',
  gitBranch: 'Branch that was checked out there, where there was one.',
  version: 'Version of the program that wrote the line.',
  message: 'Role and content; of a reply also model, tokens, reasoning and how it ended.',
  tool: 'Of a tool_use: the call.',
  toolResult: 'Of a tool_result: what the model sees of the result, and what it did.',
  isCompactSummary: 'True for the summary that a compaction put in the place of what came before.',
  compactMetadata: 'Of a compaction, on its boundary and on its summary.',
  data: 'Details of the subtype.',
};

/** On disk only: what reads a line takes it off. */
const checksum: JsonSchema = {
  description: 'Last field: CRC-32 of the bytes of the line before it, in hex.',
  type: 'string',
  pattern: '^[0-9a-f]{8}$',
};

function described(schema: JsonSchema): JsonSchema {
  const properties = Object.entries(schema.properties as Record<string, JsonSchema>);
  return {
    ...schema,
    properties: {
      ...Object.fromEntries(
        properties.map(([name, property]) => [name, { description: meanings[name], ...property }]),
      ),
      crc: checksum,
    },
  };
}
