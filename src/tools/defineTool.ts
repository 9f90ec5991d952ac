/** Turns a definition into the `Tool` port: input is parsed here, expected failures become outcomes here. */
import * as z from 'zod';
import type { Access, Grant, Preview } from '../protocol/permissions.ts';
import type { Tool, ToolContext, ToolOutcome } from '../protocol/tools.ts';
import { failure } from './outcomes.ts';
import { parseInput } from './parseInput.ts';
import { describeSystemError } from './systemErrors.ts';

/** What a tool's own file says; `defineTool` adds parsing, a default preview and error outcomes. */
export interface ToolDefinition<Input> {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodObject & z.ZodType<Input>;
  readonly readOnly: boolean;
  /** One line that names the file and range, the pattern or the command. */
  readonly title: (input: Input, context: ToolContext) => string;
  readonly access: (input: Input, context: ToolContext) => Access;
  readonly preview?: (input: Input, context: ToolContext) => Promise<Preview>;
  /** May throw system errors (`ENOENT`, `EACCES` …): they become `error` outcomes. Anything else is a bug. */
  readonly run: (input: Input, context: ToolContext, grant: Grant) => Promise<ToolOutcome>;
}

/** Makes a tool of its definition. */
export function defineTool<Input>(definition: ToolDefinition<Input>): Tool {
  const { name, description, readOnly } = definition;
  return {
    name,
    readOnly,
    schema: { name, description, parameters: inputSchema(definition.input) },
    prepare(raw, context) {
      const parsed = parseInput(name, definition.input, raw);
      if (!parsed.ok) return { type: 'invalid', message: parsed.message };
      const input: Input = parsed.value;
      const title = definition.title(input, context);
      const access = definition.access(input, context);
      return {
        type: 'ready',
        title,
        access,
        preview: async () => {
          try {
            return (await definition.preview?.(input, context)) ?? accessPreview(name, title, access);
          } catch (error) {
            const message = describeSystemError(error);
            if (message === undefined) throw error;
            return { type: 'text', text: `This will fail: ${message}` };
          }
        },
        run: async (grant) => {
          try {
            return await definition.run(input, context, grant);
          } catch (error) {
            const message = describeSystemError(error);
            if (message === undefined) throw error;
            return failure(title, message);
          }
        },
      };
    },
  };
}

function accessPreview(name: string, title: string, access: Access): Preview {
  switch (access.type) {
    case 'read':
    case 'write':
      return { type: 'paths', verb: name, paths: access.paths };
    case 'command':
      return { type: 'command', command: access.command, cwd: access.cwd };
    case 'web':
      return { type: 'text', text: `GET ${access.url}` };
    case 'plan':
    case 'none':
      return { type: 'text', text: title };
  }
}

/** The JSON Schema of the input without what no model needs; every character is paid for in each request. */
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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
