/** The boot step that asks for a model: saves the answer and makes it take effect. */
import { saveCredentials } from '../../config/credentials.ts';
import { settingVariables } from '../../config/environment.ts';
import type { LoadedSettings } from '../../config/types.ts';
import { wireOf } from '../../model/endpoint.ts';
import { type CustomHeaders, headersFor } from '../../model/http/customHeaders.ts';
import type { HttpSend } from '../../model/http/types.ts';
import type { ModelError } from '../../protocol/models/model.ts';
import type { Wire } from '../../protocol/models/wires.ts';
import type { Access, SetupPort } from '../../ui/onboarding/SetupPort.ts';
import type { Boot, OnboardingResult } from '../../ui/types.ts';
import type { CliOptions } from '../options.ts';
import type { AppPaths } from '../process/appPaths.ts';
import type { CheckPorts } from './checkAccess.ts';
import type { Search } from './findServers.ts';
import { isLoopback } from './localAddresses.ts';

/** The program's inputs; an answer may remove parts of them. */
interface Start {
  readonly place: AppPaths;
  readonly options: CliOptions;
}

/**
 * `next` boots again. If the answer cannot be saved, it applies only to this run, and the user is notified. `message`:
 * the previous error.
 */
export function onboarding(
  start: Start,
  loaded: LoadedSettings,
  message: string | undefined,
  next: (start: Start) => Promise<Boot>,
): Boot {
  const { place, options } = start;
  return {
    type: 'onboarding',
    setup: createSetupPort(place, loaded),
    ...(message === undefined ? {} : { message }),
    ...(loaded.misread === undefined ? {} : { canReread: true }),
    async answer(result) {
      if (result.type === 'quit') return { type: 'quit' };
      if (result.type === 'demo') return next({ place, options: { ...options, demo: true } });
      if (result.type === 'reread') return next(start);
      const saved = await saveCredentials(place.dataRoot, credentialsOf(result));
      const names = strongerSources(result, loaded);
      const aside = withoutSources(start, names);
      const boot = await next(saved.type === 'saved' ? aside : forThisRun(aside, result));
      const notices =
        saved.type !== 'saved'
          ? [`${saved.message} Your choice applies to this run only.`]
          : [
              ...(names.length === 0 ? [] : [noticeOf(names, saved.file)]),
              ...(saved.tookHeaders === true ? [headersNotice(saved.file)] : []),
            ];
      if (boot.type !== 'ready' || notices.length === 0) return boot;
      return { ...boot, notices: [...boot.notices, ...notices] };
    },
  };
}

type Given = Extract<OnboardingResult, { type: 'credentials' }>;

/** A key saved for another endpoint is not sent to a new one, except on this machine. */
function credentialsOf({ baseUrl, apiKey, model }: Given) {
  const isNear = URL.canParse(baseUrl) && isLoopback(new URL(baseUrl).hostname);
  return {
    ...(baseUrl === '' ? {} : { baseUrl }),
    ...(apiKey !== '' ? { apiKey } : isNear ? {} : { apiKey: null }),
    ...(model === '' ? {} : { model }),
  };
}

/** Returns variables, flags and project files that override what was just saved in the user's file. */
function strongerSources(given: Given, { sources, files }: LoadedSettings): readonly string[] {
  const own = files.find(({ layer }) => layer === 'user')?.name;
  const stronger = (['baseUrl', 'apiKey', 'model'] as const).flatMap((key) => {
    const source = sources[key];
    return given[key] === '' || source === undefined || source === own ? [] : [source];
  });
  return [...new Set(stronger)];
}

/** Removes overriding variables and flags for this run. */
function withoutSources({ place, options }: Start, names: readonly string[]): Start {
  const variables = settingVariables
    .filter(({ key }) => settingVariables.some((one) => one.key === key && names.includes(one.name)))
    .map(({ name }) => name as string);
  const env = Object.fromEntries(Object.entries(place.env).filter(([name]) => !variables.includes(name)));
  return {
    place: { ...place, env },
    options: {
      ...options,
      ...(names.includes('--base-url') ? { baseUrl: undefined } : {}),
      ...(names.includes('--model') ? { model: undefined } : {}),
    },
  };
}

/** Applies the answer to this run only, as the variables with the highest precedence. */
function forThisRun({ place, options }: Start, { baseUrl, apiKey, model }: Given): Start {
  const answer = { CLAWDCODE_BASE_URL: baseUrl, CLAWDCODE_API_KEY: apiKey, CLAWDCODE_MODEL: model };
  const given = Object.entries(answer).filter(([, value]) => value !== '');
  return { place: { ...place, env: { ...place.env, ...Object.fromEntries(given) } }, options };
}

function noticeOf(names: readonly string[], file: string): string {
  const verb = names.length === 1 ? 'overrides' : 'override';
  return `Saved to ${file} and used now, but ${names.join(' and ')} ${verb} it at the next start: remove it there.`;
}

function headersNotice(file: string): string {
  return `The "headers" in ${file} were for another endpoint, so they were removed.`;
}

// Connects onboarding with its dependencies, which are loaded on demand after the first frame.

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
        tryModel: (tried, limit) =>
          tryModel(
            { ...tried, wire: wireOf(settings.wire, tried.baseUrl) },
            headersAt(tried.baseUrl),
            send,
            limit,
          ),
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
  { baseUrl, apiKey, model, wire }: Access & { readonly wire: Wire },
  headers: CustomHeaders,
  send: HttpSend,
  signal: AbortSignal,
): Promise<ModelError | undefined> {
  const { createModelClient } = await import('../../model/createModelClient.ts');
  const key = apiKey === '' ? undefined : apiKey;
  const client = createModelClient(wire, { apiKey: key, baseUrl, headers, send });
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
