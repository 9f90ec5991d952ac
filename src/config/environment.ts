import { type Complaint, checkValues } from './checkValues.ts';
import type { Problem, Values } from './types.ts';

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
  { name: 'CLAWDCODE_MAX_TURNS', key: 'maxTurns', what: 'steps after which a turn ends' },
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
    const checked = checkValues({ [key]: isNumber && text !== '' ? asNumber(text) : text });
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

function toProblem(name: string, { path, message }: Complaint): Problem {
  return { layer: 'environment', file: name, key: path.join('.'), message: `${name}: ${message}` };
}
