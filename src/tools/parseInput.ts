/** Parses a call's input; repairs what is obviously meant; says what is wrong in words a model can act on. */
import type { z } from 'zod';

/** The parsed input, or a message for the model. */
export type ParsedInput<Input> =
  | { readonly ok: true; readonly value: Input }
  | { readonly ok: false; readonly message: string };

/** Parses `raw`; `null` counts as absent, and `"10"` or `"[…]"` as what they spell where that is what is asked for. */
export function parseInput<Input>(
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
    message: `${tool} was not run: its input does not fit. ${problems.join('; ')}. It takes {${fields.join(', ')}}.`,
  };
}

function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null));
}

/** Small models write numbers, booleans and lists as strings; each such string is replaced by what it spells. */
function repaired(input: unknown, error: z.ZodError): unknown {
  const copy: unknown = structuredClone(input);
  for (const issue of error.issues) {
    if (issue.code !== 'invalid_type') continue;
    const [key] = issue.path;
    if (issue.path.length !== 1 || typeof key !== 'string' || typeof copy !== 'object' || copy === null)
      continue;
    const spelled: unknown = Reflect.get(copy, key);
    if (typeof spelled !== 'string') continue;
    try {
      Reflect.set(copy, key, JSON.parse(spelled));
    } catch {
      // Not JSON: the first error message stands.
    }
  }
  return copy;
}
