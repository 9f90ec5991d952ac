/** `clawdcode auth`: keys that are stored on this machine, one per endpoint. Never prints a key. */
import { alignColumns } from '../../commands/figures.ts';
import type { LoadedSettings } from '../../config/types.ts';
import { EXIT, type ExitCode } from '../../headless/exitCodes.ts';
import { shownUrl } from '../../model/errors.ts';
import { hasAuthorization } from '../../model/http/customHeaders.ts';
import { DEFAULT_PROVIDER } from '../../protocol/models/modelNames.ts';
import { sanitize, shownText } from '../../ui/print/sanitize.ts';
import { createEndpoints, type Endpoint } from '../models/endpoints.ts';
import { systemKeychain } from '../models/keychain.ts';
import { forgetKey, storedKeyOf, storeKey } from '../models/storedKeys.ts';
import { parseArguments } from '../options.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { jsonDocument, type Output, parseSubcommand, standardOutput } from '../sessionCommand/output.ts';
import { readSettings, trustIn } from '../startup.ts';
import { createAuthProgram, type LoginFlags } from './programs.ts';
import { readSecret } from './readSecret.ts';

/** `argv`: the arguments after `auth`. Returns the exit code. */
export async function authCommand(place: AppPaths, argv: readonly string[]): Promise<number> {
  const output = standardOutput(place);
  let code: number = EXIT.ok;
  const run = async (running: Promise<number>): Promise<void> => {
    code = await running;
  };
  const program = createAuthProgram(() => ({
    login: (provider, flags) => run(logIn(place, output, provider, flags)),
    logout: (provider) => run(logOut(place, output, provider)),
    status: ({ json = false }) => run(status(place, output, json)),
  }));
  return (await parseSubcommand(program, argv, output)) ?? code;
}

async function logIn(
  place: AppPaths,
  output: Output,
  provider: string | undefined,
  { file = false }: LoginFlags,
): Promise<ExitCode> {
  const found = await find(place, output, provider);
  if (found === undefined) return EXIT.badInput;
  const { endpoint, loaded } = found;
  const name = endpoint.name ?? DEFAULT_PROVIDER;
  const where = `${name} (${shownUrl(endpoint.baseUrl)})`;
  const ask = (text: string): void => void process.stderr.write(sanitize(text));
  const key = await readSecret(process.stdin, ask, `Key for ${where}, not shown: `);
  if (key === undefined) return EXIT.interrupted;
  if (!/^[\x21-\x7e]{1,20000}$/.test(key)) {
    output.say('That is not a key: it must be one line of ASCII without spaces. Nothing was stored.');
    return EXIT.badInput;
  }
  const keychain = file ? undefined : await systemKeychain();
  const kept = await storeKey(place.dataRoot, endpoint, key, keychain);
  await output.line(
    kept === 'keychain'
      ? `The key for ${where} is in the system's keychain.`
      : `The key for ${where} is in credentials.json in the data folder, readable only by you.`,
  );
  const other = otherSource(endpoint, loaded, place);
  if (other !== undefined) output.hint(`It is not used now: the key from ${other} takes precedence.`);
  return EXIT.ok;
}

async function logOut(place: AppPaths, output: Output, provider: string | undefined): Promise<ExitCode> {
  const found = await find(place, output, provider);
  if (found === undefined) return EXIT.badInput;
  const isGone = await forgetKey(place.dataRoot, found.endpoint, systemKeychain);
  const name = found.endpoint.name ?? DEFAULT_PROVIDER;
  await output.line(isGone ? `The stored key for ${name} was deleted.` : `No key for ${name} is stored.`);
  return EXIT.ok;
}

async function status(place: AppPaths, output: Output, json: boolean): Promise<ExitCode> {
  const { loaded, endpoints } = await read(place);
  const rows = endpoints.map((endpoint) => ({
    provider: endpoint.name ?? DEFAULT_PROVIDER,
    url: shownUrl(endpoint.baseUrl),
    source: sourceOf(endpoint, loaded) ?? null,
    stored: storedKeyOf(place.dataRoot, endpoint)?.place ?? null,
  }));
  if (json) await output.write(jsonDocument(rows));
  else
    for (const line of alignColumns(
      rows.map(({ provider, url, source, stored }) => [
        provider,
        url,
        source === null ? 'no key' : `key from ${source}`,
        stored === null ? '' : `stored in the ${stored}`,
      ]),
    ))
      await output.line(shownText(line));
  return EXIT.ok;
}

/** Where the key comes from at the moment. */
function sourceOf(
  { name, key, headers }: Endpoint,
  { settings, sources }: LoadedSettings,
): string | undefined {
  if (hasAuthorization(headers)) return 'headers (Authorization)';
  if (name !== undefined) return key.source;
  return settings.apiKey === null ? undefined : (sources.apiKey ?? 'the settings');
}

/** The source that is used although a key is stored. */
function otherSource(endpoint: Endpoint, loaded: LoadedSettings, place: AppPaths): string | undefined {
  const { settings } = loaded;
  const now = createEndpoints({ ...place, settings }).all.find(({ name }) => name === endpoint.name);
  const source = sourceOf(now ?? endpoint, loaded);
  return source?.startsWith('clawdcode auth') === true ? undefined : source;
}

async function read(place: AppPaths) {
  const given = await parseArguments([], place.version);
  if (given.type !== 'run') throw new Error('no arguments are always right');
  const loaded = await readSettings(place, given.options, await trustIn(place));
  return { loaded, endpoints: createEndpoints({ ...place, settings: loaded.settings }).all };
}

/** The endpoint of this name; reports a name that does not exist. */
async function find(place: AppPaths, output: Output, provider: string = DEFAULT_PROVIDER) {
  const { loaded, endpoints } = await read(place);
  const endpoint = endpoints.find(({ name = DEFAULT_PROVIDER }) => name === provider);
  if (endpoint !== undefined) return { endpoint, loaded };
  const names = endpoints.map(({ name = DEFAULT_PROVIDER }) => name).join(', ');
  output.say(`There is no provider ${JSON.stringify(provider)} in your config.json. There is: ${names}.`);
  return undefined;
}
