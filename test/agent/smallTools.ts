/** Small inline tools for tests; real implementations of the port without zod and without files. */
import type { Access, Grant, Preview } from '../../src/protocol/permissions.ts';
import type { Settled, Tool, ToolContext, ToolOutcome } from '../../src/protocol/tools.ts';

interface Definition {
  readonly readOnly?: boolean;
  readonly access?: Access;
  readonly preview?: () => Promise<Preview | Settled>;
  readonly run?: (input: Input, context: ToolContext, grant: Grant) => Promise<ToolOutcome> | ToolOutcome;
}

type Input = Readonly<Record<string, unknown>>;

/** A tool that returns "<name> ran" by default; an input with `bad` is invalid. */
export function smallTool(name: string, definition: Definition = {}): Tool {
  const { readOnly = false, access = { type: 'none' } } = definition;
  return {
    name,
    readOnly,
    schema: { name, description: `The tool ${name}.`, parameters: { type: 'object' } },
    prepare(raw, context) {
      const input = raw as Input;
      if ('bad' in input) return { type: 'invalid', message: `${name}: "bad" is not a parameter.` };
      return {
        type: 'ready',
        title: `${name} it`,
        access,
        preview: definition.preview ?? (async () => ({ type: 'text', text: `${name} previewed` })),
        run: async (grant) => (await definition.run?.(input, context, grant)) ?? ok(`${name} ran`),
      };
    },
  };
}

export function ok(text: string): ToolOutcome {
  return { status: 'ok', text, kind: 'text', display: { title: text } };
}
