/** The parts of a program's messages that must be the same for all programs. */

export type Line = Record<string, unknown> & { readonly type: string; readonly subtype?: string };

/** Reduces messages to the compared parts, at any depth, and replaces paths by names. */
export function seen(value: unknown, paths: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string')
    return Object.entries(paths).reduce((text, [path, name]) => text.replaceAll(path, name), value);
  if (Array.isArray(value)) return value.map((one) => seen(one, paths)).filter((one) => one !== undefined);
  if (typeof value !== 'object' || value === null) return value;
  const one = isLine(value) ? ofLine(value) : value;
  if (one === undefined) return undefined;
  return Object.fromEntries(Object.entries(one).map(([name, part]) => [name, seen(part, paths)]));
}

const isLine = (value: object): value is Line => 'session_id' in value && 'uuid' in value && 'type' in value;

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly is_error?: boolean;
}

/** Undefined for messages that only one of the programs has to write. */
function ofLine(line: Line): object | undefined {
  const sub = line.parent_tool_use_id == null ? {} : { sub: true };
  switch (line.type) {
    case 'assistant':
      return { assistant: blocksOf(line).map(ofBlock), ...sub };
    case 'user': {
      const results = blocksOf(line).filter(({ type }) => type === 'tool_result');
      if (results.length === 0) return undefined;
      return { results: results.map(({ is_error }) => (is_error === true ? 'error' : 'ok')), ...sub };
    }
    case 'result': {
      const { subtype, is_error, result, num_turns, structured_output, permission_denials } = line;
      const denied = (permission_denials as { tool_name: string }[]).map(({ tool_name }) => tool_name);
      return {
        ...{ result: subtype, is_error, text: result, num_turns, structured_output },
        ...(denied.length === 0 ? {} : { denied }),
      };
    }
    default:
      return undefined;
  }
}

function blocksOf({ message }: Line): readonly Block[] {
  const { content } = message as { content: string | readonly Block[] };
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function ofBlock({ type, text, name, input }: Block): unknown {
  return type === 'text' ? text : { [type]: name ?? '', ...(input === undefined ? {} : { input }) };
}
