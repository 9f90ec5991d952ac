/**
 * The folders that the user trusts, by real path, what they approved in each, their decisions about MCP servers, and
 * rules they saved in a folder without being asked to trust it: `trust.json` in the data folder.
 */
import { join } from 'node:path';
import * as z from 'zod';
import { type JsonFile, openJsonFile } from '../disk/jsonFile.ts';
import { addedGrants, effectOf, type GrantText, partition, shownGrant } from './grants.ts';
import { shownHooks } from './hooks.ts';
import type { Grant, UntrustedSetting, Values } from './types.ts';

const grantSchema = z.looseObject({ kind: z.string(), text: z.string(), source: z.string() });

const trustFileSchema = z.looseObject({
  /** Time of approval, by folder. */
  folders: z.record(z.string(), z.string()).default({}),
  /** Approved grants, by folder; earlier versions did not record them. */
  grants: z.record(z.string(), z.array(grantSchema)).default({}),
  rules: z.record(z.string(), z.array(z.string())).default({}),
  /** Decisions about the MCP servers of a folder: by server name, valid for one content. */
  servers: z
    .record(
      z.string(),
      z.record(
        z.string(),
        z.looseObject({ hash: z.string(), approved: z.boolean(), lines: z.array(z.string()).optional() }),
      ),
    )
    .default({}),
});
type TrustFile = z.infer<typeof trustFileSchema>;

/** The user's decisions about one folder; folders inside or around it are separate. */
export interface FolderTrust {
  /** The user has trusted this folder, whatever its settings were at the time. */
  readonly isTrusted: boolean;
  /** The approved grants; undefined if an earlier version did not record them. */
  readonly granted: readonly Grant[] | undefined;
  /** Allow rules that the user saved in the folder: they apply there regardless of its other settings. */
  readonly savedRules: readonly string[];
  /** The user's decision about a server of the folder; undefined for one that is new or has changed. */
  readonly serverAnswer: (name: string, hash: string) => boolean | undefined;
  /** What the user was shown of a server when they decided about it; undefined if it was long or is not known. */
  readonly serverLines: (name: string) => readonly string[] | undefined;
  /** Names of the servers that the user has decided about, even if they have changed since. */
  readonly serversAnswered: readonly string[];
}

export async function readTrust(dataRoot: string, realRoot: string): Promise<FolderTrust> {
  const { folders, grants, rules, servers } = trustFile(dataRoot).read();
  const answers = Object.hasOwn(servers, realRoot) ? (servers[realRoot] ?? {}) : {};
  return {
    isTrusted: Object.hasOwn(folders, realRoot),
    granted: Object.hasOwn(grants, realRoot) ? grants[realRoot] : undefined,
    savedRules: Object.hasOwn(rules, realRoot) ? (rules[realRoot] ?? []) : [],
    serversAnswered: Object.keys(answers),
    serverLines: (name) => (Object.hasOwn(answers, name) ? answers[name]?.lines : undefined),
    serverAnswer(name, hash) {
      const answer = Object.hasOwn(answers, name) ? answers[name] : undefined;
      return answer?.hash === hash ? answer.approved : undefined;
    },
  };
}

/** Records when the user trusted a folder, and which of its settings they approved. */
export async function trustFolder(
  dataRoot: string,
  realRoot: string,
  granted: readonly Grant[],
  now: () => Date,
): Promise<void> {
  await trustFile(dataRoot).change((trust) => ({
    ...trust,
    folders: { ...trust.folders, [realRoot]: now().toISOString() },
    grants: { ...trust.grants, [realRoot]: granted.map((grant) => ({ ...grant })) },
  }));
}

/** Adds grants that the user has just given in a folder that they trust; does nothing in any other folder. */
export async function approveGrants(
  dataRoot: string,
  realRoot: string,
  added: readonly Grant[],
): Promise<void> {
  if (added.length === 0) return;
  await trustFile(dataRoot).change((trust) => {
    if (!Object.hasOwn(trust.folders, realRoot)) return trust;
    const known = Object.hasOwn(trust.grants, realRoot) ? (trust.grants[realRoot] ?? []) : [];
    const fresh = addedGrants(known, added);
    const grants = { ...trust.grants, [realRoot]: [...known, ...fresh.map((grant) => ({ ...grant }))] };
    return { ...trust, grants };
  });
}

/** Records that the user saved these rules in a folder, which is less than trusting all of its settings. */
export async function rememberRules(
  dataRoot: string,
  realRoot: string,
  added: readonly string[],
): Promise<void> {
  await trustFile(dataRoot).change((trust) => {
    const known = Object.hasOwn(trust.rules, realRoot) ? (trust.rules[realRoot] ?? []) : [];
    const rules = { ...trust.rules, [realRoot]: [...new Set([...known, ...added])] };
    return { ...trust, rules };
  });
}

interface ServerDecision {
  readonly name: string;
  readonly hash: string;
  readonly approved: boolean;
  /** What the user was shown, if they were. */
  readonly lines?: readonly string[];
}

/** Characters; what is longer is not kept. */
const MAX_LINES_KEPT = 64 * 1024;

/** Records the user's decision about a server of a folder, for this content. */
export async function rememberServer(
  dataRoot: string,
  realRoot: string,
  { name, hash, approved, lines = [] }: ServerDecision,
): Promise<void> {
  const isShort = lines.length > 0 && lines.join('').length <= MAX_LINES_KEPT;
  await trustFile(dataRoot).change((trust) => {
    const known = Object.hasOwn(trust.servers, realRoot) ? trust.servers[realRoot] : {};
    const servers = {
      ...trust.servers,
      [realRoot]: { ...known, [name]: { hash, approved, ...(isShort && { lines: [...lines] }) } },
    };
    return { ...trust, servers };
  });
}

/** Forgets the user's decisions about a folder's servers: each needs approval again. */
export async function forgetServers(dataRoot: string, realRoot: string): Promise<void> {
  await trustFile(dataRoot).change((trust) => {
    const { [realRoot]: _, ...servers } = trust.servers;
    return { ...trust, servers };
  });
}

/** A missing or damaged file trusts no folder: the user is asked again. */
function trustFile(dataRoot: string): JsonFile<TrustFile> {
  return openJsonFile({
    file: join(dataRoot, 'trust.json'),
    parse: (value) => trustFileSchema.parse(value),
    empty: { folders: {}, grants: {}, rules: {}, servers: {} },
    maxBytes: MAX_BYTES,
  });
}

/** Of hundreds of folders. */
const MAX_BYTES = 50_000_000;

// Splits the settings of a folder into those that apply at once and those that wait for the user's approval. Pure.

/**
 * The values that apply, and the waiting ones, one entry per setting. `isGranted`: whether the user has already
 * approved a grant.
 */
export function withholdUntrusted(
  values: Values,
  file: string,
  isGranted: (grant: Grant) => boolean = () => false,
  grantText?: GrantText,
): { kept: Values; held: UntrustedSetting[] } {
  const { kept, held } = partition(values, file, isGranted, grantText);
  return { kept, held: asSettings(held) };
}

/**
 * Groups grants by setting, as the approval prompt lists them; `approved`: earlier ones. Nothing is cut: an approval
 * covers what was shown.
 */
export function asSettings(grants: readonly Grant[], approved: readonly Grant[] = []): UntrustedSetting[] {
  const settings = new Map<string, { readonly first: Grant; readonly texts: string[] }>();
  for (const grant of grants) {
    const id = JSON.stringify([grant.source, grant.kind]);
    const before = settings.get(id);
    const text = shownGrant(grant, approved);
    if (before === undefined) settings.set(id, { first: grant, texts: [text] });
    else before.texts.push(text);
  }
  return [...settings.values()].map(({ first, texts }) => ({
    ...{ file: first.source, key: first.kind },
    value: (first.kind === 'hooks' ? shownHooks(texts) : texts).join(', '),
    effect: effectOf(first) || `Changes ${first.kind}.`,
    count: texts.length,
  }));
}
