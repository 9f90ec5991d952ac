/** Problems that language servers report: parsing them, finding the new ones, describing them for the model. Pure. */
import * as z from 'zod';
import { quotedName, shortened, visibleLine } from '../protocol/text/visible.ts';

/** An error or a warning. */
export interface Problem {
  readonly isError: boolean;
  /** Both start at 1. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
  /** Such as `2322` or `reportCallIssue`. */
  readonly code: string;
}

/** More are ignored. */
const MAX_PROBLEMS = 2000;
const MAX_MESSAGE = 300;

const position = z.object({ line: z.number(), character: z.number() });
const code = z.union([z.string(), z.number()]).optional().catch(undefined);
const diagnosticSchema = z.object({
  range: z.object({ start: position }),
  severity: z.number().optional().catch(undefined),
  message: z.string(),
  code,
});

/** Parses a list of the protocol. Invalid items, information and hints are left out. */
export function parseDiagnostics(list: unknown): readonly Problem[] {
  return itemsOf(list).flatMap((item) => {
    const { data } = diagnosticSchema.safeParse(item);
    if (data === undefined || (data.severity ?? 1) > 2) return [];
    const { line, character } = data.range.start;
    return [problem(data.severity !== 2, line + 1, character + 1, data.message, data.code)];
  });
}

const tsserverSchema = z.object({
  start: z.object({ line: z.number(), offset: z.number() }),
  category: z.string(),
  text: z.string(),
  code,
});

/** Parses a list of TypeScript's own server. */
export function parseTsserver(list: unknown): readonly Problem[] {
  return itemsOf(list).flatMap((item) => {
    const { data } = tsserverSchema.safeParse(item);
    if (data === undefined || !['error', 'warning'].includes(data.category)) return [];
    const { line, offset } = data.start;
    return [problem(data.category === 'error', line, offset, data.text, data.code)];
  });
}

const itemsOf = (list: unknown): readonly unknown[] =>
  Array.isArray(list) ? list.slice(0, MAX_PROBLEMS) : [];

function problem(
  isError: boolean,
  line: number,
  column: number,
  message: string,
  ownCode: string | number | undefined,
): Problem {
  return {
    ...{ isError, line, column },
    message: visibleLine(message, MAX_MESSAGE),
    code: visibleLine(String(ownCode ?? ''), 60),
  };
}

/** Returns the problems of `now` without those of `before`, wherever those are now. */
export function newProblems(before: readonly Problem[], now: readonly Problem[]): readonly Problem[] {
  const known = new Map<string, number>();
  for (const one of before) known.set(keyOf(one), (known.get(keyOf(one)) ?? 0) + 1);
  // Of several equal ones, those on unchanged lines are the old ones.
  const places = new Set(before.map(placeOf));
  const [moved, kept] = [
    now.filter((one) => !places.has(placeOf(one))),
    now.filter((one) => places.has(placeOf(one))),
  ];
  const fresh = new Set(
    [...kept, ...moved].filter((one) => {
      const left = known.get(keyOf(one)) ?? 0;
      known.set(keyOf(one), left - 1);
      return left <= 0;
    }),
  );
  return now.filter((one) => fresh.has(one));
}

const keyOf = ({ isError, code: own, message }: Problem): string => JSON.stringify([isError, own, message]);
const placeOf = (one: Problem): string => `${one.line} ${keyOf(one)}`;

const MAX_LINES = 10;

interface Described {
  readonly path: string;
  /** The name of the server's program. */
  readonly server: string;
  /** A line that the server cannot know, so that its text cannot end the quote. */
  readonly fence: string;
}

/** Describes problems for the model, errors first. */
export function problemsText(problems: readonly Problem[], { path, server, fence }: Described): string {
  const sorted = [...problems].sort((a, b) => Number(b.isError) - Number(a.isError) || a.line - b.line);
  const lines = sorted.slice(0, MAX_LINES).map(({ isError, line, column, message, code: own }) => {
    const mark = own === '' ? '' : ` [${own}]`;
    return `${line}:${column} ${isError ? 'error' : 'warning'}: ${message}${mark}`;
  });
  const more = sorted.length - lines.length;
  const head = `New in ${quotedName(path)} after this edit, found by ${server} (its own text is between the lines ${fence}):`;
  return [head, fence, ...lines, ...(more > 0 ? [`and ${more} more`] : []), fence]
    .map((line) => shortened(line, 1000))
    .join('\n');
}
