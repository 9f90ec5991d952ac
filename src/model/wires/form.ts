/** The form in which one server accepts requests for one model on the Responses and Anthropic wires. Pure. */

/** Learned from rejections; absent fields were not rejected. */
export interface Form {
  /** Names of optional parts that the server rejects. */
  readonly leftOut: readonly string[];
  /** Longest reply, in tokens, that the server allows. */
  readonly limit?: number;
  /** True if the limit only makes this one request fit into the context window. */
  readonly isForOne?: true;
}

export const fullForm: Form = { leftOut: [] };

/** An optional part of a request, and the error of servers that do not accept it. The first match is left out. */
export type OptionalPart = readonly [name: string, refusal: RegExp];

/** The form to try after a rejection; undefined if the error is about something else. Each step gives something up. */
export function learnForm(
  form: Form,
  parts: readonly OptionalPart[],
  refusal: string,
  status: number | undefined,
): Form | undefined {
  if (status !== 400 && status !== 422) return undefined;
  const room = roomFor(refusal);
  if (room !== undefined && form.isForOne !== true) return { ...form, limit: room, isForOne: true };
  const limit = Number(/max_(?:output_)?tokens\D{0,20}?\d+ > (\d+)/.exec(refusal)?.[1]);
  if (limit > 0 && limit < (form.limit ?? Number.POSITIVE_INFINITY)) return { ...form, limit };
  const part = parts.find(([name, pattern]) => !form.leftOut.includes(name) && pattern.test(refusal));
  return part === undefined ? undefined : { ...form, leftOut: [...form.leftOut, part[0]] };
}

/** Tokens. With room for less, a compaction is better. */
const LEAST_REPLY = 4096;

/** Older Claude models reject a request whose reply might not fit; the error contains both lengths. */
function roomFor(refusal: string): number | undefined {
  const [, input, , window] = /exceed context limit: (\d+) \+ (\d+) > (\d+)/.exec(refusal) ?? [];
  const room = Number(window) - Number(input);
  return room >= LEAST_REPLY ? room : undefined;
}
