/** The tool with which the model gives its final answer in the form that `--json-schema` requires. */
import { structuredOutputToolName, traitsOf } from '../protocol/toolNames.ts';
import type { Tool } from '../protocol/tools.ts';
import { compileSchema } from './jsonSchema.ts';

export interface StructuredOutput {
  readonly tool: Tool;
  /** Forgets the answer of an earlier turn. */
  begin(): void;
  /** The answer; undefined until there is a valid one. */
  answer(): { readonly value: unknown } | undefined;
  /** Number of calls since `begin` that did not match the schema. */
  failures(): number;
}

/** Maximum characters: a larger schema does not fit into any request. */
const MAX_SCHEMA = 200_000;

/** Throws an error with a message for the user if the text is not a JSON schema of an object. */
export function createStructuredOutput(schemaText: string): StructuredOutput {
  const schema = parseSchema(schemaText);
  const mistakesIn = compileSchema(schema);
  const { $schema: _, ...parameters } = schema;
  let answer: { readonly value: unknown } | undefined;
  let failures = 0;
  const tool: Tool = {
    name: structuredOutputToolName,
    schema: {
      name: structuredOutputToolName,
      description:
        'Submit your final answer. Call it once, when the work is done, instead of answering in text: the user sees only its input.',
      parameters: { ...parameters, type: 'object' },
    },
    readOnly: traitsOf(structuredOutputToolName).readOnly,
    prepare(input) {
      const mistakes = mistakesIn(input);
      if (mistakes !== undefined) {
        failures++;
        return { type: 'invalid', message: `The answer does not match the schema: ${mistakes}.` };
      }
      return {
        type: 'ready',
        title: 'final answer',
        access: { type: 'none' },
        preview: async () => ({ type: 'text', text: JSON.stringify(input, null, 1) }),
        async run() {
          answer = { value: input };
          const display = { title: 'final answer', summary: 'matches the schema' };
          return { status: 'ok', text: 'Received.', kind: 'text', display, endsTurn: true };
        },
      };
    },
  };
  return {
    tool,
    begin() {
      [answer, failures] = [undefined, 0];
    },
    answer: () => answer,
    failures: () => failures,
  };
}

function parseSchema(text: string): Record<string, unknown> {
  if (text.length > MAX_SCHEMA) throw new Error(`it has more than ${MAX_SCHEMA} characters`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`it is not JSON: ${(error as Error).message.slice(0, 200)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('it is not an object');
  const schema = value as Record<string, unknown>;
  if (schema.type !== 'object')
    throw new Error('its "type" must be "object": put lists and texts into a property');
  return schema;
}
