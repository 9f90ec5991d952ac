/** The status line; on a narrow screen, less important parts are shortened or left out. */
import { memo } from 'react';
import type { ContextMeasure } from '../../protocol/contextReport.ts';
import { modeLabels, type PermissionMode } from '../../protocol/permissions.ts';
import { shortTokens } from '../../protocol/text/numbers.ts';
import { Lines } from '../dialog/Lines.tsx';
import { formatCost } from '../print/numbers.ts';
import { sanitizeLine, shownLine } from '../print/sanitize.ts';
import { textWidth, truncate } from '../print/width.ts';
import type { Paint } from '../theme/paints.ts';
import type { Theme } from '../theme/theme.ts';

interface StatusLineProps extends StatusFacts {
  /** The styled output of the user's own command, if there is one. */
  readonly own?: readonly string[] | undefined;
  readonly width: number;
  readonly theme: Theme;
}

/**
 * Model, mode, context and cost on one row, or the user's own status line. The demo and read-only warnings always
 * appear.
 */
export const StatusLine = memo(function StatusLine({ own, width, theme, ...facts }: StatusLineProps) {
  const isOwn = own !== undefined && own.length > 0;
  const lines = isOwn ? own : [];
  return (
    <Lines
      lines={
        isOwn && !facts.demo && facts.readOnly !== true ? lines : [...lines, statusLine(facts, width, theme)]
      }
    />
  );
});

interface StatusFacts {
  readonly model: string;
  readonly mode: PermissionMode;
  /** Absent before the first measurement. */
  readonly measure?: ContextMeasure | undefined;
  /** Absent if the price is unknown. */
  readonly costUsd?: number | undefined;
  /** True while a summary is drafted in the background; shown as a symbol. */
  readonly drafting?: boolean | undefined;
  /** True if nothing can be sent; shown instead of the mode at any width. */
  readonly readOnly?: boolean | undefined;
  /** True if the built-in demo model answers; shown at any width. */
  readonly demo: boolean;
  /** A warning if commands are not confined. */
  readonly sandbox?: string | undefined;
  /** Background commands that are running. */
  readonly running?: readonly string[] | undefined;
}

/** One styled line of at most `width` columns. */
export function statusLine(facts: StatusFacts, width: number, theme: Theme): string {
  const parts = partsOf(facts, theme);
  const chosen = new Map(parts.map((part) => [part.name, 0]));
  for (const name of shrinkOrder) {
    if (joinedWidth(parts, chosen) <= width) break;
    const part = parts.find((one) => one.name === name);
    if (part !== undefined) chosen.set(name, Math.min((chosen.get(name) ?? 0) + 1, part.forms.length - 1));
  }
  const shown = parts.flatMap((part) => {
    const text = part.forms[chosen.get(part.name) ?? 0] ?? '';
    return text === '' ? [] : [{ text, paint: part.paint }];
  });
  if (joinedWidth(parts, chosen) > width)
    return theme.dim(truncate(shown.map(({ text }) => text).join(separator), width));
  return shown.map(({ text, paint }) => paint(text)).join(theme.dim(separator));
}

type Name = 'demo' | 'model' | 'mode' | 'sandbox' | 'running' | 'context' | 'cost';

interface Part {
  readonly name: Name;
  /** From longest to shortest; an empty form leaves the part out. */
  readonly forms: readonly string[];
  readonly paint: Paint;
}

/** Explained in `/context` and in the docs. */
const DRAFT_SIGN = '✎';

const separator = ' · ';
const shrinkOrder: readonly Name[] = [
  'running',
  'context',
  'demo',
  'cost',
  'sandbox',
  'running',
  'context',
  'model',
  'mode',
  'context',
  'model',
  'mode',
  'model',
];

function partsOf(
  {
    model,
    mode,
    measure,
    costUsd,
    demo,
    drafting = false,
    readOnly = false,
    running = [],
    sandbox,
  }: StatusFacts,
  theme: Theme,
): Part[] {
  const name = sanitizeLine(model);
  const modePaint =
    mode === 'bypassPermissions'
      ? theme.error
      : mode === 'auto'
        ? theme.warning
        : mode === 'default'
          ? theme.dim
          : theme.accent;
  return [
    ...(demo
      ? [{ name: 'demo', forms: ['demo model, no network', 'demo'], paint: theme.warning } as const]
      : []),
    { name: 'model', forms: [name, truncate(name, 20), truncate(name, 10), ''], paint: theme.text },
    readOnly
      ? { name: 'mode', forms: ['read only'], paint: theme.warning }
      : {
          name: 'mode',
          // The default mode needs no mention.
          forms: mode === 'default' ? [''] : [`${modeLabels[mode]} mode`, modeLabels[mode]],
          paint: modePaint,
        },
    ...(sandbox === undefined
      ? []
      : [{ name: 'sandbox', forms: [sandbox, ''], paint: theme.warning } as const]),
    ...(running.length === 0 ? [] : [runningPart(running, theme)]),
    ...(measure === undefined ? [] : [contextPart(measure, drafting ? ` ${DRAFT_SIGN}` : '', theme)]),
    ...(costUsd === undefined
      ? []
      : [{ name: 'cost', forms: [formatCost(costUsd), ''], paint: theme.dim } as const]),
  ];
}

/** Columns for the names of running commands; of each, at most as many characters. */
const COMMANDS = 30;

function runningPart(commands: readonly string[], theme: Theme): Part {
  const names = truncate(
    commands.map((command) => shownLine(command.slice(0, COMMANDS + 1), true)).join(', '),
    COMMANDS,
  );
  const running = `${commands.length} running`;
  return {
    name: 'running',
    forms: [`${running}: ${names}`, running, `${commands.length} bg`],
    paint: theme.accent,
  };
}

/** Share of the trigger from which the line shows when compaction starts, in a warning color. */
const CLOSE = 0.85;

/** Shares of the window, as in `/context`; the color warns when the trigger is close. */
function contextPart(
  { usedTokens, windowTokens, triggerTokens, exact, windowSource }: ContextMeasure,
  sign: string,
  theme: Theme,
): Part {
  const percent = (tokens: number) => `${Math.round((tokens / Math.max(1, windowTokens)) * 100)}%`;
  const used = `${exact ? '' : '~'}${percent(usedTokens)}`;
  const window = shortTokens(windowTokens);
  const isAssumed = windowSource === 'assumed';
  const ofWindow = isAssumed ? `${window} (assumed)` : window;
  const compacts = `compacts at ${percent(triggerTokens)}`;
  const ofTrigger = usedTokens / Math.max(1, triggerTokens);
  const isClose = ofTrigger >= CLOSE;
  return {
    name: 'context',
    forms: [
      ...(isClose ? [`context ${used} of ${ofWindow}, ${compacts}${sign}`] : []),
      `context ${used} of ${ofWindow}${sign}`,
      `context ${used}${sign}`,
      `${used}${sign}`,
    ],
    paint: ofTrigger >= 1 ? theme.error : isClose ? theme.warning : theme.dim,
  };
}

function joinedWidth(parts: readonly Part[], chosen: ReadonlyMap<Name, number>): number {
  const texts = parts
    .map((part) => part.forms[chosen.get(part.name) ?? 0] ?? '')
    .filter((text) => text !== '');
  return textWidth(texts.join(separator));
}
