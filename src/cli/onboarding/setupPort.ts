/** Connects onboarding with its dependencies, which are loaded on demand after the first frame. */
import type { LoadedSettings } from '../../config/types.ts';
import { headersFor, type OwnHeaders } from '../../model/http/ownHeaders.ts';
import type { HttpSend } from '../../model/http/types.ts';
import type { ModelError } from '../../protocol/model.ts';
import type { Access, SetupPort } from '../../ui/onboarding/SetupPort.ts';
import type { AppPaths } from '../process/appPaths.ts';
import type { CheckPorts } from './checkAccess.ts';
import type { Search } from './findServers.ts';

/** `loaded`: the current settings; the API key is never passed on. */
export function createSetupPort(place: AppPaths, { settings, sources }: LoadedSettings): SetupPort {
  let last: Search | undefined;
  return {
    async search() {
      const [{ findServers }, { localAddresses }, { askServer }] = await Promise.all([
        import('./findServers.ts'),
        import('./localAddresses.ts'),
        import('../../model/servers/askServer.ts'),
      ]);
      last = await findServers(localAddresses(place.env), (baseUrl, signal) =>
        askServer({ baseUrl, apiKey: undefined, signal }),
      );
      return last.servers;
    },
    async refine(found) {
      const [{ refineServers }, { askServer }] = await Promise.all([
        import('./findServers.ts'),
        import('../../model/servers/askServer.ts'),
      ]);
      return refineServers({ late: last?.late ?? [], servers: found }, (baseUrl, signal) =>
        askServer({ baseUrl, apiKey: undefined, signal }),
      );
    },
    async check(access, signal) {
      const [{ checkAccess }, { askServer }, { environmentSend }] = await Promise.all([
        import('./checkAccess.ts'),
        import('../../model/servers/askServer.ts'),
        import('../../model/http/environmentSend.ts'),
      ]);
      const send = environmentSend(place.env);
      const headersAt = (address: string) => headersFor(address, settings.baseUrl, settings.headers);
      const ports: CheckPorts = {
        ask: (question) => askServer({ ...question, headers: headersAt(question.baseUrl), send }),
        tryModel: (tried, limit) => tryModel(tried, headersAt(tried.baseUrl), send, limit),
      };
      return checkAccess(access, ports, signal);
    },
    defaults: {
      ...(sources.baseUrl === undefined ? {} : { baseUrl: settings.baseUrl }),
      ...(settings.model === null ? {} : { model: settings.model }),
    },
    savedTo: shortPath(place),
  };
}

/** Sends a prompt of two letters; the first part of a reply is enough. */
async function tryModel(
  { baseUrl, apiKey, model }: Access,
  headers: OwnHeaders,
  send: HttpSend,
  signal: AbortSignal,
): Promise<ModelError | undefined> {
  const { createOpenAIClient } = await import('../../model/openai.ts');
  const key = apiKey === '' ? undefined : apiKey;
  const client = createOpenAIClient({ apiKey: key, baseUrl, headers, send });
  const giveUp = new AbortController();
  const request = {
    model,
    messages: [{ role: 'user' as const, content: 'Hi' }],
    tools: [],
    maxOutputTokens: 16,
  };
  try {
    for await (const event of client.stream(request, AbortSignal.any([signal, giveUp.signal]))) {
      if (event.type === 'failed') return event.error;
      return undefined;
    }
    return undefined;
  } finally {
    giveUp.abort();
  }
}

function shortPath({ dataRoot, home }: AppPaths): string {
  const file = `${dataRoot}/config.json`;
  return file.startsWith(`${home}/`) ? `~${file.slice(home.length)}` : file;
}
