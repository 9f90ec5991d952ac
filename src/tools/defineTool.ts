/** Turns a definition into the `Tool` port: parses the input and converts expected failures into outcomes. */
import * as z from 'zod';
import { realpath } from '../disk/paths.ts';
import { assertUnmoved, type ResolvedPath } from '../disk/realFile.ts';
import type { FieldAnswer } from '../protocol/forms.ts';
import { isRecord } from '../protocol/json.ts';
import type { Access, Grant, Preview } from '../protocol/permissions.ts';
import { type ToolName, traitsOf } from '../protocol/toolNames.ts';
import type { Settled, Tool, ToolContext, ToolOutcome } from '../protocol/tools.ts';
import { describeSystemError, failure } from './outcomes.ts';

interface ToolHead<Input> {
  readonly name: ToolName;
  /** For the model. Sent with every request: the schemas of all built-in tools have at most 6,500 characters together. */
  readonly description: string;
  readonly input: z.ZodObject & z.ZodType<Input>;
}

/** The definition of a tool; `defineTool` adds parsing, a default preview and error outcomes. */
interface ToolDefinition<Input> extends ToolHead<Input> {
  /** One line that names the file and range, the pattern or the command. */
  readonly title: (input: Input, context: ToolContext) => string;
  readonly access: (input: Input, context: ToolContext) => Access;
  readonly preview?: (input: Input, context: ToolContext) => Promise<Preview | Settled>;
  /** May throw system errors (`ENOENT`, `EACCES` …), which become `error` outcomes. Any other error is a bug. */
  readonly run: (
    input: Input,
    context: ToolContext,
    grant: Grant,
    /** What the user answered if the preview was a form. */
    answers: readonly FieldAnswer[],
  ) => Promise<ToolOutcome>;
}

/** The definition of a tool that works on one file or folder. */
interface FileToolDefinition<Input> extends ToolHead<Input> {
  /** Absolute. Resolved once, so that the same file is checked, shown and used. */
  readonly path: (input: Input, context: ToolContext) => string;
  readonly title: (input: Input, context: ToolContext, path: string) => string;
  readonly preview?: (
    place: ResolvedPath,
    input: Input,
    context: ToolContext,
  ) => Promise<Preview | Settled | undefined>;
  /** Accesses nothing but the place's real path. May throw like `ToolDefinition.run`, and a `PathMovedError`. */
  readonly run: (
    place: ResolvedPath,
    input: Input,
    context: ToolContext,
    grant: Grant,
  ) => Promise<ToolOutcome>;
}

/** Creates a tool from its definition. */
export function defineTool<Input>(definition: ToolDefinition<Input>): Tool {
  return makeTool(definition, (input, context) => ({
    title: definition.title(input, context),
    access: definition.access(input, context),
    preview: async () => definition.preview?.(input, context),
    run: (grant, answers) => definition.run(input, context, grant, answers),
  }));
}

/** Creates a tool that works on one file or folder. */
export function defineFileTool<Input>(definition: FileToolDefinition<Input>): Tool {
  return makeTool(definition, (input, context) => {
    const path = definition.path(input, context);
    const place: ResolvedPath = { path, realPath: realpath(path) };
    return {
      title: definition.title(input, context, path),
      access: {
        type: traitsOf(definition.name).readOnly ? 'read' : 'write',
        paths: [path],
        realPaths: [place.realPath],
      },
      preview: async () => definition.preview?.(place, input, context),
      run: (grant) => definition.run(place, input, context, grant),
    };
  });
}

/** A definition applied to one call. */
interface OneCall {
  readonly title: string;
  readonly access: Access;
  readonly preview: () => Promise<Preview | Settled | undefined>;
  readonly run: (grant: Grant, answers: readonly FieldAnswer[]) => Promise<ToolOutcome>;
}

function makeTool<Input>(
  { name, description, input: schema }: ToolHead<Input>,
  prepareCall: (input: Input, context: ToolContext) => OneCall,
): Tool {
  return {
    name,
    readOnly: traitsOf(name).readOnly,
    schema: { name, description, parameters: inputSchema(schema) },
    prepare(raw, context) {
      const parsed = parseInput(name, schema, raw);
      if (!parsed.ok) return { type: 'invalid', message: parsed.message };
      const { title, access, preview, run } = prepareCall(parsed.value, context);
      // The command was checked for its start directory, which must still be the same one.
      const start = access.type === 'command' ? access.cwd : undefined;
      const place = start === undefined ? undefined : { path: start, realPath: realpath(start) };
      const toFailure = (error: unknown): ToolOutcome => {
        const message = describeSystemError(error);
        if (message === undefined) throw error;
        return failure(title, message);
      };
      return {
        type: 'ready',
        title,
        access,
        preview: async () => {
          try {
            return (await preview()) ?? accessPreview(name, title, access);
          } catch (error) {
            return { type: 'settled', outcome: toFailure(error) };
          }
        },
        run: async (grant, answers = []) => {
          try {
            if (place) assertUnmoved(place);
            return await run(grant, answers);
          } catch (error) {
            return toFailure(error);
          }
        },
      };
    },
  };
}

function accessPreview(name: string, title: string, access: Access): Preview {
  switch (access.type) {
    case 'read':
    case 'write': {
      const { paths, realPaths } = access;
      return { type: 'paths', verb: name, paths, ...(realPaths && { realPaths }) };
    }
    case 'command':
      return { type: 'command', command: access.command, cwd: access.cwd };
    case 'web':
      return { type: 'text', text: `GET ${access.url}` };
    case 'plan':
    case 'question':
    case 'named':
    case 'none':
    case 'unknown':
      return { type: 'text', text: title };
  }
}

/** The JSON Schema of the input, without parts that no model needs: every character costs tokens in each request. */
function inputSchema(input: z.ZodObject): Readonly<Record<string, unknown>> {
  const schema = withoutNoise(z.toJSONSchema(input, { io: 'input' }));
  return { type: 'object', ...(isRecord(schema) ? schema : {}) };
}

function withoutNoise(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNoise);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(
    ([key, item]) =>
      key !== '$schema' &&
      key !== 'additionalProperties' &&
      Math.abs(Number(item)) !== Number.MAX_SAFE_INTEGER,
  );
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutNoise(item)]));
}

/** The parsed input, or a message for the model. */
type ParsedInput<Input> =
  | { readonly ok: true; readonly value: Input }
  | { readonly ok: false; readonly message: string };

/**
 * Parses `raw`. `null` is treated as absent; strings such as `"10"` or `"[…]"` are converted if another type is expected.
 */
function parseInput<Input>(
  tool: string,
  schema: z.ZodObject & z.ZodType<Input>,
  raw: unknown,
): ParsedInput<Input> {
  const input = withoutNulls(raw ?? {});
  const first = schema.safeParse(input);
  if (first.success) return { ok: true, value: first.data };
  const second = schema.safeParse(repaired(input, first.error));
  if (second.success) return { ok: true, value: second.data };
  const fields = Object.entries(schema.shape).map(([key, field]) =>
    field.safeParse(undefined).success ? `${key}?` : key,
  );
  const problems = first.error.issues.map((issue) => {
    const path = issue.path.map(String).join('.');
    return path === '' ? issue.message : `\`${path}\`: ${issue.message}`;
  });
  return {
    ok: false,
    message: `${tool} was not run: invalid input. ${problems.join('; ')}. It takes {${fields.join(', ')}}.`,
  };
}

function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null));
}

/** Small models write numbers, booleans and lists as strings; parses each such string as JSON. */
function repaired(input: unknown, error: z.ZodError): unknown {
  const copy: unknown = structuredClone(input);
  for (const issue of error.issues) {
    if (issue.code !== 'invalid_type') continue;
    const [key] = issue.path;
    if (issue.path.length !== 1 || typeof key !== 'string' || typeof copy !== 'object' || copy === null)
      continue;
    const text: unknown = Reflect.get(copy, key);
    if (typeof text !== 'string') continue;
    try {
      Reflect.set(copy, key, JSON.parse(text));
    } catch {
      // Not JSON: keep the original error message.
    }
  }
  return copy;
}
