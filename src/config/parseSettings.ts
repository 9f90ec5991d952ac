import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { shortened } from '../protocol/text/visible.ts';
import { type Complaint, checkValues } from './checkValues.ts';
import type { Layer, Problem, SettingsRule, Values } from './types.ts';

/** The content of one settings file. `broken`: it is not a JSON object, so all of it is ignored. */
interface ParsedSettings {
  readonly values: Values;
  /** What the file contains, unchecked. */
  readonly written: Values;
  readonly problems: readonly Problem[];
  readonly broken: boolean;
}

/** Limits, so that an untrusted file cannot flood the screen with its mistakes. */
const MAX_PROBLEMS = 20;
const MAX_MESSAGE_CHARACTERS = 500;

/**
 * Parses a settings file: JSON with comments and trailing commas. Each bad key is left out individually. `pick` selects
 * the settings of a file that is not only ours, with their paths unchanged; the rest is not checked.
 */
export function parseSettings(
  text: string,
  file: string,
  layer: Layer,
  pick: (written: Values) => Values = (written) => written,
): ParsedSettings {
  const source = text.replace(/^\uFEFF/, '');
  const errors: ParseError[] = [];
  const isManaged = layer === 'managed';
  const tree = parseTree(source, errors, { allowTrailingComma: true, allowEmptyContent: !isManaged });
  const nothing = { values: {}, written: {}, problems: [], broken: false };
  const [first] = errors;
  if (first !== undefined) {
    const { line, column } = position(source, first.offset);
    const what = spelled(printParseErrorCode(first.error));
    const remedy = isManaged ? '' : ' Correct it; until then this file is ignored.';
    const message = `${file}:${line}:${column}: ${what}.${remedy}`;
    return { ...nothing, problems: [{ layer, file, line, column, message }], broken: true };
  }
  if (tree === undefined) return nothing;
  if (tree.type !== 'object') {
    const message = `${file}: settings are an object, { … }, but this file holds ${article(tree.type)}. Put braces around them.`;
    return { ...nothing, problems: [{ layer, file, line: 1, column: 1, message }], broken: true };
  }
  const written = dataOf(tree) as Values;
  const { values, complaints: found } = checkValues(pick(written));
  const complaints = [...found, ...repeatedKeys(tree)];
  const problems = complaints
    .toSorted((a, b) => Number(isOfEndpoint(b)) - Number(isOfEndpoint(a)))
    .slice(0, MAX_PROBLEMS)
    .map((complaint) => toProblem(complaint, { file, layer, tree, source }));
  const more = complaints.length - problems.length;
  if (more > 0) problems.push({ layer, file, message: `${file}: ${more} more errors like these.` });
  return { values, written, problems, broken: false };
}

/** Sorted first, so that it is never cut off: see `misreadEndpoint`. */
function isOfEndpoint({ path, meant }: Complaint): boolean {
  return path[0] === 'baseUrl' || meant === 'baseUrl';
}

function toProblem(
  { path, meant, message }: Complaint,
  { file, layer, tree, source }: { file: string; layer: Layer; tree: Node; source: string },
): Problem {
  const node = nodeAt(tree, path);
  const key = path.join('.');
  const at = node === undefined ? undefined : position(source, node.offset);
  const where = at === undefined ? file : `${file}:${at.line}`;
  const whole = `${where}: ${message}`;
  const shown = shortened(whole, MAX_MESSAGE_CHARACTERS);
  return { layer, file, key, ...(meant === undefined ? {} : { meant }), ...at, message: shown };
}

/** If a key is repeated, the last one applies; without this report a rule in an earlier one would be lost silently. */
function repeatedKeys(node: Node, path: Complaint['path'] = []): Complaint[] {
  if (node.type === 'array')
    return (node.children ?? []).flatMap((item, index) => repeatedKeys(item, [...path, index]));
  if (node.type !== 'object') return [];
  const seen = new Set<string>();
  return (node.children ?? []).flatMap((property) => {
    const [keyNode, value] = property.children ?? [];
    if (keyNode === undefined || value === undefined) return [];
    const key = String(keyNode.value);
    const way = [...path, key];
    const message = `"${way.join('.')}" is defined more than once, and only the last one applies. Merge them.`;
    const again = seen.has(key) ? [{ path: way, message }] : [];
    seen.add(key);
    return [...again, ...repeatedKeys(value, way)];
  });
}

/** Converts a tree to plain values. Every key becomes an own property (`__proto__` included). */
function dataOf(node: Node): unknown {
  if (node.type === 'array') return (node.children ?? []).map(dataOf);
  if (node.type !== 'object') return node.value as unknown;
  const object: Values = {};
  for (const property of node.children ?? []) {
    const [key, value] = property.children ?? [];
    if (key === undefined || value === undefined) continue;
    const descriptor = { value: dataOf(value), enumerable: true, configurable: true, writable: true };
    Object.defineProperty(object, String(key.value), descriptor);
  }
  return object;
}

function nodeAt(tree: Node, path: readonly PropertyKey[]): Node | undefined {
  let node: Node | undefined = tree;
  for (const step of path) {
    const children: readonly Node[] = node?.children ?? [];
    node =
      typeof step === 'number'
        ? children[step]
        : children.findLast((property) => property.children?.[0]?.value === step)?.children?.[1];
  }
  return node;
}

/** Line and column of an offset, both from 1. */
export function position(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** "CommaExpected" → "comma expected". */
function spelled(code: string): string {
  return code.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
}

function article(type: string): string {
  return type === 'null' ? 'null' : `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`;
}

/** The permission rules of a layer. */
export function rulesOf(values: Values, source: string, base: string): SettingsRule[] {
  const permissions = (values.permissions ?? {}) as Partial<Record<SettingsRule['behavior'], string[]>>;
  return (['allow', 'ask', 'deny'] as const).flatMap((behavior) =>
    (permissions[behavior] ?? []).map((text) => ({ text, behavior, source, base })),
  );
}
