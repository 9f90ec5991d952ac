// The JSON Schema of one line of a session's log, derived from the schema that the program uses to read lines.
import * as z from 'zod';
import { ENTRY_FORMAT, entrySchema } from '../src/protocol/entries/fields.ts';
import { type EntryKind, entryKinds, replyDataSchema } from '../src/protocol/entries.ts';

type JsonSchema = { [key: string]: unknown };
type Written = Exclude<EntryKind, 'past'>;

/** The schema of `data` for each kind; a subtype without one may contain anything. `past` is never written. */
export const dataSchemas = Object.fromEntries(
  Object.entries(entryKinds).flatMap(([subtype, { data }]) => (subtype === 'past' ? [] : [[subtype, data]])),
) as Readonly<Record<Written, z.ZodObject>>;

/** Meanings of fields of `data` with names that are not self-explanatory. */
export const dataMeanings: Readonly<Partial<Record<Written, Readonly<Record<string, string>>>>> = {
  session_start: {
    systemPrompt: 'The system prompt, frozen for the whole session.',
    noteKey: 'Marks the program’s own notes to the model.',
    noteFormat: '2: notes contain only the program’s words; absent in earlier versions.',
    environment: 'The facts used in the prompt; `block` is their text in it.',
    forkedFrom: 'Id of the session that this one was forked from.',
  },
  instructions: {
    path: 'Absolute path of the file; the text is in `message.content`, empty if deleted.',
    hash: 'SHA-256 of the text; absent if the file was deleted.',
    origin: '`user`: the user’s own file; otherwise a file of the project.',
  },
  prompt: {
    display: 'What the screen shows, if shorter (a folded paste).',
    typed: 'The part the user typed, if the rest was piped in.',
    commands: 'Commands of a custom command’s text that were run to fill it in.',
    original: 'The full text, if the content is only a part of it.',
  },
  skill: {
    callId: 'Id of the tool call that loaded it; absent if the user did.',
    again: 'Repeated after a compaction.',
    commands: 'Commands of its text that were run to fill it in.',
  },
  shell: {
    outputAt: 'Where in the content the output begins, in UTF-16 units.',
    output: 'The output itself, in older lines.',
    original: 'The full text, if the content is only a part of it.',
  },
  environment: { block: 'The environment as it is now.' },
  nudge: { about: '"rewind": files were restored; "task": a background command ended.' },
  rewind: {
    to: 'Uuid of the last entry that stays; absent if only files were restored.',
    prompt: 'Uuid of the prompt rewound to.',
    changes: 'The planned file changes.',
  },
  undo: {
    undoes: 'Uuids of the entries that no longer count.',
    changes: 'The planned file changes.',
  },
  judgement: { problem: 'Why there was no verdict, so that the user was asked.' },
  hook: {
    what: 'What it did: "blocked", "changed", "failed", "stopped" or "message".',
    source: 'The settings file that configures it.',
  },
  hook_context: { source: 'The settings file that configures it.' },
  usage: { purpose: 'What the tokens were used for: "summary", "title".' },
  turn_end: { error: 'The model error that ended the turn.' },
  effort: { effort: 'The level that was asked for; absent for the default of the model.' },
  model: {
    model: 'Its full name.',
    provider: 'The named provider in that name; absent for the default endpoint.',
  },
  title: { source: 'Where the title comes from; the user’s wins over the model’s.' },
};

const replyMeanings = {
  countedTokens: 'Estimated size of the request, uncalibrated.',
  requestModel: 'The requested model.',
  request: 'What the request was built from.',
};

/** Kinds whose lines always have `data`, and its fields that are always present. */
const alwaysThere: Readonly<Partial<Record<Written, readonly string[]>>> = {
  session_start: ['systemPrompt', 'environment', 'preferences', 'configuration'],
  shell_start: ['command'],
  shell: ['command'],
  environment: ['block'],
  mode: ['mode'],
  model: ['model'],
  reminder: ['todos'],
  memory: ['memories'],
  reduction: ['kind', 'reason', 'preTokens'],
  summary_failed: ['reason'],
  pin: ['uuid', 'pinned'],
  rewind: [],
  undo: ['undoes'],
  checkpoint: ['cause', 'changes'],
  judgement: ['callId', 'tool', 'decision'],
  turn_end: ['outcome', 'steps'],
};

/**
 * One line of a session. Unknown fields, subtypes and details are valid, because a newer version may have written them.
 */
export function sessionEntrySchema(): JsonSchema {
  const { $schema, ...entry } = z.toJSONSchema(entrySchema, { io: 'input' }) as JsonSchema;
  return {
    $schema,
    title: 'ClawdCode session entry',
    description: `One line of a session's log, format ${ENTRY_FORMAT}. See docs/session-format.md.`,
    ...withChecksum(described(entry, meanings)),
    allOf: [
      whenType('tool_use', { required: ['tool'] }),
      whenType('tool_result', { required: ['toolResult'] }),
      whenType('assistant', { properties: { data: described(schemaOf(replyDataSchema), replyMeanings) } }),
      whenSubtype('compact_boundary', { required: ['compactMetadata'] }),
      ...(Object.keys(dataSchemas) as Written[]).map((subtype) => {
        const required = alwaysThere[subtype];
        const data = described(schemaOf(dataSchemas[subtype]), dataMeanings[subtype]);
        return whenSubtype(
          subtype,
          required === undefined
            ? { properties: { data } }
            : { properties: { data: { ...data, required } }, required: ['data'] },
        );
      }),
    ],
  };
}

const when = (key: string, value: string, then: JsonSchema): JsonSchema => ({
  if: { properties: { [key]: { const: value } }, required: [key] },
  then,
});
const whenType = (type: string, then: JsonSchema): JsonSchema => when('type', type, then);
const whenSubtype = (subtype: string, then: JsonSchema): JsonSchema => when('subtype', subtype, then);

/** The schema of a part, without `$schema`, which only the root has. */
function schemaOf(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...part } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
  }) as JsonSchema;
  return part;
}

/** The meaning of each field, shown by editors. */
const meanings: Readonly<Record<string, string>> = {
  v: 'Version of this format; absent in older lines.',
  seq: 'Position in the session, from 0, without gaps in an undamaged log.',
  uuid: 'Unique id of this entry.',
  parentUuid: 'The previous entry; null for the first.',
  sessionId: 'The session; the file name without its extension.',
  timestamp: 'When it was written: ISO 8601 in UTC.',
  type: 'Where the line comes from.',
  subtype: 'What a user or system line is about. Unknown ones are valid.',
  cwd: 'Working directory, absolute.',
  gitBranch: 'Current branch, if any.',
  version: 'Version of the program that wrote the line.',
  mac: 'HMAC-SHA-256 of the file changes, in hex, with a key of the user who recorded them.',
  message: 'Role and content; in a reply also model, tokens, reasoning and how it ended.',
  tool: 'The call, in a tool_use.',
  toolResult: 'In a tool_result: what the model sees of the result, and what the call did.',
  isCompactSummary: 'True for the summary of a compaction.',
  compactMetadata: 'Metadata of a compaction, in its boundary and its summary.',
  data: 'Details of the subtype.',
};

/** On disk only: removed when a line is read. */
const checksum: JsonSchema = {
  description: 'Last field: CRC-32 of the bytes of the line before it, in hex.',
  type: 'string',
  pattern: '^[0-9a-f]{8}$',
};

function withChecksum(entry: JsonSchema): JsonSchema {
  return { ...entry, properties: { ...(entry.properties as JsonSchema), crc: checksum } };
}

function described(schema: JsonSchema, words: Readonly<Record<string, string>> = {}): JsonSchema {
  const properties = Object.entries(schema.properties as Record<string, JsonSchema>).map(
    ([name, property]) => {
      const description = words[name];
      return [name, description === undefined ? property : { description, ...property }];
    },
  );
  return { ...schema, properties: Object.fromEntries(properties) };
}
