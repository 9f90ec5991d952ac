import type { ModelInfo } from '../protocol/models/model.ts';
import { grouped } from '../protocol/text/numbers.ts';
import { windowSources } from './figures.ts';
import { doctorPage } from './pages/doctorPage.ts';
import { type Fact, factsPage } from './pages/page.ts';
import type { Command, RuleInfo, StatusInfo } from './types.ts';

/** Shows the version, the session, the endpoint, and the settings files that were read. */
export const status: Command = {
  name: 'status',
  aliases: [],
  description: 'show version, session, endpoint and settings files',
  run: (_args, host) => {
    const info = host.status();
    const { sessionId, title, root, model, mode, demo } = host.agent.state();
    const endpoint: readonly Fact[] = demo
      ? [['Endpoint', 'built-in demo model; nothing is sent anywhere']]
      : [
          ['Endpoint', `${info.baseUrl} (requests go there and nowhere else)`],
          ['Key', info.keySource === undefined ? 'none' : `from ${info.keySource}`],
        ];
    const facts: readonly Fact[] = [
      ['Version', info.version],
      ['Session', `${sessionId}${title === undefined ? '' : ` · ${title}`}`],
      ['Log', info.sessionFile ?? 'none'],
      ['Project', `${root}${trustNote(info)}`],
      ['Directory', info.cwd],
      ['Model', `${model.id} · ${windowText(model)}${demo ? ' · demo' : ''}`],
      ...endpoint,
      ...telemetryFacts(info),
      ['Mode', mode],
      ['Settings', settingsLine(info, host.rules())],
      ...(info.debugFile === undefined ? [] : ([['Debug log', info.debugFile]] satisfies Fact[])),
    ];
    return { type: 'page', page: factsPage(facts) };
  },
};

function telemetryFacts({ telemetry }: StatusInfo): readonly Fact[] {
  if (telemetry === undefined) return [];
  const texts = telemetry.content ? 'including conversation text' : 'without conversation text';
  return [['Telemetry', `to ${telemetry.url}, ${texts}`]];
}

function trustNote({ trusted, heldSettings }: StatusInfo): string {
  const held = heldSettings.length === 0 ? '' : `; not applied: ${heldSettings.join(', ')}`;
  if (!trusted) return ` (not trusted: only its restrictions and the rules you saved apply${held})`;
  return held === '' ? '' : ` (changed since you trusted it${held})`;
}

/** Names the source of the window size only if the size may be wrong. */
function windowText({ windowTokens, source }: ModelInfo): string {
  const isUnsure = source === 'assumed' || source === 'learned';
  return `${grouped(windowTokens)} tokens${isUnsure ? ` ${windowSources[source]}` : ''}`;
}

function settingsLine({ settingsFiles }: StatusInfo, rules: readonly RuleInfo[]): string {
  // A file that did not exist at the start may have got a rule since.
  const isSource = (file: string): boolean => rules.some(({ source }) => source === file);
  const present = settingsFiles.filter(({ name, state }) => state !== 'missing' || isSource(name));
  if (present.length === 0) return 'defaults; no file found';
  return present
    .map(({ name, state }) => (state === 'broken' ? `${name} (broken, ignored)` : name))
    .join(', ');
}

/** Runs the checks of `clawdcode doctor` without affecting the session. */
export const doctor: Command = {
  name: 'doctor',
  aliases: [],
  description: 'check terminal, files, endpoint, model',
  run: async (_args, host) => ({ type: 'page', page: doctorPage(await host.doctor()) }),
};
