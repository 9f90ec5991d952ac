/**
 * Keys that `clawdcode auth login` has stored: in the system's keychain if there is one, otherwise in
 * `credentials.json` in the data folder, readable only by its owner. A key belongs to an endpoint's name and
 * origin, so that it is never sent to another server.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { writePrivateFile } from '../../config/files.ts';
import { DEFAULT_PROVIDER } from '../../protocol/models/modelNames.ts';
import type { Keychain } from './keychain.ts';

/** Where a key is kept. */
type KeyLocation = 'file' | 'keychain';

type StoredKey =
  | { readonly place: 'file'; readonly key: string }
  | { readonly place: 'keychain'; readonly account: string };

/** Damaged entries are ignored: the user logs in again. */
const fileSchema = z.looseObject({
  keys: z.record(
    z.string(),
    z.union([z.object({ key: z.string() }), z.object({ keychain: z.literal(true) })]),
  ),
});

type Keys = z.output<typeof fileSchema>['keys'];

interface StoredEndpoint {
  /** Undefined for the default endpoint. */
  readonly name: string | undefined;
  readonly baseUrl: string;
}

const FILE = 'credentials.json';
const MAX_BYTES = 1_000_000;

/** The stored key of an endpoint. Synchronous: the file is small, and read only if there is no other key. */
export function storedKeyOf(dataRoot: string, endpoint: StoredEndpoint): StoredKey | undefined {
  const account = accountOf(endpoint);
  const keys = readKeys(dataRoot);
  const found = Object.hasOwn(keys, account) ? keys[account] : undefined;
  if (found === undefined) return undefined;
  return 'key' in found ? { place: 'file', key: found.key } : { place: 'keychain', account };
}

/** All keys in the file, to redact. */
export function storedSecrets(dataRoot: string): readonly string[] {
  return Object.values(readKeys(dataRoot)).flatMap((one) => ('key' in one ? [one.key] : []));
}

/** Stores a key; in the file if there is no keychain, or if it fails. */
export async function storeKey(
  dataRoot: string,
  endpoint: StoredEndpoint,
  key: string,
  keychain: Keychain | undefined,
): Promise<KeyLocation> {
  const account = accountOf(endpoint);
  const isKept = (await keychain?.set(account, key).catch(() => false)) === true;
  await writeKeys(dataRoot, { ...readKeys(dataRoot), [account]: isKept ? { keychain: true } : { key } });
  return isKept ? 'keychain' : 'file';
}

/** Returns false if there was none. */
export async function forgetKey(
  dataRoot: string,
  endpoint: StoredEndpoint,
  openKeychain: () => Promise<Keychain | undefined>,
): Promise<boolean> {
  const account = accountOf(endpoint);
  const { [account]: found, ...others } = readKeys(dataRoot);
  if (found === undefined) return false;
  if ('keychain' in found) await (await openKeychain())?.remove(account).catch(() => undefined);
  await writeKeys(dataRoot, others);
  return true;
}

function accountOf({ name = DEFAULT_PROVIDER, baseUrl }: StoredEndpoint): string {
  return `${name} ${URL.canParse(baseUrl) ? new URL(baseUrl).origin : baseUrl}`;
}

function readKeys(dataRoot: string): Keys {
  try {
    const text = readFileSync(join(dataRoot, FILE), 'utf8');
    return text.length > MAX_BYTES ? {} : fileSchema.parse(JSON.parse(text)).keys;
  } catch {
    return {};
  }
}

async function writeKeys(dataRoot: string, keys: Keys): Promise<void> {
  await writePrivateFile(join(dataRoot, FILE), `${JSON.stringify({ keys }, null, 2)}\n`);
}
