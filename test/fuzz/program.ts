/**
 * The definition of a random program: settings, a model, a server, and operations. Plain data, so that it can be saved.
 */
import fc from 'fast-check';
import { contextStrategies } from '../../src/protocol/settings/contextSettings.ts';
import { type TextSpec, textSpec } from './texts.ts';

/** `quick` runs in every test run; `long` adds large windows, large outputs and many calls. */
export type Scale = 'quick' | 'long';

export function programs(scale: Scale): fc.Arbitrary<Program> {
  const most = scale === 'quick' ? 25 : 60;
  return fc.record({
    model: modelSpec(scale),
    server: serverSpec,
    settings: fc.oneof(
      { weight: 2, arbitrary: fc.constant({}) },
      { weight: 3, arbitrary: fewSettings },
      { weight: 2, arbitrary: settingsSpec },
    ),
    countsExactly: fc.boolean(),
    instructions: textSpec(600),
    behaviours: fc.array(behaviour, { maxLength: 6 }),
    ops: fc.array(operation(scale), { minLength: scale === 'quick' ? 3 : 12, maxLength: most, size: 'max' }),
  });
}

const windowTokens = (scale: Scale): fc.Arbitrary<number> =>
  scale === 'quick'
    ? fc.constantFrom(6000, 8000, 12_000, 32_000)
    : fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom(4000, 8000, 12_000, 16_000, 32_000) },
        { weight: 1, arbitrary: fc.constantFrom(64_000, 128_000, 200_000, 1_000_000) },
      );

const modelSpec = (scale: Scale) =>
  fc.record({
    windowTokens: windowTokens(scale),
    tokenizer: fc.constantFrom('o200k_base' as const, 'cl100k_base' as const, 'unknown' as const),
    returnsReasoning: fc.boolean(),
    hasOneSlot: fc.boolean(),
  });

/** How the server really counts tokens, and how it reacts to too many. */
const serverSpec = fc.record({
  /** Tokens of a model with an unknown vocabulary, relative to the known one. */
  factor: fc.constantFrom(0.8, 1, 1.2, 1.35),
  /** The true window relative to the assumed one. */
  windowShare: fc.constantFrom(1, 1, 1, 0.7),
  namesWindow: fc.boolean(),
  usage: fc.constantFrom('true' as const, 'none' as const, 'strange' as const),
});

const share = fc.constantFrom(0.05, 0.1, 0.2, 0.35, 0.5);
const settingsSpec = fc.record(
  {
    strategy: fc.constantFrom('auto', 'auto', 'auto', 'summary', ...contextStrategies),
    threadSummary: fc.constantFrom('auto' as const, 'on' as const, 'off' as const),
    summary: fc.constantFrom('smart' as const, 'smart' as const, 'simple' as const),
    mask: fc.record({ at: share, protect: share, batch: share }, { requiredKeys: [] }),
    compact: fc.record(
      { threshold: fc.constantFrom(0.5, 0.8, 0.95), retain: share, maxFailures: fc.constantFrom(1, 3) },
      { requiredKeys: [] },
    ),
    removal: fc.record(
      {
        at: fc.constantFrom(0.6, 0.9, 0.97),
        preserveStart: fc.nat(4),
        preserveEnd: fc.nat(6),
        minMessages: fc.nat(6),
      },
      { requiredKeys: [] },
    ),
    window: fc.record(
      { rounds: fc.integer({ min: 1, max: 5 }), maxMessageTokens: fc.constantFrom(60, 800) },
      { requiredKeys: [] },
    ),
    filter: fc.record({
      enabled: fc.boolean(),
      maxTokens: fc.constantFrom(1000, 8000),
      maxMessages: fc.constantFrom(5, 50),
      maxAgeHours: fc.constantFrom(1, 24),
    }),
    minRetainRounds: fc.nat(6),
    slidingWindowSize: fc.integer({ min: 1, max: 6 }),
    totalBudget: fc.constantFrom(3000, 6000, 48_000),
    compressionThreshold: fc.constantFrom(2000, 5000),
    replyReserve: fc.constantFrom(256, 2000, 8192),
    reminderSteps: fc.integer({ min: 1, max: 8 }),
    toolResultCompression: fc.boolean(),
  },
  { requiredKeys: [] },
);

/** Most users change one or two. */
const fewSettings = fc
  .tuple(settingsSpec, fc.nat(100), fc.nat(100))
  .map(([all, one, other]): SettingsSpec => {
    const names = Object.keys(all);
    const kept = new Set([one, other].map((pick) => names[pick % Math.max(1, names.length)]));
    return Object.fromEntries(Object.entries(all).filter(([name]) => kept.has(name)));
  });

/** How the summarizing model responds. */
export const behaviours = [
  'good',
  'empty',
  'long',
  'injected',
  'calls a tool',
  'cut',
  'fails',
  'overflows',
  'late',
  'never',
  'other language',
  'hostile',
] as const;
export type Behaviour = (typeof behaviours)[number];
const behaviour = fc.constantFrom(...behaviours);

const position = fc.nat(1000);

function resultSpec(scale: Scale) {
  return fc.record({
    text: textSpec(scale === 'quick' ? 8000 : 60_000),
    kind: fc.constantFrom('file', 'search', 'list', 'command', 'edit', 'document', 'text'),
    status: fc.constantFrom('ok', 'ok', 'ok', 'error', 'denied', 'interrupted'),
  });
}

function operation(scale: Scale) {
  const small = textSpec(2000);
  const result = resultSpec(scale);
  const one = <T extends string, F extends object>(name: T, fields: { [K in keyof F]: fc.Arbitrary<F[K]> }) =>
    fc.record({ do: fc.constant(name), ...fields }) as unknown as fc.Arbitrary<{ do: T } & F>;
  const weighted = <T>(weight: number, arbitrary: fc.Arbitrary<T>) => ({ weight, arbitrary });
  const common = fc.oneof(
    weighted(
      6,
      one('prompt', { texts: fc.array(textSpec(8000), { minLength: 1, maxLength: 2 }), image: fc.boolean() }),
    ),
    weighted(
      3,
      one('reply', {
        text: small,
        reasoning: fc.option(small),
        end: fc.constantFrom('stop', 'interrupted', 'failed'),
      }),
    ),
    weighted(
      12,
      one('step', {
        results: fc.array(result, { minLength: 1, maxLength: 5 }),
        sameIds: fc.boolean(),
        badArguments: fc.boolean(),
        reasoning: fc.option(small),
        /** How many calls had a result when the user pressed Ctrl+C. */
        abortAfter: fc.option(fc.nat(4), { freq: 4 }),
        /** Typed while the calls were running. */
        prompt: fc.option(small, { freq: 4 }),
      }),
    ),
    weighted(4, one('bulk', { count: fc.integer({ min: 2, max: scale === 'quick' ? 8 : 40 }), result })),
    weighted(1, one('shell', { text: textSpec(8000) })),
    weighted(1, one('note', { subtype: fc.constantFrom('mode', 'environment', 'nudge'), text: small })),
    weighted(2, one('crash', { answered: fc.nat(3), torn: fc.boolean() })),
    weighted(2, one('reopen', {})),
    weighted(2, one('model', { model: modelSpec(scale) })),
    weighted(1, one('tools', { count: fc.nat(6) })),
    weighted(
      3,
      one('compact', { behaviour, focus: fc.boolean(), abort: fc.boolean(), takeBack: fc.boolean() }),
    ),
    weighted(1, one('preview', { behaviour })),
    weighted(1, one('uncompact', {})),
    weighted(2, one('undo', { pick: position, andBack: fc.boolean() })),
    weighted(2, one('rewind', { pick: position, andBack: fc.boolean() })),
    weighted(4, one('steer', { action: fc.constantFrom('pin', 'unpin', 'drop', 'restore'), pick: position })),
    weighted(1, one('fork', { pick: fc.option(position), shouldContinue: fc.boolean() })),
    weighted(1, one('overflow', { named: fc.boolean(), grows: fc.boolean() })),
    weighted(1, one('idle', { hours: fc.constantFrom(0.1, 2, 30) })),
    weighted(1, one('memories', { texts: fc.array(small, { maxLength: 3 }) })),
    weighted(1, one('instructions', { text: fc.option(textSpec(3000)) })),
    weighted(2, one('summaries', { behaviours: fc.array(behaviour, { minLength: 1, maxLength: 4 }) })),
    weighted(1, one('redo', { pick: position })),
    weighted(1, one('refine', {})),
    weighted(1, one('recall', { pick: position })),
  );
  if (scale === 'quick') return common;
  return fc.oneof(
    weighted(400, common),
    weighted(1, one('many calls', { count: fc.constantFrom(300, 1000), text: textSpec(4000) })),
  );
}

export type Operation = ReturnType<typeof operation> extends fc.Arbitrary<infer T> ? T : never;
export type ModelSpec = ReturnType<typeof modelSpec> extends fc.Arbitrary<infer T> ? T : never;
export type ServerSpec = typeof serverSpec extends fc.Arbitrary<infer T> ? T : never;
export type SettingsSpec = typeof settingsSpec extends fc.Arbitrary<infer T> ? T : never;
export type ResultSpec = ReturnType<typeof resultSpec> extends fc.Arbitrary<infer T> ? T : never;

export interface Program {
  readonly model: ModelSpec;
  readonly server: ServerSpec;
  readonly settings: SettingsSpec;
  /** True if there is an exact counter for public vocabularies. */
  readonly countsExactly: boolean;
  readonly instructions: TextSpec;
  readonly behaviours: readonly Behaviour[];
  readonly ops: readonly Operation[];
}
