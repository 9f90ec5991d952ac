import { OFFICIAL_URL } from '../protocol/models/modelNames.ts';
import { type Complaint, checkValues } from './checkValues.ts';
import type { Settings } from './schema.ts';
import type { LoadedSettings, Problem, Values } from './types.ts';

/**
 * Variables that contain settings. If two set the same setting, the later one in this list applies. Empty ones count as
 * unset.
 */
export const settingVariables = [
  { name: 'OPENAI_API_KEY', key: 'apiKey', what: 'API key of the endpoint' },
  { name: 'CLAWDCODE_API_KEY', key: 'apiKey', what: 'the same, for ClawdCode only' },
  { name: 'OPENAI_BASE_URL', key: 'baseUrl', what: 'base URL of the endpoint, up to and including /v1' },
  { name: 'CLAWDCODE_BASE_URL', key: 'baseUrl', what: 'the same, for ClawdCode only' },
  { name: 'OPENAI_MODEL', key: 'model', what: 'model id' },
  { name: 'CLAWDCODE_MODEL', key: 'model', what: 'the same, for ClawdCode only' },
  { name: 'CLAWDCODE_WIRE', key: 'wire', what: 'API of the endpoint: chat, responses or anthropic' },
  { name: 'CLAWDCODE_CONTEXT_WINDOW', key: 'contextWindow', what: 'context window in tokens' },
  { name: 'CLAWDCODE_MAX_TURNS', key: 'maxTurns', what: 'maximum number of steps in a turn' },
  { name: 'CLAUDE_CODE_ENABLE_TELEMETRY', key: 'telemetry.enabled', what: '1 exports OpenTelemetry data' },
  { name: 'CLAWDCODE_ENABLE_TELEMETRY', key: 'telemetry.enabled', what: 'the same, for ClawdCode only' },
] as const;

/** Reads settings from the environment. A bad value is reported and left out; the key is never quoted. */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>): {
  values: Values;
  problems: Problem[];
  sources: Record<string, string>;
} {
  const values: Values = {};
  const problems: Problem[] = [];
  const sources: Record<string, string> = {};
  for (const { name, key } of settingVariables) {
    const text = env[name]?.trim() ?? '';
    if (text === '') continue;
    const isNumber = key === 'contextWindow' || key === 'maxTurns';
    const [head = '', tail] = key.split('.');
    const value = isNumber ? asNumber(text) : tail === undefined ? text : asBoolean(text);
    const checked = checkValues({ [head]: tail === undefined ? value : { [tail]: value } });
    problems.push(...checked.complaints.map((complaint) => toProblem(name, complaint)));
    if (checked.complaints.length > 0) continue;
    Object.assign(values, checked.values);
    sources[key] = name;
  }
  return { values, problems, sources };
}

function asNumber(text: string): number | string {
  const value = Number(text.replaceAll('_', ''));
  return Number.isFinite(value) ? value : text;
}

/** Where telemetry goes, as the OpenTelemetry specification says; undefined if nothing is exported. */
export function telemetryTarget(
  { telemetry }: Pick<Settings, 'telemetry'>,
  env: Readonly<Record<string, string | undefined>>,
): { readonly url: string; readonly content: boolean } | undefined {
  const isDisabled = /^true$/i.test(env.OTEL_SDK_DISABLED?.trim() ?? '');
  if (!telemetry.enabled || isDisabled) return undefined;
  const url = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT;
  return { url: url || 'http://localhost:4318', content: telemetry.content };
}

/** As other programs write booleans in variables. */
function asBoolean(text: string): boolean | string {
  if (/^(?:1|true|yes|on)$/i.test(text)) return true;
  return /^(?:0|false|no|off)$/i.test(text) ? false : text;
}

function toProblem(name: string, { path, message }: Complaint): Problem {
  return { layer: 'environment', file: name, key: path.join('.'), message: `${name}: ${message}` };
}

// Headers contain secrets of one endpoint: they are not sent to any other. Pure.

interface HeadersFound {
  /** All layers merged; `headers` comes only from the user's file. */
  readonly merged: Values;
  /** The user's file: its values and its displayed name. */
  readonly user: { readonly values: Values; readonly name: string };
  /** Where the effective base URL was set; undefined for the default. */
  readonly source: string | undefined;
  /** True if that is a file of the folder, which may not choose who receives the user's headers. */
  readonly isFolders: boolean;
}

/**
 * The problem with sending them, or undefined. Headers belong to the base URL in the same file; if it sets none, to the
 * effective one, or to the default if the folder set that.
 */
export function misplacedHeaders({ merged, user, source, isFolders }: HeadersFound): Problem | undefined {
  if (Object.keys(merged.headers ?? {}).length === 0) return undefined;
  const endpoint = String(merged.baseUrl ?? OFFICIAL_URL);
  const own = String(user.values.baseUrl ?? (isFolders ? OFFICIAL_URL : endpoint));
  if (new URL(endpoint).origin === new URL(own).origin) return undefined;
  const message = `${user.name}: "headers" are for ${new URL(own).origin} and are not sent to ${new URL(endpoint).origin}, which ${source ?? 'the default'} names. If they belong there, put that into "baseUrl" of the same file.`;
  return { layer: 'user', file: user.name, key: 'headers', message };
}

type Read = Pick<LoadedSettings, 'files' | 'problems' | 'sources'> & {
  /** Whether the folder's files apply: those of an untrusted folder must not block anything. */
  readonly trusted: boolean;
  /** The model in the settings. */
  readonly model: unknown;
};

/** The names of providers that are left out because of a mistake; `usable` are those that another file defines. */
export function invalidProviders(problems: readonly Problem[], usable: object): readonly string[] {
  const names = problems.flatMap(({ layer, key }) =>
    layer === 'project' || layer === 'local' ? [] : (/^providers\.([^.]+)$/.exec(key ?? '')?.[1] ?? []),
  );
  return names.filter((name) => !Object.hasOwn(usable, name));
}

/**
 * The mistake that hides the intended endpoint; undefined if an endpoint is set, or nothing suggests one. The mistake
 * is in `baseUrl`, in a name that was probably meant for it, or in an unreadable file.
 */
export function misreadEndpoint({ files, problems, sources, trusted, model }: Read): Problem | undefined {
  // Without its provider, the model's name would be an id of the default endpoint.
  const provider = typeof model === 'string' ? model.split('/')[0] : undefined;
  const ofModel = problems.find(({ key }) => key === 'providers' || key === `providers.${provider}`);
  if (ofModel !== undefined && ofModel.layer !== 'project' && ofModel.layer !== 'local') return ofModel;
  if (sources.baseUrl !== undefined) return undefined;
  // Another program's file never names the endpoint.
  const isUnread = ({ layer, file: name }: Problem): boolean =>
    files.some(
      (file) =>
        file.layer === layer && file.name === name && file.state === 'broken' && file.isForeign !== true,
    );
  return problems
    .filter(({ layer }) => trusted || (layer !== 'project' && layer !== 'local'))
    .find((problem) => problem.key === 'baseUrl' || problem.meant === 'baseUrl' || isUnread(problem));
}
