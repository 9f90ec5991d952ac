/**
 * The folders that the user trusts, by real path, what they approved in each, their decisions about MCP servers, and
 * rules they saved in a folder without being asked to trust it: `trust.json` in the data folder. A record is valid for one
 * folder, not for another one that has taken its place at the same path.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import { type FolderIdentity, folderIdentity, isSameIdentity } from '../disk/folderIdentity.ts';
import { type JsonFile, openJsonFile } from '../disk/jsonFile.ts';
import { addedGrants, effectOf, type GrantText, partition, shownGrant } from './grants.ts';
import { shownHooks } from './hooks.ts';
import type { Grant, UntrustedSetting, Values } from './types.ts';

const grantSchema = z.looseObject({ kind: z.string(), text: z.string(), source: z.string() });

const serversSchema = z.record(
  z.string(),
  z.looseObject({ hash: z.string(), approved: z.boolean(), lines: z.array(z.string()).optional() }),
);

const identitySchema = z.object({ dev: z.number(), ino: z.number(), birthtimeMs: z.number() });

/** The record of one folder. */
const recordSchema = z.object({
  /** The folder; earlier versions did not record it. */
  identity: identitySchema.exactOptional(),
  /** Time of approval. */
  trustedAt: z.string().exactOptional(),
  /** Approved grants; earlier versions did not record them. */
  grants: z.array(grantSchema).exactOptional(),
  rules: z.array(z.string()).exactOptional(),
  /** Decisions about the MCP servers of the folder: by server name, valid for one content. */
  servers: serversSchema.exactOptional(),
  /** The files that its settings run were recorded when the user approved them. */
  filesRecorded: z.literal(true).exactOptional(),
  /** Hashes of the user's own programs for which they did not trust it. */
  confined: z.array(z.string()).exactOptional(),
});
type FolderRecord = z.infer<typeof recordSchema>;

const trustFileSchema = z.looseObject({
  // Of the folder that was at a path when something was recorded last, by path.
  folders: z.record(z.string(), z.string()).default({}),
  grants: z.record(z.string(), z.array(grantSchema)).default({}),
  rules: z.record(z.string(), z.array(z.string())).default({}),
  servers: z.record(z.string(), serversSchema).default({}),
  identities: z.record(z.string(), identitySchema).default({}),
  filesRecorded: z.record(z.string(), z.literal(true)).default({}),
  confined: z.record(z.string(), z.array(z.string())).default({}),
  /** Folders that were at the same path before, newest first: containers mount one project after another there. */
  others: z.record(z.string(), z.array(recordSchema)).default({}),
});
type TrustFile = z.infer<typeof trustFileSchema>;

/** Folders to remember for each path. */
const MAX_OTHERS = 20;

/** The user's decisions about one folder; folders inside or around it are separate. */
export interface FolderTrust {
  /** Set if nothing is recorded about this folder, but about another one that was at its path: trusted or not. */
  readonly other?: { readonly wasTrusted: boolean };
  /** True if an earlier version recorded this without saying which folder it was for; see `recordIdentity`. */
  readonly isUnidentified?: boolean;
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
  /** True if the user did not trust the folder when they were asked because of this program of theirs. */
  readonly staysConfined: (program: string) => boolean;
}

export async function readTrust(dataRoot: string, realRoot: string): Promise<FolderTrust> {
  const { record, other } = recordOf(trustFile(dataRoot).read(), realRoot);
  const answers = record.servers ?? {};
  const confined = new Set(record.confined);
  return {
    ...(other !== undefined && { other: { wasTrusted: other.trustedAt !== undefined } }),
    ...(record.identity === undefined && !isEmpty(record) && { isUnidentified: true }),
    isTrusted: record.trustedAt !== undefined,
    granted: record.grants,
    savedRules: record.rules ?? [],
    serversAnswered: Object.keys(answers),
    staysConfined: (program) => confined.has(hashOf(program)),
    serverLines: (name) => (Object.hasOwn(answers, name) ? answers[name]?.lines : undefined),
    serverAnswer(name, hash) {
      const answer = Object.hasOwn(answers, name) ? answers[name] : undefined;
      return answer?.hash === hash ? answer.approved : undefined;
    },
  };
}

/** Records when the user trusted a folder, and which of its settings they approved. */
export function trustFolder(
  dataRoot: string,
  realRoot: string,
  granted: readonly Grant[],
  now: () => Date,
): Promise<void> {
  const identity = folderIdentity(realRoot);
  return changeRecord(dataRoot, realRoot, (record) => ({
    ...record,
    ...(identity !== undefined && { identity }),
    trustedAt: now().toISOString(),
    grants: granted.map((grant) => ({ ...grant })),
  }));
}

/** Records that the user did not trust a folder when they were asked because of these programs of their own. */
export function rememberConfined(
  dataRoot: string,
  realRoot: string,
  programs: readonly string[],
): Promise<void> {
  return changeRecord(dataRoot, realRoot, (record) => ({
    ...record,
    confined: [...new Set([...(record.confined ?? []), ...programs.map(hashOf)])],
  }));
}

/** Forgets that answer: the next start asks again. */
export function forgetConfined(dataRoot: string, realRoot: string): Promise<void> {
  return changeRecord(dataRoot, realRoot, ({ confined: _, ...record }) => record);
}

const hashOf = (program: string): string => createHash('sha256').update(program).digest('hex');

/** Adds grants that the user has just given in a folder that they trust; does nothing in any other folder. */
export async function approveGrants(
  dataRoot: string,
  realRoot: string,
  added: readonly Grant[],
): Promise<void> {
  if (added.length === 0) return;
  await changeRecord(dataRoot, realRoot, (record) => {
    if (record.trustedAt === undefined) return record;
    const known = record.grants ?? [];
    const fresh = addedGrants(known, added);
    return { ...record, grants: [...known, ...fresh.map((grant) => ({ ...grant }))] };
  });
}

/** Records that the user saved these rules in a folder, which is less than trusting all of its settings. */
export function rememberRules(dataRoot: string, realRoot: string, added: readonly string[]): Promise<void> {
  return changeRecord(dataRoot, realRoot, (record) => ({
    ...record,
    rules: [...new Set([...(record.rules ?? []), ...added])],
  }));
}

/** Records which folder the records of an earlier version are for: call it if nothing in it needs approval. */
export function recordIdentity(dataRoot: string, realRoot: string): Promise<void> {
  const identity = folderIdentity(realRoot);
  return changeRecord(dataRoot, realRoot, (record) =>
    identity === undefined || record.identity !== undefined || isEmpty(record)
      ? record
      : { ...record, identity },
  );
}

/** True if there must be a record of the files that a folder's settings run: without one, it was lost. */
export function hasRecordedFiles(dataRoot: string, realRoot: string): boolean {
  return recordOf(trustFile(dataRoot).read(), realRoot).record.filesRecorded === true;
}

/** Remembers that there is a record of the files that a folder's settings run. */
export async function rememberRecordedFiles(dataRoot: string, realRoot: string): Promise<void> {
  if (hasRecordedFiles(dataRoot, realRoot)) return;
  await changeRecord(dataRoot, realRoot, (record) =>
    record.trustedAt === undefined ? record : { ...record, filesRecorded: true },
  );
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
export function rememberServer(
  dataRoot: string,
  realRoot: string,
  { name, hash, approved, lines = [] }: ServerDecision,
): Promise<void> {
  const isShort = lines.length > 0 && lines.join('').length <= MAX_LINES_KEPT;
  const decision = { hash, approved, ...(isShort && { lines: [...lines] }) };
  return changeRecord(dataRoot, realRoot, (record) => ({
    ...record,
    servers: { ...record.servers, [name]: decision },
  }));
}

/** Forgets the user's decisions about a folder's servers: each needs approval again. */
export function forgetServers(dataRoot: string, realRoot: string): Promise<void> {
  return changeRecord(dataRoot, realRoot, ({ servers: _, ...record }) => record);
}

const isEmpty = ({ identity: _, ...recorded }: FolderRecord): boolean => Object.keys(recorded).length === 0;

/** The record of the folder that is at a path now. `other`: of the one that was there before, if this one has none. */
function recordOf(
  trust: TrustFile,
  realRoot: string,
): { readonly record: FolderRecord; readonly other?: FolderRecord } {
  const here = folderIdentity(realRoot);
  const last = lastRecord(trust, realRoot);
  if (last.identity === undefined || (here !== undefined && isSameIdentity(last.identity, here)))
    return { record: last };
  if (here === undefined) return { record: {}, other: last };
  const mine = othersOf(trust, realRoot).find((one) => isOf(one, here));
  return mine === undefined ? { record: { identity: here }, other: last } : { record: mine };
}

const isOf = ({ identity }: FolderRecord, here: FolderIdentity): boolean =>
  identity !== undefined && isSameIdentity(identity, here);

function othersOf({ others }: TrustFile, realRoot: string): readonly FolderRecord[] {
  return Object.hasOwn(others, realRoot) ? (others[realRoot] ?? []) : [];
}

/** Of whichever folder was at the path when something was recorded last. */
function lastRecord(trust: TrustFile, realRoot: string): FolderRecord {
  const of = <T>(all: Readonly<Record<string, T>>): T | undefined =>
    Object.hasOwn(all, realRoot) ? all[realRoot] : undefined;
  const identity = of(trust.identities);
  const trustedAt = of(trust.folders);
  const grants = of(trust.grants);
  const rules = of(trust.rules);
  const servers = of(trust.servers);
  const filesRecorded = of(trust.filesRecorded);
  const confined = of(trust.confined);
  return {
    ...(identity !== undefined && { identity }),
    ...(trustedAt !== undefined && { trustedAt }),
    ...(grants !== undefined && { grants }),
    ...(rules !== undefined && { rules }),
    ...(servers !== undefined && { servers }),
    ...(filesRecorded !== undefined && { filesRecorded }),
    ...(confined !== undefined && { confined }),
  };
}

/** Changes the record of the folder that is at a path now, and keeps that of another one. */
function changeRecord(
  dataRoot: string,
  realRoot: string,
  change: (record: FolderRecord) => FolderRecord,
): Promise<void> {
  return trustFile(dataRoot).change((trust) => {
    const { record } = recordOf(trust, realRoot);
    const here = folderIdentity(realRoot);
    const isFirst = isEmpty(record) && record.identity === undefined && here !== undefined;
    const before = isFirst ? { ...record, identity: here } : record;
    const changed = change(before);
    if (changed === before) return trust;
    const last = lastRecord(trust, realRoot);
    const isOther = last.identity !== undefined && here !== undefined && !isSameIdentity(last.identity, here);
    const others = othersOf(trust, realRoot).filter((one) => here === undefined || !isOf(one, here));
    const kept = isOther && !isEmpty(last) ? [last, ...others] : others;
    return withRecord(trust, realRoot, changed, kept.slice(0, MAX_OTHERS));
  });
}

function withRecord(
  trust: TrustFile,
  realRoot: string,
  record: FolderRecord,
  others: readonly FolderRecord[],
): TrustFile {
  const set = <T>(all: Readonly<Record<string, T>>, value: T | undefined): Record<string, T> => {
    const { [realRoot]: _, ...rest } = all;
    return value === undefined ? rest : { ...rest, [realRoot]: value };
  };
  return {
    ...trust,
    folders: set(trust.folders, record.trustedAt),
    grants: set(trust.grants, record.grants),
    rules: set(trust.rules, record.rules),
    servers: set(trust.servers, record.servers),
    identities: set(trust.identities, record.identity),
    filesRecorded: set(trust.filesRecorded, record.filesRecorded),
    confined: set(trust.confined, record.confined),
    others: set(trust.others, others.length === 0 ? undefined : [...others]),
  };
}

/** A missing or damaged file trusts no folder: the user is asked again. */
function trustFile(dataRoot: string): JsonFile<TrustFile> {
  return openJsonFile({
    file: join(dataRoot, 'trust.json'),
    parse: (value) => trustFileSchema.parse(value),
    empty: {
      ...{ folders: {}, grants: {}, rules: {}, servers: {} },
      ...{ identities: {}, filesRecorded: {}, confined: {}, others: {} },
    },
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
