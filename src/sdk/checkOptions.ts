/** Checks what a host passes in, so that a mistake is one clear error before anything starts. */
import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import * as z from 'zod';
import { efforts } from '../protocol/models/wires.ts';
import { permissionModes } from '../protocol/permissions.ts';
import type {
  CanUseTool,
  Hook,
  JsonSchema,
  SchemaOf,
  SessionOptions,
  Tool,
  UserMessage,
} from './api/options.ts';
import { ClawdCodeError, messageOf } from './errors.ts';
import { type ReadSchema, readSchema } from './schema.ts';

/** A tool whose schema has been read. */
export interface CheckedTool extends Omit<Tool, 'input' | 'run'> {
  readonly schema: ReadSchema;
  readonly run: (input: unknown, context: { readonly signal: AbortSignal }) => unknown;
}

export interface CheckedOptions extends Omit<SessionOptions, 'tools' | 'jsonSchema'> {
  readonly tools: readonly CheckedTool[];
  readonly jsonSchema: JsonSchema | undefined;
}

const functionOf = <F>() =>
  z.custom<F>((value) => typeof value === 'function', { error: 'expected a function' });
const text = z.string().min(1);
const texts = z.array(text);
const record = z.record(z.string(), z.record(z.string(), z.unknown()));
const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
const schema = z.custom<SchemaOf<unknown> | JsonSchema>(
  (value) => (typeof value === 'object' || typeof value === 'function') && value !== null,
  { error: 'expected a schema' },
);

const tool = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9_-]{1,40}$/, { error: 'a name has up to 40 letters, digits, _ and -' }),
  description: text,
  input: schema,
  allow: z.boolean().optional(),
  run: functionOf<Tool['run']>(),
});

const hookGroup = z.strictObject({
  matcher: z.string().optional(),
  hooks: z.array(functionOf<Hook>()).min(1),
  timeoutSeconds: z.number().positive().optional(),
  onFailure: z.enum(['continue', 'block']).optional(),
});

const options = z.strictObject({
  runIn: z.enum(['child', 'process']).optional(),
  cwd: text.refine(isFolder, { error: 'there is no such folder' }).optional(),
  home: text.refine((path) => isAbsolute(path), { error: 'expected an absolute path' }).optional(),
  env: z.record(z.string(), z.string().optional()).optional(),
  model: text.optional(),
  fallbackModels: texts.optional(),
  effort: z.enum(efforts).optional(),
  baseUrl: z.url({ protocol: /^https?$/, error: 'expected an http or https URL' }).optional(),
  apiKey: text.optional(),
  resume: text.optional(),
  fork: z.boolean().optional(),
  sessionId: z.uuid().optional(),
  title: z.string().max(1000).optional(),
  persist: z.boolean().optional(),
  systemPrompt: z.union([z.string(), z.strictObject({ append: z.string() })]).optional(),
  builtinTools: texts.optional(),
  tools: z.array(tool).max(200).optional(),
  allowedTools: texts.optional(),
  disallowedTools: texts.optional(),
  permissionMode: z.enum(permissionModes).optional(),
  canUseTool: functionOf<CanUseTool>().optional(),
  hooks: z.record(z.string(), z.array(hookGroup)).optional(),
  mcpServers: record.optional(),
  agents: record.optional(),
  settings: z.record(z.string(), z.unknown()).optional(),
  settingSources: z.array(z.enum(['user', 'project', 'local'])).optional(),
  additionalDirectories: texts.optional(),
  jsonSchema: schema.optional(),
  maxTurns: z.int().min(1).optional(),
  maxBudgetUsd: z.number().positive().optional(),
  partialMessages: z.boolean().optional(),
  signal: z.instanceof(AbortSignal).optional(),
  onWarning: functionOf<(text: string) => void>().optional(),
});

/** Throws a `ClawdCodeError` that names the option. */
export function checkOptions(given: unknown): CheckedOptions {
  const parsed = options.safeParse(given ?? {});
  if (!parsed.success) throw mistake(issueText('options', parsed.error));
  // Absent and undefined are the same to us, but not to the type.
  const {
    tools = [],
    jsonSchema,
    ...rest
  } = parsed.data as SessionOptions & { readonly tools?: readonly Tool[] };
  const wrong = contradiction(rest);
  if (wrong !== undefined) throw mistake(wrong);
  const names = tools.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw mistake(`options.tools: there are two tools named "${twice}".`);
  return {
    ...rest,
    tools: tools.map(({ input, run, ...one }) => ({
      ...one,
      schema: schemaFor(`options.tools: the input of "${one.name}"`, input),
      // What the schema parses is what the function takes.
      run: run as CheckedTool['run'],
    })),
    jsonSchema: jsonSchema === undefined ? undefined : schemaFor('options.jsonSchema', jsonSchema).json,
  };
}

/** Throws a `ClawdCodeError` if it is neither a text nor a message. */
export function checkPrompt(given: unknown): UserMessage {
  if (typeof given === 'string') return { content: given };
  const parsed = message.safeParse(given);
  if (!parsed.success) throw mistake(issueText('prompt', parsed.error));
  return parsed.data as UserMessage;
}

const block = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({
    type: z.literal('image'),
    source: z.looseObject({ type: z.literal('base64'), data: z.string() }),
  }),
]);
const message = z.strictObject(
  {
    content: z.union([z.string(), z.array(block)], {
      error: 'expected text, or a list of text and image blocks',
    }),
    uuid: z.string().min(1).max(128).optional(),
    verbatim: z.boolean().optional(),
  },
  { error: (issue) => (issue.code === 'invalid_type' ? 'expected text or { content }' : undefined) },
);

function contradiction({ fork, resume, sessionId, persist }: Partial<SessionOptions>): string | undefined {
  if (fork === true && resume === undefined) return 'options.fork needs options.resume: the session to copy.';
  if (sessionId !== undefined && resume !== undefined)
    return 'options.sessionId is for new sessions: leave out options.resume.';
  if (persist === false && resume !== undefined)
    return 'options.persist: false is for new sessions: leave out options.resume.';
  return undefined;
}

function schemaFor(what: string, given: unknown): ReadSchema {
  try {
    return readSchema(given);
  } catch (error) {
    throw mistake(`${what} ${messageOf(error)}.`);
  }
}

function issueText(what: string, { issues: [issue] }: z.ZodError): string {
  if (issue === undefined) return `${what}: not valid.`;
  const path = [what, ...issue.path.map(String)].join('.');
  if (issue.code === 'unrecognized_keys')
    return `${path}: there is no option ${issue.keys.map((key) => `"${key}"`).join(', ')}.`;
  return `${path}: ${issue.message.replace(/^Invalid input: /, '').replace(/\.$/, '')}.`;
}

const mistake = (text: string): ClawdCodeError => new ClawdCodeError('options', text);
