/** The page of `/context settings`: every `context.*` setting, and the value of `auto` for the current model. */
import { removalPolicyFor } from '../../context/index.ts';
import type { ContextReport } from '../../protocol/contextReport.ts';
import type { ModelInfo } from '../../protocol/models/model.ts';
import {
  type ContextSettings,
  contextSettingsSchema,
  strategyTraits,
} from '../../protocol/settings/contextSettings.ts';
import { grouped } from '../../protocol/text/numbers.ts';
import { percent } from '../figures.ts';
import { blankLine, hanging, heading, type Page, type PageLine, pageLine } from './page.ts';

interface SettingsFacts {
  readonly settings: ContextSettings;
  readonly model: ModelInfo;
  readonly report: ContextReport;
}

export function settingsPage({ settings, model, report }: SettingsFacts): Page {
  const rows = settingRows(settings);
  const changed = rows.filter(({ isDefault }) => !isDefault).length;
  const width = Math.max(...rows.map(({ name }) => name.length));
  return (columns) => [
    heading(
      `Context settings: ${changed === 0 ? 'all at their defaults' : `${changed} changed from the default`}`,
    ),
    ...rows.map((row) => settingLine(row, columns < 60 ? 0 : width)),
    blankLine,
    heading(`For ${model.id} this comes to`),
    ...resolved({ settings, model, report }).map((text) => hanging(pageLine(`  ${text}`), 4)),
  ];
}

interface SettingRow {
  /** Dotted path; for example "context.compact.threshold". */
  readonly name: string;
  readonly value: string;
  readonly defaultValue: string;
  readonly isDefault: boolean;
}

/** Returns every setting, in schema order. */
function settingRows(settings: ContextSettings): readonly SettingRow[] {
  const defaults = new Map(leaves(contextSettingsSchema.parse({}), 'context'));
  return leaves(settings, 'context').map(([name, value]) => {
    const defaultValue = defaults.get(name) ?? 'null';
    return { name, value, defaultValue, isDefault: value === defaultValue };
  });
}

function leaves(value: unknown, name: string): readonly (readonly [string, string])[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [[name, JSON.stringify(value ?? null)]];
  return Object.entries(value).flatMap(([key, one]) => leaves(one, `${name}.${key}`));
}

function settingLine({ name, value, defaultValue, isDefault }: SettingRow, width: number): PageLine {
  const lead = `  ${name.padEnd(width)}  `;
  return hanging(
    pageLine(lead, isDefault ? value : { text: value, role: 'accent' }, {
      text: isDefault ? '  default' : `  default is ${defaultValue}`,
      role: isDefault ? 'dim' : 'warning',
    }),
    4,
  );
}

function resolved({ settings, model, report }: SettingsFacts): readonly string[] {
  const { measure, marks = {} } = report;
  const at = (tokens: number): string =>
    `${grouped(tokens)} tokens (${percent(tokens, measure.windowTokens)} of ${grouped(measure.windowTokens)})`;
  const { strategy } = settings;
  const writesAhead =
    settings.threadSummary === 'on' || (settings.threadSummary === 'auto' && model.hasOneSlot !== true);
  const policy = removalPolicyFor(
    settings,
    model.id,
    model.provider === undefined ? {} : { provider: model.provider },
  );
  const { masks, summarizes } = strategyTraits[strategy];
  return [
    `strategy ${strategy}: ${strategyText(settings)}`,
    ...(masks && marks.maskAt !== undefined
      ? [
          `${settings.strategy === 'economy' ? 'earlier turns are summarized or shortened' : 'steps of earlier turns are shortened'} from ${at(marks.maskAt)}`,
        ]
      : []),
    ...(summarizes
      ? [
          `summary by ${settings.summary === 'smart' ? 'the model' : 'counting'} at ${at(measure.triggerTokens)}`,
        ]
      : []),
    ...(summarizes && settings.summary === 'smart' ? [aheadText(settings, model, writesAhead)] : []),
    ...(strategy === 'off' || strategy === 'mask-only'
      ? []
      : [
          `removal by ${policy.strategy} (${policy.source === 'model' ? 'chosen for the model' : 'chosen in the settings'}: ${policy.reason}), keeping ${policy.preserveStart} messages at the beginning and ${policy.preserveEnd} at the end, at least ${policy.minMessages}${marks.removeAt === undefined ? '' : `, from ${at(marks.removeAt)}`}`,
        ]),
    ...(marks.limit === undefined ? [] : [`no request is larger than ${at(marks.limit)}`]),
    `kept for the reply: ${grouped(measure.replyReserveTokens)} tokens`,
  ];
}

function strategyText({ strategy, compact }: ContextSettings): string {
  if (strategy === 'off' || !compact.auto) return 'nothing happens automatically; /compact works';
  switch (strategy) {
    case 'auto':
    case 'summary':
      return 'everything stays until the trigger, then a summary; shortening and removal only if none is available';
    case 'economy':
      return 'earlier turns are summarized early, or shortened if no summary can be drafted; the current turn at the trigger';
    case 'mask-only':
      return 'only steps of earlier turns are shortened, unless a request is too large to send';
    default:
      return 'older messages are left out; the model is not asked for a summary';
  }
}

function aheadText({ threadSummary }: ContextSettings, model: ModelInfo, writesAhead: boolean): string {
  const said = `drafts (threadSummary ${threadSummary})`;
  if (writesAhead) return `${said}: on, a summary is drafted shortly before it is needed, so you do not wait`;
  return threadSummary === 'auto' && model.hasOneSlot === true
    ? `${said}: off, since this endpoint serves one request at a time; you see the summary run, and Esc shortens old steps instead`
    : `${said}: off, you see each summary run`;
}
