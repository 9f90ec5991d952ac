/** The system's keychain, through a native package that is optional and loaded only for keys that are kept there. */

export interface Keychain {
  get(account: string): Promise<string | undefined>;
  /** Resolves to true if the key can be read back. */
  set(account: string, key: string): Promise<boolean>;
  remove(account: string): Promise<void>;
}

const SERVICE = 'clawdcode';
/** Milliseconds: a locked keychain asks the user. */
const UNLOCK_MS = 60_000;

/** Undefined if the package is not installed for this system. Without a keychain, its methods reject. */
export async function systemKeychain(): Promise<Keychain | undefined> {
  try {
    const { AsyncEntry } = await import('@napi-rs/keyring');
    const entry = (account: string) => new AsyncEntry(SERVICE, account);
    const within = () => AbortSignal.timeout(UNLOCK_MS);
    return {
      get: async (account) => (await entry(account).getPassword(within())) ?? undefined,
      async set(account, key) {
        await entry(account).setPassword(key, within());
        return (await entry(account).getPassword(within())) === key;
      },
      async remove(account) {
        await entry(account).deletePassword(within());
      },
    };
  } catch {
    return undefined;
  }
}
