/**
 * Keys that `clawdcode auth login` has stored: in the system's keychain if there is one, otherwise in
 * `credentials.json` in the data folder, readable only by its owner. A key belongs to an endpoint's name and
 * origin, so that it is never sent to another server.
 */
import { join } from 'node:path';
import * as z from 'zod';
import { type JsonFile, openJsonFile } from '../../disk/jsonFile.ts';
import { DEFAULT_PROVIDER } from '../../protocol/models/modelNames.ts';
import type { Keychain } from './keychain.ts';

/** Where a key is kept. */
type KeyLocation = 'file' | 'keychain';

type StoredKey =
  | { readonly place: 'file'; readonly key: string }
  | { readonly place: 'keychain'; readonly account: string };

const fileSchema = z.looseObject({
  keys: z.record(
    z.string(),
    z.union([z.object({ key: z.string() }), z.object({ keychain: z.literal(true) })]),
  ),
});

type KeyFile = z.output<typeof fileSchema>;

interface StoredEndpoint {
  /** Undefined for the default endpoint. */
  readonly name: string | undefined;
  readonly baseUrl: string;
}

/** The stored key of an endpoint. Synchronous: the file is small, and read only if there is no other key. */
export function storedKeyOf(dataRoot: string, endpoint: StoredEndpoint): StoredKey | undefined {
  const account = accountOf(endpoint);
  const { keys } = keyFile(dataRoot).read();
  const found = Object.hasOwn(keys, account) ? keys[account] : undefined;
  if (found === undefined) return undefined;
  return 'key' in found ? { place: 'file', key: found.key } : { place: 'keychain', account };
}

/** All keys in the file, to redact. */
export function storedSecrets(dataRoot: string): readonly string[] {
  return Object.values(keyFile(dataRoot).read().keys).flatMap((one) => ('key' in one ? [one.key] : []));
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
  await keyFile(dataRoot).change((all) => ({
    ...all,
    keys: { ...all.keys, [account]: isKept ? { keychain: true } : { key } },
  }));
  return isKept ? 'keychain' : 'file';
}

/** Returns false if there was none. */
export async function forgetKey(
  dataRoot: string,
  endpoint: StoredEndpoint,
  openKeychain: () => Promise<Keychain | undefined>,
): Promise<boolean> {
  const account = accountOf(endpoint);
  const found = keyFile(dataRoot).read().keys[account];
  if (found === undefined) return false;
  if ('keychain' in found) await (await openKeychain())?.remove(account).catch(() => undefined);
  await keyFile(dataRoot).change((all) => {
    const { [account]: _, ...keys } = all.keys;
    return { ...all, keys };
  });
  return true;
}

function accountOf({ name = DEFAULT_PROVIDER, baseUrl }: StoredEndpoint): string {
  return `${name} ${URL.canParse(baseUrl) ? new URL(baseUrl).origin : baseUrl}`;
}

function keyFile(dataRoot: string): JsonFile<KeyFile> {
  return openJsonFile<KeyFile>({
    file: join(dataRoot, 'credentials.json'),
    parse: (value) => fileSchema.parse(value),
    empty: { keys: {} },
  });
}
