import type { z } from 'zod';
import { JITLESS } from '../protocol/json.ts';
import { nearest } from './nearest.ts';
import { settingsSchema } from './schema.ts';
import type { Values } from './types.ts';

/** One value that is ignored, and why. */
export interface Complaint {
  readonly path: readonly (string | number)[];
  /** The setting that an unknown name was probably meant for. */
  readonly meant?: string;
  readonly message: string;
}

/**
 * Removes every value that the schema rejects and says why; the remaining values are valid as they are. Works on the
 * values as written, so that a default never hides a lower layer.
 */
export function checkValues(written: unknown): { values: Values; complaints: Complaint[] } {
  const values = structuredClone(written) as Values;
  const complaints: Complaint[] = [];
  while (true) {
    const checked = settingsSchema.safeParse(values, JITLESS);
    if (checked.success) return { values, complaints };
    // Deepest and last first: removing an item of a list shifts the items after it.
    const bad = onceEach(checked.error.issues.flatMap((issue) => complaintsOf(issue, values))).reverse();
    for (const { path } of bad) remove(values, path);
    complaints.push(...bad.reverse());
  }
}

/**
 * Reports only the first mistake of each MCP server and provider, and drops it: with one field less it would be a
 * different one.
 */
function onceEach(complaints: readonly Complaint[]): Complaint[] {
  const seen = new Set<string>();
  return complaints.flatMap((one) => {
    const [group, name] = one.path;
    if ((group !== 'mcpServers' && group !== 'providers') || name === undefined) return [one];
    if (seen.has(`${group} ${name}`)) return [];
    seen.add(`${group} ${name}`);
    return [{ ...one, path: [group, name] }];
  });
}

function complaintsOf(issue: z.core.$ZodIssue, values: Values): Complaint[] {
  const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step));
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => unknownKey(path, key, valueAt(values, [...path, key])));
  if (issue.code === 'invalid_key') {
    const why = issue.issues[0]?.message ?? 'not a usable name';
    return [{ path, message: `"${path.join('.')}" is ignored: ${why}. Rename or remove it.` }];
  }
  const name = path.join('.');
  const value = valueAt(values, path);
  if (isLacking(values, path)) {
    const whole = path.slice(0, -1).join('.');
    return [{ path, message: `"${whole}" is ignored: it has no "${path.at(-1)}". Add or remove it.` }];
  }
  const got = JSON.stringify(path.at(-1) === 'baseUrl' ? withoutSecret(value) : value);
  const but = mayBeSecret(path) ? '' : `, but it is ${got}`;
  const message = `"${name}" is ignored: ${whatIsWrong(issue)}${but}. ${fix(issue, value)}`;
  return [{ path, message }];
}

/** The validator's own words only where it has none of ours. */
function whatIsWrong(issue: z.core.$ZodIssue): string {
  const isRaw = /^Invalid (?:input|option): expected /.test(issue.message);
  if (isRaw && issue.code === 'invalid_type')
    return `it must be ${kinds[issue.expected] ?? `a ${issue.expected}`}`;
  if (isRaw && issue.code === 'invalid_value') {
    const values = issue.values.map((value) => JSON.stringify(value));
    return `it must be ${values.length > 1 ? 'one of ' : ''}${values.join(', ')}`;
  }
  return lowerFirst(issue.message);
}

const kinds: Readonly<Record<string, string>> = {
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/** True if a value must not be quoted, because it is a key or may contain one. */
function mayBeSecret([first, , field, , fact]: readonly (string | number)[]): boolean {
  if (first !== 'providers') return ['apiKey', 'headers', 'mcpServers'].includes(String(first));
  return !['baseUrl', 'wire', 'apiKeyEnv', 'models'].includes(String(field)) || fact === 'extraBody';
}

/** An address without password and query, which may contain a key. */
function withoutSecret(address: unknown): unknown {
  if (typeof address !== 'string') return address;
  return address.replace(/^([a-z]+:\/\/)?.*@/is, '$1…@').replace(/\?.*/s, '?…');
}

function unknownKey(path: readonly (string | number)[], key: string, value: unknown): Complaint {
  const whole = [...path, key];
  const name = `"${whole.join('.')}" is not a setting.`;
  if (path.length === 0 && namesEndpoint(key, value))
    return { path: whole, meant: 'baseUrl', message: `${name} Did you mean "baseUrl"?` };
  const meant = nearest(key, knownKeys(path));
  if (meant === undefined)
    return { path: whole, message: `${name} Remove it; the settings are listed in .clawdcode.example.json.` };
  const right = [...path, meant].join('.');
  return { path: whole, meant: right, message: `${name} Did you mean "${right}"?` };
}

/** Names under which other programs store a model's address, also inside an object: `OPENAI_BASE_URL`, `apiBase`. */
const endpointNames = /^(?:.*base[-_]?url|.*api[-_]?base|endpoint)$/i;

/**
 * More names, but only at the top level; inside an object they may be any address: `{ "mcpServers": { "docs": {
 * "url": … } } }`.
 */
const plainNames =
  /^(?:(?:open[-_]?ai|api|model|llm|server)[-_]?)?(?:url|host|endpoint|address|base|server)$/i;

/** Maximum depth that is searched: `{ "provider": { "openai": { "options": { "baseURL": … } } } }`. */
const MAX_LEVELS = 4;

/** True if an unknown setting most likely contains the address of an endpoint. */
function namesEndpoint(key: string, value: unknown, level = 0): boolean {
  if (typeof value === 'string')
    return (
      (endpointNames.test(key) || (level === 0 && plainNames.test(key))) && /^\s*https?:\/\//i.test(value)
    );
  if (level === MAX_LEVELS || typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, inner]) => namesEndpoint(name, inner, level + 1));
}

function fix(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code === 'invalid_type' && typeof value === 'string') {
    const bare = value.trim();
    const isNumber = bare !== '' && Number.isFinite(Number(bare));
    if (/^(number|int)/.test(issue.expected) && isNumber) return `Write ${bare} without quotes.`;
    if (issue.expected === 'boolean' && /^(true|false)$/.test(bare)) return `Write ${bare} without quotes.`;
    if (issue.expected === 'array') return `Write [${JSON.stringify(value)}].`;
  }
  if (issue.path[0] === 'baseUrl' && typeof value === 'string' && !/^https?:/i.test(value.trim()))
    return 'Begin it with http:// or https://.';
  if (issue.code === 'invalid_value' && typeof value === 'string') {
    const meant = nearest(value, issue.values.map(String));
    if (meant !== undefined) return `Did you mean "${meant}"?`;
  }
  if (issue.code === 'too_big' && issue.maximum === 1 && typeof value === 'number' && value < 100) {
    return `Write ${value / 100} for ${value} %.`;
  }
  return 'Correct or remove it.';
}

/** The names that the schema knows at a path; empty if any name is allowed. */
function knownKeys(path: readonly (string | number)[]): readonly string[] {
  let schema: unknown = settingsSchema;
  for (const step of path) {
    const inner = unwrap(schema);
    schema = isObjectSchema(inner) ? inner.shape[String(step)] : valueSchema(inner);
  }
  const last = unwrap(schema);
  return isObjectSchema(last) ? Object.keys(last.shape) : [];
}

function unwrap(schema: unknown): unknown {
  let inner = schema;
  while (hasDef(inner) && inner.def.innerType !== undefined) inner = inner.def.innerType;
  return inner;
}

function hasDef(value: unknown): value is { def: { innerType?: unknown; valueType?: unknown } } {
  return typeof value === 'object' && value !== null && 'def' in value;
}

function isObjectSchema(value: unknown): value is z.ZodObject {
  return hasDef(value) && 'shape' in value;
}

function valueSchema(value: unknown): unknown {
  return hasDef(value) ? value.def.valueType : undefined;
}

function valueAt(values: unknown, path: readonly (string | number)[]): unknown {
  let value = values;
  for (const step of path) value = (value as Values | undefined)?.[step];
  return value;
}

/** A required key that is missing cannot be removed, so the object that lacks it is. */
function remove(values: Values, path: readonly (string | number)[]): void {
  const parent = valueAt(values, path.slice(0, -1));
  const last = path.at(-1);
  if (isLacking(values, path)) remove(values, path.slice(0, -1));
  else if (Array.isArray(parent) && typeof last === 'number') parent.splice(last, 1);
  else if (last !== undefined && typeof parent === 'object' && parent !== null)
    delete (parent as Values)[last];
}

function isLacking(values: Values, path: readonly (string | number)[]): boolean {
  return path.length > 1 && valueAt(values, path) === undefined;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
