/**
 * `clawdcode mcp login` and `logout`: OAuth in the browser with a redirect to loopback; tokens are readable only by the
 * user.
 */

import type { FolderTrust } from '../../config/trust.ts';
import type { LoadedSettings } from '../../config/types.ts';
import { EXIT, type ExitCode } from '../../headless/exitCodes.ts';
import { endpointOf } from '../../mcp/endpoint.ts';
import { projectVariables } from '../../protocol/settingsPrograms.ts';
import { shownText } from '../../ui/print/sanitize.ts';
import { usableServers } from '../mcp/approval.ts';
import { createAuthStore } from '../mcp/authStore.ts';
import { serverNetwork } from '../mcp/serverNetwork.ts';
import { parseArguments } from '../options.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { openBrowser } from '../process/openBrowser.ts';
import type { Output } from '../sessionCommand/output.ts';
import { readSettings, trustIn } from '../startup.ts';
import type { LoginFlags } from './program.ts';

/** Milliseconds that the user has to log in. */
const LOGIN_MS = 5 * 60 * 1000;

export async function logIn(
  place: AppPaths,
  output: Output,
  name: string,
  { clientId, callbackPort: port }: LoginFlags,
): Promise<ExitCode> {
  const url = await addressOf(place, output, name);
  if (url === undefined) return EXIT.badInput;
  const { login } = await import('../../mcp/auth.ts');
  const network = serverNetwork(place.env, url);
  try {
    await login(url, createAuthStore(place.dataRoot, name, url), {
      ...{ fetch: network.fetch, clientId, port },
      // Not a flag: other users of this machine can read the arguments of processes.
      clientSecret: place.env.MCP_CLIENT_SECRET,
      signal: AbortSignal.timeout(LOGIN_MS),
      async onAddress(address) {
        await network.check(address);
        void output.line(`Log in to ${name} in your browser:\n${address.href}`);
        if (output.isTerminal) openBrowser(address.href, place);
      },
    });
    await output.line(`You are logged in to ${name}.`);
    return EXIT.ok;
  } catch (error) {
    output.say(shownText(`The login to ${name} failed: ${(error as Error).message}`));
    return EXIT.failed;
  }
}

export async function logOut(place: AppPaths, output: Output, name: string): Promise<ExitCode> {
  const url = await addressOf(place, output, name);
  if (url === undefined) return EXIT.badInput;
  const store = createAuthStore(place.dataRoot, name, url);
  const isLoggedIn = (await store.read()) !== undefined;
  if (isLoggedIn) await store.write(undefined);
  await output.line(isLoggedIn ? `The tokens of ${name} were deleted.` : `You are not logged in to ${name}.`);
  return EXIT.ok;
}

/** Returns the URL of a web server that may be used; otherwise reports why there is none. */
async function addressOf(place: AppPaths, output: Output, name: string): Promise<URL | undefined> {
  const { loaded, trust } = await settingsOf(place, output);
  const server = usableServers(loaded, trust).find((one) => one.name === name);
  if (server === undefined) {
    output.say(`There is no MCP server ${name} that can be used here. See clawdcode mcp list.`);
    return undefined;
  }
  const found = endpointOf(server.definition, { ...place.env, ...projectVariables(place.root) }, place.root);
  if ('endpoint' in found && found.endpoint.type !== 'stdio') return found.endpoint.url;
  output.say(
    'mistake' in found ? found.mistake : `${name} is a local server: there is nothing to log in to.`,
  );
  return undefined;
}

/** Loads the settings like a start without flags; problems are written to standard error. */
export async function settingsOf(
  place: AppPaths,
  output: Pick<Output, 'hint'>,
): Promise<{ readonly loaded: LoadedSettings; readonly trust: FolderTrust }> {
  const given = await parseArguments([], place.version);
  if (given.type !== 'run') throw new Error('no arguments are always right');
  const trust = await trustIn(place);
  const loaded = await readSettings(place, given.options, trust);
  for (const { message } of loaded.problems) output.hint(message);
  return { loaded, trust };
}
